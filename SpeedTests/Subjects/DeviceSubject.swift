import Glibc
public import SpeedTestHarness

/// The disk itself: writes 512 bytes into an existing, fully allocated file, and flushes.
public struct DeviceSubject: Subject {
  public let name = "device"

  private static let blockByteCount = 512
  private static let fileByteCount = 4 << 20

  public init() {}

  /// Makes the file and writes every byte of it.
  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    let descriptor = try openFile(in: directory)
    defer { close(descriptor) }
    let zeros = [UInt8](repeating: 0, count: Self.fileByteCount)
    let written = unsafe zeros.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    guard written == Self.fileByteCount, fsync(descriptor) == 0 else { throw failure("write") }
  }

  public func withUpdater(
    in directory: String, _ body: (_ update: (Int, String) throws -> Void) throws -> Void
  ) throws {
    let descriptor = try openFile(in: directory)
    defer { close(descriptor) }
    let block = [UInt8](repeating: 7, count: Self.blockByteCount)
    var offset = 0
    try body { _, _ in
      let written = unsafe block.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      guard written == Self.blockByteCount, fdatasync(descriptor) == 0 else { throw failure("write") }
      offset = (offset + Self.blockByteCount) % Self.fileByteCount
    }
  }

  private func openFile(in directory: String) throws -> Int32 {
    let descriptor = unsafe open(directory + "/blocks", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("open") }
    return descriptor
  }

  private func failure(_ what: String) -> SpeedTestError {
    .failed("device: cannot \(what): \(unsafe String(cString: strerror(errno)))")
  }
}
