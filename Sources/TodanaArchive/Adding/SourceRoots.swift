/// The places of given paths in a snapshot: without a leading "/", and without components that lead out of the
/// snapshot.
///
/// `src` is stored as `src`, `/etc/hosts` as `etc/hosts` below a directory `etc`, `../x/y` as `x/y`. For `/`, `.` and
/// `..`, the content of the directory is stored at the top. A path below another one is archived with that one.
struct SourceRoots {
  /// A given path, or a directory that leads to given paths.
  final class Node {
    let name: [UInt8]
    /// The path of the file or directory in the file system.
    var path: [UInt8]
    /// Whether the path itself was given, so that all of it belongs to the snapshot.
    var isWhole = false
    var children: [Node] = []

    init(name: [UInt8], path: [UInt8]) {
      self.name = name
      self.path = path
    }

    /// Returns the child with a name, and adds it if it is missing.
    func child(named name: [UInt8], path: [UInt8]) -> Node {
      if let last = children.last, last.name == name { return last }
      if let index = indices[name] { return children[index] }
      let node = Node(name: name, path: path)
      indices[name] = children.count
      children.append(node)
      return node
    }

    private var indices: [[UInt8]: Int] = [:]

    /// The children in the order of a walk.
    var sortedChildren: [Node] { children.sorted { $0.name.lexicographicallyPrecedes($1.name) } }
  }

  let top = Node(name: [], path: [])
  /// The given directories whose content is stored at the top.
  private(set) var openPaths: [[UInt8]] = []
  /// The given paths that are below other given paths.
  ///
  /// They are archived with the paths above them. Nevertheless they must exist, and `--one-file-system` includes their
  /// file systems.
  private(set) var innerPaths: [[UInt8]] = []

  /// Computes the places of paths.
  ///
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for an empty path, a path with a NUL, and two paths with the same
  ///   place. The error is also thrown if the content of a directory would be at the top together with other paths.
  init(_ paths: [[UInt8]]) throws(ArchiveError) {
    for path in paths {
      guard !path.isEmpty, !path.contains(0) else {
        throw ArchiveError(.invalidArgument, "A path to archive is empty, or contains a NUL.")
      }
      try add(path)
    }
    guard openPaths.isEmpty || openPaths.count == 1 && top.children.isEmpty else {
      let names = openPaths.map { "“\(printable($0))”" }.joined(separator: ", ")
      throw ArchiveError(.invalidArgument, "The content of \(names) cannot be archived together with other paths.")
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
      // The path is contained in a given directory. Otherwise, two given paths lead to the same place in the snapshot.
      if node.isWhole, path.starts(with: node.path) { return innerPaths.append(path) }
      if node.isWhole { throw Self.conflict(node, path) }
      node = node.child(named: step.name, path: Array(path[..<step.end]))
    }
    // The trailing slash follows a symbolic link to a directory.
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

  /// Returns the components that a path has in a snapshot, each with the offset of its end in the path.
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
      "“\(printable(node.path))” and “\(printable(path))” would both be “\(printable(node.name))” in the snapshot: "
        + "archive them separately.")
  }
}
