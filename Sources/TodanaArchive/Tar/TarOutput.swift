internal import CLibArchive
internal import Glibc

/// The output of libarchive's writer: headers can be captured for completion, and all other bytes are passed to a sink.
@safe
final class TarOutput {
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private let flushSink: () throws -> Void
  private var header: [UInt8]?
  /// The error of the sink; nothing is written after it.
  private(set) var failure: (any Error)?

  init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void, flush: @escaping () throws -> Void) {
    unsafe self.sink = sink
    flushSink = flush
  }

  /// Makes an archive write here; this object must outlive the archive.
  func open(_ archive: OpaquePointer) -> CInt {
    unsafe archive_write_open(
      archive, Unmanaged.passUnretained(self).toOpaque(), nil,
      { _, output, bytes, count in
        guard let output = unsafe output, let bytes = unsafe bytes else { return -1 }
        // The writer holds this object as long as the archive.
        let target = unsafe Unmanaged<TarOutput>.fromOpaque(output).takeUnretainedValue()
        return unsafe target.write(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
      }, nil)
  }

  /// Passes bytes to the sink, or keeps them while ``capture(_:)`` runs; returns false after any failure.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if header != nil {
      unsafe header?.append(contentsOf: bytes)
      return true
    }
    return attempt { unsafe try sink(bytes) }
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

  func flush() -> Bool { attempt(flushSink) }

  /// Runs an operation, and returns its output instead of passing it to the sink.
  func capture(_ operation: () -> CInt) -> (result: CInt, bytes: [UInt8]) {
    header = []
    let result = operation()
    defer { header = nil }
    return (result, header ?? [])
  }

  private func attempt(_ body: () throws -> Void) -> Bool {
    if failure != nil { return false }
    do {
      try body()
      return true
    } catch {
      failure = error
      return false
    }
  }
}

/// A buffered output to a file or pipe; writing to a pipe without a reader throws, and raises no signal.
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

  /// Writes the buffered bytes; the error of a full disk or a closed pipe is thrown here at the latest.
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
        // Wait here for a descriptor in non-blocking mode.
        var wanted = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&wanted, 1, -1)
      } else if errorNumber != EINTR {
        throw FileError(.writeData, name, errorNumber: count == 0 ? EIO : errorNumber)
      }
    }
  }

  /// Calls `write` with SIGPIPE blocked in this thread, and consumes the signal if this call has raised it.
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
