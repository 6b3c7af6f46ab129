internal import Glibc

/// Reads a file or a pipe in pieces; waits where nothing comes, until nobody wants it any more.
@safe
final class DescriptorInput {
  private static let pieceByteCount = 64 << 10
  private static let name = Array("the tar stream".utf8)

  private let file: CInt
  private let hasStopped: @Sendable () -> Bool
  private let memory: UnsafeMutableRawBufferPointer
  private(set) var failure: FileError?

  init(_ file: CInt, _ hasStopped: @escaping @Sendable () -> Bool) {
    self.file = file
    self.hasStopped = hasStopped
    unsafe memory = .allocate(byteCount: Self.pieceByteCount, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// The next piece, good until the next call, empty at the end; nil after a failure.
  func next() -> UnsafeRawBufferPointer? {
    while true {
      // A read would go on waiting after a signal.
      var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      // Of a negative number it would say for ever that nothing has come.
      if file >= 0, unsafe poll(&waiting, 1, 100) == 0 {
        guard hasStopped() else { continue }
        failure = FileError(.readData, Self.name, .skipped)
        return nil
      }
      let count = unsafe read(file, memory.baseAddress, memory.count)
      if count >= 0 { return unsafe UnsafeRawBufferPointer(rebasing: memory[..<count]) }
      if errno == EINTR || errno == EAGAIN { continue }
      failure = FileError(.readData, Self.name, errorNumber: errno)
      return nil
    }
  }
}
