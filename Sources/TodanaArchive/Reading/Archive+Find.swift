/// Something that was looked for, in one of the snapshots that have it.
public struct FoundFile: Sendable {
  public let snapshot: Snapshot
  /// From the top of the snapshot.
  public let path: [UInt8]
  public let file: FileEntry
}

extension Archive {
  /// Calls back with what matches, snapshot for snapshot, in the order of names.
  ///
  /// Directories that several snapshots have in common are read once, as far as a bounded memory goes.
  ///
  /// - Parameters:
  ///   - queries: What is looked for; what matches several is found once.
  ///   - snapshots: Where, in this order; nil: in all, the oldest first.
  ///   - onFailure: Gets what cannot be read, while the rest is looked through.
  ///   - progress: Called for each directory that is read; throws to end it all.
  ///   - body: Gets each file; throws to end it all.
  /// - Throws: `StoreError`; what the closures throw.
  public func find(
    _ queries: [PathQuery], in snapshots: [Snapshot]? = nil, onFailure: (String) -> Void,
    progress: () throws -> Void = {}, _ body: (FoundFile) throws -> Void
  ) throws {
    let search = SnapshotSearch(queries, in: content)
    for snapshot in try snapshots ?? self.snapshots() {
      try search.run(snapshot, onFailure: onFailure, progress: progress, body)
    }
  }
}
