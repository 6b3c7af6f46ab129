internal import Todana

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A snapshot, as an archive lists it.
public struct Snapshot: Sendable, Hashable {
  public let id: SnapshotID
  public let time: Date
  /// The machine that it was made on.
  public let host: String
  /// As they were given.
  public let paths: [[UInt8]]
  public let tags: [String]
  public let counts: SnapshotCounts
  /// What wrote it.
  public let program: String
  /// Where it is a changed form of another one.
  public let original: SnapshotID?

  /// The row, and the pages of its root.
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
    tags = stored.tags
    counts = stored.counts
    program = stored.program
    original = SnapshotID(stored.original)
    self.rowID = rowID
    pages = stored.pages
  }

  /// What rules of keeping look at.
  public var forRetention: RetentionSnapshot {
    RetentionSnapshot(id: id.bytes, time: time, host: host, paths: paths, tags: tags)
  }
}
