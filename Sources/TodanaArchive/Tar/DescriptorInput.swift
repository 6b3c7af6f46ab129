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
  /// Bytes that were given out, and those of the last piece.
  private(set) var byteCount: Int64 = 0
  private var lastCount = 0

  init(_ file: CInt, _ hasStopped: @escaping @Sendable () -> Bool) {
    self.file = file
    self.hasStopped = hasStopped
    unsafe memory = .allocate(byteCount: Self.pieceByteCount, alignment: 16)
  }

  deinit { unsafe memory.deallocate() }

  /// Whether there are other bytes than zeros among the last so many that were given out, or in what comes; reads to the end.
  ///
  /// Bytes before the last piece are not there any more, and count as zeros.
  func hasContent(in left: Int64) -> Bool {
    let count = Int(min(max(left, 0), Int64(lastCount)))
    if unsafe memory[(lastCount - count)..<lastCount].contains(where: { $0 != 0 }) { return true }
    while let piece = unsafe next(), unsafe !piece.isEmpty {
      if unsafe piece.contains(where: { $0 != 0 }) { return true }
    }
    return false
  }

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
      if count >= 0 {
        byteCount += Int64(count)
        if count > 0 { lastCount = count }
        return unsafe UnsafeRawBufferPointer(rebasing: memory[..<count])
      }
      if errno == EINTR || errno == EAGAIN { continue }
      failure = FileError(.readData, Self.name, errorNumber: errno)
      return nil
    }
  }
}
