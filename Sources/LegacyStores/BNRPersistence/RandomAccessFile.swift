internal import Foundation

/// A file that is read at any place, with a window that makes sequential reads fast.
final class RandomAccessFile {
  let byteCount: Int
  private let descriptor: Int32
  private var window: [UInt8] = []
  private var windowStart = 0

  private static let windowByteCount = 1 << 18

  init(path: String) throws(LegacyError) {
    // The path lives until the call returns.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw LegacyError(.cannotOpen, "the file cannot be opened: \(Self.systemMessage())")
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw LegacyError(.cannotOpen, "it is no regular file")
    }
    byteCount = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// Returns bytes near the last ones that were read.
  func next(at position: Int, count: Int) throws(LegacyError) -> ArraySlice<UInt8> {
    try check(position, count)
    if position < windowStart || position + count > windowStart + window.count {
      window = try read(at: position, count: min(max(count, Self.windowByteCount), byteCount - position))
      windowStart = position
    }
    return window[(position - windowStart)..<(position - windowStart + count)]
  }

  /// Returns bytes at any place, without a change of the window.
  func bytes(at position: Int, count: Int) throws(LegacyError) -> [UInt8] {
    try check(position, count)
    return try read(at: position, count: count)
  }

  private func check(_ position: Int, _ count: Int) throws(LegacyError) {
    guard position >= 0, count >= 0, count <= byteCount, position <= byteCount - count else {
      throw LegacyError(.damaged, "the file ends within a record: it is truncated or damaged")
    }
  }

  private func read(at position: Int, count: Int) throws(LegacyError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        // `done` is less than `count`, so the rest of the buffer is not empty.
        unsafe pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(position + done))
      }
      if result < 0, errno == EINTR { continue }
      guard result > 0 else {
        throw LegacyError(
          .damaged, "the file cannot be read: \(result < 0 ? Self.systemMessage() : "it was truncated")")
      }
      done += result
    }
    return bytes
  }

  private static func systemMessage() -> String {
    // The text is a constant of the C library.
    unsafe String(cString: strerror(errno))
  }
}
