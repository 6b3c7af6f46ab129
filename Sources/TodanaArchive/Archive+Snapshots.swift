internal import Todana

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Archive {
  /// Returns all snapshots, the oldest first.
  public func snapshots() throws -> [Snapshot] {
    var snapshots: [Snapshot] = []
    try store.forEach(StoredSnapshot.self) { stored, _ in snapshots.append(try Snapshot(stored)) }
    return snapshots.sorted { ($0.time, $0.rowID) < ($1.time, $1.rowID) }
  }

  /// Returns the snapshot that a user has named.
  ///
  /// - Parameter name: `latest`, an id, or the first digits of an id: at least four, and enough to identify one
  ///   snapshot.
  /// - Returns: The snapshot.
  /// - Throws: ``ArchiveError/Code/snapshotNotFound`` if no snapshot, or more than one, has the name; `StoreError`.
  public func snapshot(named name: String) throws -> Snapshot {
    let snapshots = try snapshots()
    if name == "latest" {
      guard let latest = snapshots.last else {
        throw ArchiveError(.snapshotNotFound, "The archive has no snapshots.")
      }
      return latest
    }
    let digits = name.lowercased()
    guard digits.count >= 4 else {
      throw ArchiveError(
        .snapshotNotFound, "“\(name)” is too short for the id of a snapshot: give at least four digits.")
    }
    let found = snapshots.filter { $0.id.description.hasPrefix(digits) }
    if found.count == 1 { return found[0] }
    throw ArchiveError(
      .snapshotNotFound,
      found.isEmpty
        ? "No snapshot has an id that begins with “\(name)”."
        : "\(found.count) snapshots have ids that begin with “\(name)”: give more digits.")
  }

  /// Removes snapshots: all of them or, if an error is thrown, none.
  ///
  /// The space of their content is reclaimed by ``compact(progress:)``.
  public func remove(_ snapshots: [Snapshot]) throws {
    for snapshot in Set(snapshots) { try store.delete(stored(snapshot)) }
    try store.saveChanges()
  }

  /// Changes the tags of several snapshots in one commit.
  ///
  /// - Parameters:
  ///   - snapshots: Snapshots of this archive.
  ///   - change: Receives the tags of one snapshot, and changes them.
  /// - Returns: The number of snapshots whose tags were changed.
  /// - Throws: `StoreError`; then no snapshot is changed.
  @discardableResult
  public func changeTags(of snapshots: [Snapshot], _ change: (inout [String]) -> Void) throws -> Int {
    try self.change(snapshots) { tags, _ in change(&tags) }
  }

  /// Changes the tags and labels of several snapshots in one commit.
  ///
  /// - Parameters:
  ///   - snapshots: Snapshots of this archive.
  ///   - change: Receives the tags and the label of one snapshot, and changes them.
  /// - Returns: The number of snapshots that were changed.
  /// - Throws: `StoreError`; then no snapshot is changed.
  @discardableResult
  public func change(
    _ snapshots: [Snapshot], _ change: (_ tags: inout [String], _ label: inout String?) -> Void
  ) throws -> Int {
    var changedCount = 0
    for snapshot in Set(snapshots) {
      let stored = try stored(snapshot)
      var tags = stored.tags
      var label = stored.label.isEmpty ? nil : stored.label
      change(&tags, &label)
      if tags == stored.tags, label ?? "" == stored.label { continue }
      try store.update(stored) { stored in
        stored.tags = tags
        stored.label = label ?? ""
      }
      changedCount += 1
    }
    try store.saveChanges()
    return changedCount
  }

  func stored(_ snapshot: Snapshot) throws -> StoredSnapshot { try content.object(StoredSnapshot.self, snapshot.rowID) }

  /// Inserts a snapshot; the next save stores it.
  func insert(_ new: NewSnapshot, pages: [RowID], counts: SnapshotCounts) throws -> StoredSnapshot {
    let stored = StoredSnapshot()
    stored.snapshotID = SnapshotID.random().bytes
    stored.milliseconds = Int64(clamping: Int((new.time.timeIntervalSince1970 * 1000).rounded()))
    stored.host = new.host
    stored.paths = new.paths
    stored.workingDirectory = new.workingDirectory
    stored.label = new.label ?? ""
    stored.tags = new.tags
    stored.pages = pages
    stored.counts = counts
    stored.program = Self.program
    stored.original = new.original?.bytes ?? []
    stored.readingStart = new.readingStart
    stored.top = try new.top.map(TopEntry.bytes) ?? []
    try store.insert(stored)
    return stored
  }

  static let program = "todana"
}
