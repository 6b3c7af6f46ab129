/// The parts of a snapshot that a person asked for by their paths.
struct PathSelection {
  enum Relation {
    /// It, or something above it, was asked for.
    case selected
    /// Something below it was.
    case above
    case outside
  }

  /// As they were asked for, without "/" at the ends; empty: everything.
  let paths: [[UInt8]]
  private(set) var unseen: Set<[UInt8]>

  init(_ paths: [[UInt8]]) {
    self.paths = paths.map { path in
      let slash = UInt8(ascii: "/")
      // As `add` stores them.
      return Array(path.split(separator: slash).filter { $0 != [UInt8(ascii: ".")] }.joined(separator: [slash]))
    }
    unseen = Set(self.paths.filter { !$0.isEmpty })
  }

  mutating func relation(of path: [UInt8]) -> Relation {
    if paths.isEmpty { return .selected }
    var relation = Relation.outside
    for wanted in paths {
      if wanted.isEmpty || Self.isAtOrBelow(path, wanted) {
        if path == wanted { unseen.remove(wanted) }
        return .selected
      }
      if Self.isAtOrBelow(wanted, path) { relation = .above }
    }
    return relation
  }

  private static func isAtOrBelow(_ path: [UInt8], _ top: [UInt8]) -> Bool {
    path.starts(with: top) && (path.count == top.count || path[top.count] == UInt8(ascii: "/"))
  }
}
