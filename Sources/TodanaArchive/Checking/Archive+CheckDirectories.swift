extension Archive {
  /// Returns the given snapshots of which a directory cannot be read.
  ///
  /// Reads no content of files. If all directories are sound, each is read only once, whichever snapshots share it.
  ///
  /// - Parameters:
  ///   - snapshots: Snapshots of this archive.
  ///   - progress: Called repeatedly; throws to cancel.
  /// - Returns: The damaged snapshots, in the given order.
  /// - Throws: `StoreError` if the archive cannot be read at all; errors of `progress`.
  public func snapshotsWithDamagedDirectories(
    among snapshots: [Snapshot], progress: () throws -> Void = {}
  ) throws -> [Snapshot] {
    do {
      _ = try LiveRows(snapshots, of: content, progress)
      return []
    } catch let error as ArchiveError where error.code == .damaged {
      return try snapshots.filter { try hasDamagedDirectory($0, progress) }
    }
  }

  private func hasDamagedDirectory(_ snapshot: Snapshot, _ progress: () throws -> Void) throws -> Bool {
    var walk = SnapshotWalk(snapshot.pages, of: content)
    while let step = try walk.next() {
      try progress()
      if case .failure = step { return true }
    }
    return false
  }
}
