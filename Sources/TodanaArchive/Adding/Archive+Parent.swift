#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Archive {
  /// Finds the snapshot that tells which files of a new one need not be read again.
  ///
  /// That is the newest of the same host and label, with the same paths if there is one, or of the same host and set of
  /// paths. One of the future is taken only
  /// if there is no other: it may have been made long ago, with a wrong clock.
  func parent(of new: NewSnapshot) throws -> Snapshot? {
    let snapshots = try snapshots().filter { $0.host == new.host }
    let now = Date()
    let ordered = snapshots.filter { $0.time > now } + snapshots.filter { $0.time <= now }
    let isSame = comparison(with: new)
    if let label = new.label {
      let series = ordered.filter { $0.label == label }
      if let found = series.last(where: isSame) ?? series.last { return found }
    }
    return ordered.last(where: isSame)
  }

  /// Tells whether a snapshot is of the same paths as another.
  private func comparison(with new: NewSnapshot) -> (Snapshot) -> Bool {
    let directory = new.workingDirectory
    lazy var wanted = AbsolutePath.set(of: new.paths, in: directory)
    return { snapshot in
      // Most often they were given in the same way, and need not be compared one by one.
      if snapshot.paths == new.paths, snapshot.workingDirectory == directory { return true }
      guard !directory.isEmpty, snapshot.paths.count >= wanted.count else { return false }
      if !snapshot.workingDirectory.isEmpty { return snapshot.absolutePaths == wanted }
      // A snapshot without its directory: of an older version of the format.
      return AbsolutePath.set(of: snapshot.paths, in: directory) == wanted
    }
  }
}
