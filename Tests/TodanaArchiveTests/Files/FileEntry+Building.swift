import Glibc
import Testing

@testable import TodanaArchive

extension FileEntry {
  /// Creates an entry with any values, as an archive may hold them.
  init(
    _ kind: FileKind, _ name: String, permissions: UInt16? = nil, time: FileTime = FileTime(seconds: 1_700_000_000),
    byteCount: Int64 = 0, attributes: [ExtendedAttribute] = []
  ) {
    self.init(
      kind, Array(name.utf8), permissions: permissions, time: time, byteCount: byteCount, attributes: attributes)
  }

  init(
    _ kind: FileKind, _ name: [UInt8], permissions: UInt16? = nil, time: FileTime = FileTime(seconds: 1_700_000_000),
    byteCount: Int64 = 0, attributes: [ExtendedAttribute] = []
  ) {
    self.init(
      name: name, kind: kind, permissions: permissions ?? (kind == .directory ? 0o755 : 0o644),
      owner: FileOwner(userID: getuid(), groupID: getgid()),
      modificationTime: time, changeTime: time, identity: FileIdentity(device: 0, inode: 0), linkCount: 1,
      byteCount: byteCount, attributes: attributes)
  }

  static func link(_ name: String, to target: String, time: FileTime = FileTime(seconds: 1_700_000_000)) -> FileEntry {
    FileEntry(.symbolicLink(target: Array(target.utf8)), name, time: time)
  }
}

extension TargetDirectory {
  static func open(
    _ path: [UInt8], _ overwriting: RestoreOptions.Overwriting = .never
  ) throws(FileError) -> TargetDirectory {
    try open(path, options: RestoreOptions(overwriting: overwriting), report: RestoreReport())
  }

  /// Writes a complete regular file with a text.
  @discardableResult
  func write(
    _ text: String, to name: String, time: FileTime = FileTime(seconds: 1_700_000_000)
  ) throws(FileError) -> FileIdentity {
    let entry = FileEntry(.regular, name, time: time, byteCount: Int64(text.utf8.count))
    let file = try makeFile(entry)
    try file.write(Array(text.utf8).span, at: 0)
    return try file.finish()
  }
}

/// Returns the error that an operation threw, if any.
func error<Result>(of body: () throws -> Result) -> FileError? {
  do {
    _ = try body()
    return nil
  } catch {
    if !(error is FileError) { Issue.record(error) }
    return error as? FileError
  }
}
