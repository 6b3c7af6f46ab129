/// The places that an earlier snapshot has paths at.
///
/// A directory may be at another place in the earlier snapshot: `add ann` in `/home` stores it at the top,
/// `add /home/ann` in a directory `home`.
struct ParentPlaces {
  /// The places of the earlier snapshot's paths, by their absolute forms.
  ///
  /// Empty if the new paths are the same in form, or if a snapshot does not say which directory its paths are relative to:
  /// places are the same then.
  private let places: [[UInt8]: [[UInt8]]]
  private let workingDirectory: [UInt8]

  /// - Parameters:
  ///   - parent: The earlier snapshot.
  ///   - new: The snapshot that is made.
  init(of parent: Snapshot, for new: NewSnapshot) {
    workingDirectory = new.workingDirectory
    let isSame = parent.paths == new.paths && parent.workingDirectory == new.workingDirectory
    guard !isSame, !new.workingDirectory.isEmpty, !parent.workingDirectory.isEmpty else {
      places = [:]
      return
    }
    places = Dictionary(
      parent.paths.map { path in
        (AbsolutePath.bytes(of: path, in: parent.workingDirectory), SourceRoots.place(of: path))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the names that lead from the top of the earlier snapshot to a new path; none for the top itself.
  ///
  /// A path that the earlier snapshot does not have, such as the mount point of another day's copy, is searched for at the
  /// place that it gets in the new one.
  ///
  /// - Complexity: O(*n*) in the length of the path and its number of steps.
  func place(of path: [UInt8]) -> [[UInt8]] {
    if places.isEmpty { return SourceRoots.place(of: path) }
    var directory = AbsolutePath.bytes(of: path, in: workingDirectory)[...]
    var names: [[UInt8]] = []
    while true {
      if let place = places[Array(directory)] { return place + names.reversed() }
      guard directory.count > 1, let slash = directory.lastIndex(of: UInt8(ascii: "/")) else {
        return SourceRoots.place(of: path)
      }
      names.append(Array(directory[(slash + 1)...]))
      directory = slash == directory.startIndex ? directory[...slash] : directory[..<slash]
    }
  }
}
