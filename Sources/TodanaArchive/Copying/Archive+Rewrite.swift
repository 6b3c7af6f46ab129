internal import Todana

extension Archive {
  /// What became of rewriting a snapshot.
  public struct Rewritten: Sendable {
    /// What takes the old one's place; nil where nothing was left out.
    public let snapshot: Snapshot?
    /// Files and directories that were left out.
    public let excludedCount: Int
  }

  /// Leaves files out of a snapshot afterwards, such as one that was never to be archived.
  ///
  /// The snapshot gets another id, and keeps time, host, paths and tags. The bytes of what was left out are removed by
  /// ``compact(progress:)``, if no other snapshot has them.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - rules: What is left out.
  ///   - progress: Called now and then; throws to end it all.
  /// - Returns: The new snapshot. Both are there, or the new one, never none.
  /// - Throws: ``ArchiveError/Code/damaged`` where a directory cannot be read: nothing has changed then. `StoreError`; what
  ///   `progress` throws.
  public func rewrite(
    _ snapshot: Snapshot, leavingOut rules: ChoosingOptions, progress: () throws -> Void = {}
  ) throws -> Rewritten {
    try stores.buildIndexes(progress)
    let writer = try TreeWriter(stores, key, compression)
    var chooser = FileChooser(rules, device: 0)
    var walk = SnapshotWalk(snapshot.pages, of: stores)
    var counts = SnapshotCounts()
    var excludedCount = 0
    do {
      while let step = try walk.next() {
        try progress()
        switch step {
        case .failure(let error, _): throw error
        case .end:
          chooser.leave()
          try writer.leave()
        case .entry(let entry):
          let file = entry.file
          let isDirectory = file.kind == .directory
          let size = file.kind == .regular ? Int(file.byteCount) : nil
          guard chooser.decision(name: file.name, isDirectory: isDirectory, size: size, device: 0) == .include else {
            excludedCount += 1
            walk.skip()
            continue
          }
          if isDirectory {
            counts.directories += 1
            chooser.enter(file.name)
            writer.enter(file)
          } else {
            counts.add(file)
            try writer.append(entry)
          }
          if stores.isSaveDue { try stores.save() }
        }
      }
      if excludedCount == 0 {
        stores.discardChanges()
        return Rewritten(snapshot: nil, excludedCount: 0)
      }
      counts.failures = snapshot.counts.failures
      let stored = try insert(
        pages: writer.finish(), time: snapshot.time, host: snapshot.host, paths: snapshot.paths, tags: snapshot.tags,
        counts: counts, original: snapshot.original ?? snapshot.id)
      try store.delete(self.stored(snapshot))
      try stores.save()
      return Rewritten(snapshot: try Snapshot(stored), excludedCount: excludedCount)
    } catch {
      stores.discardChanges()
      throw error
    }
  }
}
