internal import Glibc

/// A file that is open as long as somebody reads it.
final class OpenedFile {
  let descriptor: CInt

  init(_ path: [UInt8]) throws(ArchiveError) {
    guard !path.contains(0) else {
      throw ArchiveError(.tar, "A tar cannot be read.", underlying: FileError(.open, path, .badName))
    }
    descriptor = unsafe (path.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { path in
      guard let start = path.baseAddress else { return -1 }
      return unsafe open(start, O_RDONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else {
      throw ArchiveError(.tar, "A tar cannot be read.", underlying: FileError(.open, path, errorNumber: errno))
    }
  }

  deinit { close(descriptor) }
}
