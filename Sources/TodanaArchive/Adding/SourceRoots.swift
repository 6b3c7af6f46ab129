/// The places of given paths in a snapshot: without a leading "/", and without steps that lead out of the snapshot.
///
/// `src` is stored as `src`, `/etc/hosts` as `etc/hosts` below a directory `etc`, `../x/y` as `x/y`; of `/`, `.` and `..`
/// the content stands at the top. A path below another one is archived with that one.
struct SourceRoots {
  /// A directory on the way to what was given, or what was given.
  final class Node {
    let name: [UInt8]
    /// The path of the directory, or of what was given.
    var path: [UInt8]
    /// Whether the path itself was given, and so belongs into the snapshot entirely.
    var isWhole = false
    var children: [Node] = []

    init(name: [UInt8], path: [UInt8]) {
      self.name = name
      self.path = path
    }

    /// By name; there are few, or they come in order.
    func child(named name: [UInt8], path: [UInt8]) -> Node {
      if let last = children.last, last.name == name { return last }
      if let index = indices[name] { return children[index] }
      let node = Node(name: name, path: path)
      indices[name] = children.count
      children.append(node)
      return node
    }

    private var indices: [[UInt8]: Int] = [:]

    /// In the order of a walk.
    var sortedChildren: [Node] { children.sorted { $0.name.lexicographicallyPrecedes($1.name) } }
  }

  let top = Node(name: [], path: [])
  /// Whole directories whose content stands at the top.
  private(set) var openPaths: [[UInt8]] = []
  /// Paths below others: these are archived already, but must exist, and `--one-file-system` keeps their file systems.
  private(set) var innerPaths: [[UInt8]] = []

  /// - Throws: ``ArchiveError/Code/invalidArgument`` for an empty path, for two paths that would have one place, and for
  ///   the content of more than one directory at the top.
  init(_ paths: [[UInt8]]) throws(ArchiveError) {
    for path in paths {
      guard !path.isEmpty, !path.contains(0) else {
        throw ArchiveError(.invalidArgument, "A path to archive is empty, or has a NUL in it.")
      }
      try add(path)
    }
    guard openPaths.isEmpty || openPaths.count == 1 && top.children.isEmpty else {
      let names = openPaths.map { "“\(printable($0))”" }.joined(separator: ", ")
      throw ArchiveError(.invalidArgument, "The content of \(names) would stand at the top, beside other paths.")
    }
  }

  private mutating func add(_ path: [UInt8]) throws(ArchiveError) {
    let slash = Self.slash
    let steps = Self.steps(of: path)
    guard let last = steps.last else {
      if !openPaths.contains(path) { openPaths.append(path) }
      return
    }
    var node = top
    for step in steps {
      // All of it will be there, unless the way there is another one.
      if node.isWhole, path.starts(with: node.path) { return innerPaths.append(path) }
      if node.isWhole { throw Self.conflict(node, path) }
      node = node.child(named: step.name, path: Array(path[..<step.end]))
    }
    // A slash at the end follows a link to a directory.
    let whole = last.end == path.count ? path : Array(path[..<last.end]) + [slash]
    if node.isWhole, node.path != whole, node.path + [slash] != whole {
      throw Self.conflict(node, whole)
    }
    node.isWhole = true
    node.path = whole
    innerPaths += node.children.flatMap(Self.wholePaths)
    node.children = []
  }

  private static let slash = UInt8(ascii: "/")

  private static func wholePaths(_ node: Node) -> [[UInt8]] {
    node.isWhole ? [node.path] : node.children.flatMap(wholePaths)
  }

  /// The steps that a path has in a snapshot, each with where it ends in the path.
  private static func steps(of path: [UInt8]) -> [(name: [UInt8], end: Int)] {
    var steps: [(name: [UInt8], end: Int)] = []
    var position = 0
    while position < path.count {
      let end = path[position...].firstIndex(of: slash) ?? path.count
      let step = Array(path[position..<end])
      if step == Array("..".utf8) {
        steps.removeAll()
      } else if !step.isEmpty, step != Array(".".utf8) {
        steps.append((step, end))
      }
      position = end + 1
    }
    return steps
  }

  /// Returns the names that lead to a path in a snapshot; none for a directory whose content is at the top.
  static func place(of path: [UInt8]) -> [[UInt8]] { steps(of: path).map(\.name) }

  private static func conflict(_ node: Node, _ path: [UInt8]) -> ArchiveError {
    ArchiveError(
      .invalidArgument,
      "“\(printable(node.path))” and “\(printable(path))” would both be “\(printable(node.name))” in the snapshot.")
  }
}
