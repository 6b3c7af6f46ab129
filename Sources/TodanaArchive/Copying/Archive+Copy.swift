internal import Todana

extension Archive {
  /// Copies a snapshot to another archive, which has a key and names of its own.
  ///
  /// Content that the other one has already is not stored again, if it was cut at the same places, as what was copied
  /// before is.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - target: The other archive, open for writing.
  ///   - progress: Called now and then; throws to end it all: what was stored then is not stored again by the next call.
  /// - Returns: The snapshot in the other archive.
  /// - Throws: ``ArchiveError/Code/damaged`` where something of the snapshot cannot be read: then the other archive has no
  ///   snapshot. `StoreError`; what `progress` throws.
  @discardableResult
  public func copy(_ snapshot: Snapshot, to target: Archive, progress: () throws -> Void = {}) throws -> Snapshot {
    try target.content.buildIndexes(progress)
    let copying = try SnapshotCopying(from: content, to: target)
    var walk = SnapshotWalk(snapshot.pages, of: content)
    do {
      while let step = try walk.next() {
        try progress()
        switch step {
        case .failure(let error, _): throw error
        case .end: try copying.tree.leave()
        case .entry(let entry):
          if entry.file.kind == .directory {
            copying.tree.enter(entry.file)
          } else {
            try copying.append(entry)
          }
        }
      }
      let stored = try target.insert(
        NewSnapshot(of: snapshot), pages: copying.tree.finish(), counts: snapshot.counts)
      try copying.save()
      return try Snapshot(stored)
    } catch {
      target.content.discardChanges()
      throw error
    }
  }
}
