/// The paths of a tree that is put together in any order, each a name in a directory.
///
/// Memory: 24 bytes and the name for each path, 6 to 12 more to find it, and what arrays keep for growing.
struct PathIndex {
  /// A path, by its number; 0: the root.
  typealias Node = UInt32

  static let root: Node = 0

  private struct Item {
    var name: BlockArena.Place
    var nameByteCount: UInt8
    var parent: Node
    /// The next one of the same directory, in no order; 0: there are no more.
    var next: Node = 0
    var firstChild: Node = 0
  }

  private var items: [Item]
  private var names = BlockArena()
  /// Nodes by the hashes of directory and name, each at its hash or after it; 0: none.
  private var table = [Node](repeating: 0, count: 1 << 10)

  init() { items = [Item(name: names.append([]), nameByteCount: 0, parent: Self.root)] }

  /// With the root.
  var count: Int { items.count }

  func name(of node: Node) -> ArraySlice<UInt8> {
    let item = items[Int(node)]
    return names[item.name, Int(item.nameByteCount)]
  }

  func parent(of node: Node) -> Node { items[Int(node)].parent }

  func hasChildren(_ node: Node) -> Bool { items[Int(node)].firstChild != 0 }

  /// Returns the nodes in a directory, in the order of names by bytes.
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

  /// Puts a name of at most 255 bytes that is not there yet into a directory.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for more paths than there are numbers.
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

  /// Returns the slot of a node, or the free slot for a new one.
  ///
  /// The hash has a seed, so an attacker cannot choose names that share a slot.
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
