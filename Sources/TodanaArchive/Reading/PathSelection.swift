/// The parts of a snapshot that a person asked for by their paths.
struct PathSelection {
  enum Relation {
    /// It, or something above it, was asked for.
    case selected
    /// Something below it was.
    case above
    case outside
  }

  /// As `add` would store them.
  ///
  /// An empty one is the top; none are everything.
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

  /// Stops expecting paths below a directory that cannot be read or restored, or is excluded: the snapshot may have them.
  mutating func dismiss(below directory: [UInt8]) {
    guard !unseen.isEmpty else { return }
    unseen = unseen.filter { !directory.isEmpty && !Self.isAtOrBelow($0, directory) }
  }

  /// Whether it was asked for itself; without paths, the top was.
  func isAskedFor(_ path: [UInt8]) -> Bool { paths.isEmpty ? path.isEmpty : paths.contains(path) }

  /// Whether something below it was asked for.
  func leadsFurther(_ path: [UInt8]) -> Bool {
    paths.contains { $0.count > path.count && Self.isAtOrBelow($0, path) }
  }

  /// Without "/" at the ends, and without steps that go nowhere, or lead out: see ``SourceRoots``.
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
