extension Archive {
  /// Calls back with each path that two snapshots do not have alike, in the order of names.
  ///
  /// What both have in the same pages is not read.
  ///
  /// - Parameters:
  ///   - old: One of this archive.
  ///   - new: Another one.
  ///   - paths: What is compared, with all that is below; none: everything.
  ///   - onFailure: Gets what cannot be read, while the rest is compared.
  ///   - progress: Called for each directory that is read; throws to end it all.
  ///   - body: Gets each difference; throws to end it all.
  /// - Throws: ``ArchiveError/Code/fileNotFound`` for a path that neither has; `StoreError`; what the closures throw.
  public func diff(
    _ old: Snapshot, _ new: Snapshot, paths: [[UInt8]] = [], onFailure: (String) -> Void,
    progress: () throws -> Void = {}, _ body: (FileDifference) throws -> Void
  ) throws {
    let selection = PathSelection(paths)
    for path in selection.paths where !path.isEmpty {
      guard try !has(path, old), try !has(path, new) else { continue }
      throw ArchiveError(.fileNotFound, "Neither snapshot has “\(printable(path))”.")
    }
    var comparison = SnapshotComparison(old.pages, new.pages, of: content, selection)
    try comparison.run(onFailure: onFailure, progress: progress, body)
  }

  private func has(_ path: [UInt8], _ snapshot: Snapshot) throws -> Bool {
    do {
      _ = try entry(path, of: snapshot)
      return true
    } catch let error as ArchiveError where error.code == .fileNotFound {
      return false
    }
  }
}
