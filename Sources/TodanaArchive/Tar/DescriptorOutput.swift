internal import Glibc

/// Writes to a file or a pipe, in large pieces; no signal comes of a pipe that nobody reads any more.
@safe
final class DescriptorOutput {
  private static let pieceByteCount = 256 << 10

  private let file: CInt
  private let name: [UInt8]
  private var buffer: [UInt8] = []

  init(_ file: CInt, name: [UInt8]) {
    self.file = file
    self.name = name
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    unsafe buffer.append(contentsOf: bytes)
    if buffer.count >= Self.pieceByteCount { try flush() }
  }

  /// What a full disk, or a closed pipe, says comes here at the latest.
  func flush() throws(FileError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    var start = 0
    while start < buffer.count {
      let (count, errorNumber) = unsafe buffer.withUnsafeBytes { bytes in
        unsafe Self.write(UnsafeRawBufferPointer(rebasing: bytes[start...]), to: file)
      }
      if count > 0 {
        start += count
      } else if errorNumber == EAGAIN {
        // A descriptor that does not wait: wait for it here.
        var wanted = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wanted, 1, -1)
      } else if errorNumber != EINTR {
        throw FileError(.writeData, name, errorNumber: count == 0 ? EIO : errorNumber)
      }
    }
  }

  /// `write`, with SIGPIPE held back in this thread, and taken away if it was this call that raised it.
  private static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt) -> (count: Int, errorNumber: CInt) {
    var (pipe, pending, before) = (sigset_t(), sigset_t(), sigset_t())
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe sigpending(&pending)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let count = unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
    let errorNumber = errno
    if count < 0, errorNumber == EPIPE, unsafe sigismember(&pending, SIGPIPE) == 0 {
      var noTime = timespec()
      while unsafe sigtimedwait(&pipe, nil, &noTime) < 0, errno == EINTR {}
    }
    return (count, errorNumber)
  }
}
