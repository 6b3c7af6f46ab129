internal import Todana

/// How much a snapshot holds.
public struct SnapshotCounts: Sendable, Hashable, Codable {
  /// All that is not a directory.
  public var files = 0
  public var directories = 0
  /// Of regular files, holes included.
  public var bytes: Int64 = 0
  /// What could not be read.
  public var failures = 0

  public init() {}

  /// Counts something that is not a directory.
  mutating func add(_ file: FileEntry) {
    files += 1
    if file.kind == .regular { bytes = Self.sum(bytes, file.byteCount) }
  }

  /// Two sparse files may have more bytes together than there are numbers: the largest one, then.
  static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  func write(to buffer: inout DataBuffer) {
    buffer.writeVarUInt(UInt64(files))
    buffer.writeVarUInt(UInt64(directories))
    buffer.writeVarUInt(UInt64(bytes))
    buffer.writeVarUInt(UInt64(failures))
  }

  init(from buffer: inout DataBuffer) throws(DataBufferError) {
    files = Int(clamping: try buffer.readVarUInt())
    directories = Int(clamping: try buffer.readVarUInt())
    bytes = Int64(clamping: try buffer.readVarUInt())
    failures = Int(clamping: try buffer.readVarUInt())
  }
}
