/// The parts of a snapshot that a user has requested by their paths.
struct PathSelection {
  enum Relation {
    /// The path, or a directory above it, was requested.
    case selected
    /// A path below it was requested.
    case above
    case outside
  }

  /// The requested paths in their stored form.
  ///
  /// An empty path is the top. If there are no paths, everything is selected.
  let paths: [[UInt8]]
  private(set) var unseen: Set<[UInt8]>

  init(_ paths: [[UInt8]]) {
    self.paths = paths.map(Self.stored)
    unseen = Set(self.paths.filter { !$0.isEmpty })
  }

  mutating func relation(of path: [UInt8]) -> Relation {
    if paths.isEmpty { return .selected }
    unseen.remove(path)
    var relation = Relation.outside
    for wanted in paths {
      if wanted.isEmpty || Self.isAtOrBelow(path, wanted) { return .selected }
      if Self.isAtOrBelow(wanted, path) { relation = .above }
    }
    return relation
  }

  /// Stops expecting paths below a directory that was not walked (unreadable, failed or excluded): the snapshot may
  /// have them.
  mutating func dismiss(below directory: [UInt8]) {
    guard !unseen.isEmpty else { return }
    unseen = unseen.filter { !directory.isEmpty && !Self.isAtOrBelow($0, directory) }
  }

  /// Tests whether a path itself was requested; without paths, the top was.
  func isAskedFor(_ path: [UInt8]) -> Bool { paths.isEmpty ? path.isEmpty : paths.contains(path) }

  /// Tests whether a path below this one was requested.
  func leadsFurther(_ path: [UInt8]) -> Bool {
    paths.contains { $0.count > path.count && Self.isAtOrBelow($0, path) }
  }

  /// Removes slashes at the ends, "." components, and everything up to the last ".."; see ``SourceRoots``.
  private static func stored(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    var steps = path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }
    if let out = steps.lastIndex(of: Array("..".utf8)[...]) { steps.removeSubrange(...out) }
    return Array(steps.joined(separator: [slash]))
  }

  private static func isAtOrBelow(_ path: [UInt8], _ top: [UInt8]) -> Bool {
    path.starts(with: top) && (path.count == top.count || path[top.count] == UInt8(ascii: "/"))
  }
}
