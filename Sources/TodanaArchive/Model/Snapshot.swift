internal import Todana

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A snapshot of an archive: its metadata and counts.
public struct Snapshot: Sendable, Hashable {
  public let id: SnapshotID
  public let time: Date
  /// The name of the machine that the snapshot was made on.
  public let host: String
  /// The archived paths, as they were given.
  public let paths: [[UInt8]]
  /// The directory that relative paths were given in; empty if it is not known, or if the paths are only names, such as
  /// the name of a tar stream.
  public let workingDirectory: [UInt8]
  /// The name of the series that the snapshot belongs to.
  public let label: String?
  public let tags: [String]
  public let counts: SnapshotCounts
  /// The program that wrote the snapshot.
  public let program: String
  /// The snapshot from which this one was derived by copying or rewriting, in one or more steps; nil if it was made by
  /// adding files.
  public let original: SnapshotID?

  /// The directory whose content is at the top, without a name; nil if the top contains the paths themselves.
  public let top: FileEntry?
  /// The time at which reading began, by the clock of the machine; the user may have chosen a different ``time``.
  let readingStart: FileTime

  /// The row of the snapshot in its class.
  let rowID: RowID
  let pages: [RowID]

  init(_ stored: StoredSnapshot) throws(ArchiveError) {
    guard let id = SnapshotID(stored.snapshotID), let rowID = stored.id?.rowID else {
      throw ArchiveError(.damaged, "A snapshot has no id.")
    }
    self.id = id
    time = Date(timeIntervalSince1970: Double(stored.milliseconds) / 1000)
    host = stored.host
    paths = stored.paths
    workingDirectory = stored.workingDirectory
    label = stored.label.isEmpty ? nil : stored.label
    tags = stored.tags
    counts = stored.counts
    program = stored.program
    original = SnapshotID(stored.original)
    top = try TopEntry.entry(stored.top)
    readingStart = stored.readingStart ?? FileTime(time)
    self.rowID = rowID
    pages = stored.pages
  }

  /// The paths from the root, sorted, each once; none if the directory that they are relative to is not known.
  ///
  /// They are computed from ``paths`` and ``workingDirectory``, without following links.
  public var absolutePaths: [[UInt8]] {
    workingDirectory.isEmpty ? [] : AbsolutePath.set(of: paths, in: workingDirectory)
  }

  /// The absolute paths; the paths as they were given if those are not known.
  public var comparedPaths: [[UInt8]] { workingDirectory.isEmpty ? paths : absolutePaths }

  /// The properties that retention rules use.
  public var forRetention: RetentionSnapshot {
    RetentionSnapshot(
      id: id.bytes, time: time, host: host, paths: comparedPaths, label: label, tags: tags, number: rowID)
  }
}

/// The identity of a snapshot: 16 random bytes, of which people use the first hexadecimal digits.
public struct SnapshotID: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 16

  public let bytes: [UInt8]

  /// Creates an id from 16 bytes; nil for another number of bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  static func random() -> SnapshotID {
    var generator = SystemRandomNumberGenerator()
    return SnapshotID(unchecked: (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The id as 32 hexadecimal digits.
  public var description: String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// The first eight digits of the id, as users write it.
  public var short: String { String(description.prefix(8)) }
}

/// The counts of a snapshot.
public struct SnapshotCounts: Sendable, Hashable, Codable {
  /// The number of entries other than directories.
  public var files = 0
  public var directories = 0
  /// The bytes of regular files, holes included.
  public var bytes: Int64 = 0
  /// The number of files that could not be read.
  public var failures = 0

  public init() {}

  /// Counts an entry other than a directory.
  mutating func add(_ file: FileEntry) {
    files += 1
    if file.kind == .regular { bytes = Self.sum(bytes, file.byteCount) }
  }

  /// Returns the sum of two byte counts, or the largest value on overflow, which sparse files can cause.
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
