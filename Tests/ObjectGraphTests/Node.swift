import Todana

/// An object with a property for each rule; all refer to objects of the same class.
final class Node: StoredObject {
  var value = 0
  var children: [Node] = []
  var friend: Node?
  var boss: Node?
  var lock: Node?
  var tags = LazyReferences<Node>()
  var origin: Node?
  @Inverse(\Node.children) var parents: [Node]

  override class var relationships: [Relationship] {
    [
      Relationship(\Node.children, onDelete: .cascade, onTargetDelete: .nullify), Relationship(\Node.friend),
      Relationship(\Node.boss, onTargetDelete: .cascade),
      Relationship(\Node.lock, onDelete: .deny, onTargetDelete: .deny), Relationship(\Node.tags),
      Relationship(\Node.origin, onTargetDelete: .keep),
    ]
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    value = try buffer.readInt()
    children = try buffer.readReferences()
    friend = try buffer.readReference()
    boss = try buffer.readReference()
    lock = try buffer.readReference()
    tags = try buffer.readLazyReferences()
    origin = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(value)
    buffer.writeReferences(children)
    buffer.writeReference(friend)
    buffer.writeReference(boss)
    buffer.writeReference(lock)
    buffer.writeReferences(tags)
    buffer.writeReference(origin)
  }
}

/// The content of a ``Node``, with row ids in place of references.
struct NodeContent: Equatable {
  var value = 0
  var children: [RowID] = []
  var friend: RowID?
  var boss: RowID?
  var lock: RowID?
  var tags: [RowID] = []
  var origin: RowID?

  /// The targets of the relationships, without those that may be gone.
  var targets: Set<RowID> { Set(children + tags + [friend, boss, lock].compactMap { $0 }) }

  /// Returns the content with those references only that lead to some nodes.
  func referring(to rows: some Collection<RowID>) -> NodeContent {
    let kept = { (row: RowID?) in row.flatMap { rows.contains($0) ? $0 : nil } }
    return NodeContent(
      value: value, children: children.compactMap(kept), friend: kept(friend), boss: kept(boss), lock: kept(lock),
      tags: tags.compactMap(kept), origin: kept(origin))
  }

  /// Replaces the rows of all references.
  mutating func replace(_ replacement: (RowID) -> RowID) {
    children = children.map(replacement)
    tags = tags.map(replacement)
    (friend, boss) = (friend.map(replacement), boss.map(replacement))
    (lock, origin) = (lock.map(replacement), origin.map(replacement))
  }

  /// Removes the references to nodes that are deleted, where the rule is to nullify.
  ///
  /// A list with one of them also loses the nodes that were deleted earlier, to which another store has added references.
  mutating func nullify(_ deleted: Set<RowID>, earlier: Set<RowID>) {
    let all = deleted.union(earlier)
    if children.contains(where: deleted.contains) { children.removeAll { all.contains($0) } }
    if tags.contains(where: deleted.contains) { tags.removeAll { all.contains($0) } }
    if let target = friend, deleted.contains(target) { friend = nil }
  }
}

extension Node {
  var content: NodeContent {
    let row = { (node: Node?) in node?.id?.rowID }
    return NodeContent(
      value: value, children: children.compactMap(row), friend: row(friend), boss: row(boss), lock: row(lock),
      tags: tags.compactMap(row), origin: row(origin))
  }

  /// Sets the content; `node` returns the node of a row.
  func set(_ content: NodeContent, _ node: (RowID) throws -> Node) throws {
    value = content.value
    children = try content.children.map(node)
    friend = try content.friend.map(node)
    boss = try content.boss.map(node)
    lock = try content.lock.map(node)
    tags = LazyReferences(try content.tags.map(node))
    origin = try content.origin.map(node)
  }
}
