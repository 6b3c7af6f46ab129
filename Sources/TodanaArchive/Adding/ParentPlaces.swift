/// The places that an earlier snapshot has paths at.
///
/// The same directory may be at another place there: `ann` added in `/home` is at the top, `/home/ann` in a directory.
struct ParentPlaces {
  private struct Root {
    let absolutePath: [ArraySlice<UInt8>]
    let place: [[UInt8]]
  }

  /// Empty if either snapshot does not say which directory its paths are relative to.
  private let roots: [Root]
  private let workingDirectory: [UInt8]

  /// - Parameters:
  ///   - parent: The earlier snapshot.
  ///   - workingDirectory: The directory that the new paths are relative to; empty if it cannot be told.
  init(of parent: Snapshot, workingDirectory: [UInt8]) {
    self.workingDirectory = workingDirectory
    guard !workingDirectory.isEmpty, !parent.workingDirectory.isEmpty else {
      roots = []
      return
    }
    roots = parent.paths.map { path in
      Root(
        absolutePath: Self.steps(AbsolutePath.bytes(of: path, in: parent.workingDirectory)),
        place: SourceRoots.place(of: path))
    }
  }

  /// Returns the names that lead from the top of the earlier snapshot to a new path; none for the top itself.
  ///
  /// A path that the earlier snapshot does not have, such as the mount point of another day's copy, is looked for at the
  /// place that it gets in the new one.
  func place(of path: [UInt8]) -> [[UInt8]] {
    let steps = Self.steps(AbsolutePath.bytes(of: path, in: workingDirectory))
    let root = roots.filter { steps.starts(with: $0.absolutePath) }.max {
      $0.absolutePath.count < $1.absolutePath.count
    }
    guard let root else { return SourceRoots.place(of: path) }
    return root.place + steps.dropFirst(root.absolutePath.count).map { Array($0) }
  }

  private static func steps(_ absolutePath: [UInt8]) -> [ArraySlice<UInt8>] {
    absolutePath.split(separator: UInt8(ascii: "/"))
  }
}
