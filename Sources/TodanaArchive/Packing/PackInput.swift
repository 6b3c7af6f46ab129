internal import Glibc

/// The bytes of a stream, in the pieces that are asked for.
struct PackInput {
  private let descriptor: CInt
  private static let waitMilliseconds: CInt = 200

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  /// So many bytes, or as many as there are up to the end of the stream.
  ///
  /// `waiting` is called before each read, and again and again while nothing comes; what it throws is thrown.
  func read(_ byteCount: Int, waiting: () throws -> Void) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var filled = 0
    while filled < byteCount {
      try waiting()
      var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wanted, 1, Self.waitMilliseconds) > 0 else { continue }
      let (count, errorNumber) = unsafe bytes.withUnsafeMutableBytes { bytes in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
        let count = unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
        return (count, errno)
      }
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errorNumber != EINTR, errorNumber != EAGAIN {
        throw FileError(.readData, Array("the pack".utf8), errorNumber: errorNumber)
      }
    }
    bytes.removeLast(byteCount - filled)
    return bytes
  }
}
