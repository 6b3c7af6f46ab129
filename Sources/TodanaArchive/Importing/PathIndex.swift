/// An index of the paths of a tree that is built in any order; each path is a name in a directory.
///
/// Memory: 24 bytes and the name for each path, 6 to 12 bytes of hash table, and the spare capacity of arrays.
struct PathIndex {
  /// The number of a path; 0 is the root.
  typealias Node = UInt32

  static let root: Node = 0

  private struct Item {
    var name: BlockArena.Place
    var nameByteCount: UInt8
    var parent: Node
    /// The next path in the same directory, in no order; 0 at the end.
    var next: Node = 0
    var firstChild: Node = 0
  }

  private var items: [Item]
  private var names = BlockArena()
  /// A hash table of nodes by directory and name with linear probing; 0 marks a free slot.
  private var table = [Node](repeating: 0, count: 1 << 10)

  init() { items = [Item(name: names.append([]), nameByteCount: 0, parent: Self.root)] }

  /// The number of paths, including the root.
  var count: Int { items.count }

  func name(of node: Node) -> ArraySlice<UInt8> {
    let item = items[Int(node)]
    return names[item.name, Int(item.nameByteCount)]
  }

  func parent(of node: Node) -> Node { items[Int(node)].parent }

  func hasChildren(_ node: Node) -> Bool { items[Int(node)].firstChild != 0 }

  /// Returns the paths in a directory, in the byte order of their names.
  func children(of node: Node) -> [Node] {
    var children: [Node] = []
    var next = items[Int(node)].firstChild
    while next != 0 {
      children.append(next)
      next = items[Int(next)].next
    }
    return children.sorted { name(of: $0).lexicographicallyPrecedes(name(of: $1)) }
  }

  func child(_ name: ArraySlice<UInt8>, of parent: Node) -> Node? {
    let node = table[slot(of: name, in: parent)]
    return node == 0 ? nil : node
  }

  /// Adds a name of at most 255 bytes to a directory that does not contain it yet.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` if there are too many paths for a 32-bit number.
  mutating func insert(_ name: ArraySlice<UInt8>, into parent: Node) throws(ArchiveError) -> Node {
    guard let node = Node(exactly: items.count) else { throw ArchiveError(.tar, "The tar has too many paths.") }
    items.append(
      Item(
        name: names.append(name), nameByteCount: UInt8(name.count), parent: parent, next: items[Int(parent)].firstChild)
    )
    items[Int(parent)].firstChild = node
    table[slot(of: name, in: parent)] = node
    if items.count * 3 > table.count * 2 { grow() }
    return node
  }

  private mutating func grow() {
    table = [Node](repeating: 0, count: table.count * 2)
    for index in items.indices.dropFirst() {
      let node = Node(index)
      table[slot(of: name(of: node), in: items[index].parent)] = node
    }
  }

  /// Returns the slot of a path, or the free slot for a new one.
  ///
  /// The hash is seeded randomly, so an attacker cannot choose names that collide.
  private func slot(of name: ArraySlice<UInt8>, in parent: Node) -> Int {
    var hasher = Hasher()
    hasher.combine(parent)
    unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    var slot = hasher.finalize() & (table.count - 1)
    while table[slot] != 0 {
      let item = items[Int(table[slot])]
      if item.parent == parent, names[item.name, Int(item.nameByteCount)] == name { break }
      slot = (slot + 1) & (table.count - 1)
    }
    return slot
  }
}
