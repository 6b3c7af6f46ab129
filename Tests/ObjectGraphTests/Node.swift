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
  var circle: Set<Node> = []
  var others: [StoredObject] = []
  @Inverse(\Node.children) var parents: [Node]

  override class var relationships: [Relationship] {
    [
      Relationship(\Node.children, onDelete: .cascade, onTargetDelete: .nullify), Relationship(\Node.friend),
      Relationship(\Node.boss, onTargetDelete: .cascade),
      Relationship(\Node.lock, onDelete: .deny, onTargetDelete: .deny), Relationship(\Node.tags),
      Relationship(\Node.origin, onTargetDelete: .keep), Relationship(\Node.circle), Relationship(\Node.others),
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
    circle = Set(try buffer.readReferences(Node.self))
    others = try buffer.readAnyReferences()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(value)
    buffer.writeReferences(children)
    buffer.writeReference(friend)
    buffer.writeReference(boss)
    buffer.writeReference(lock)
    buffer.writeReferences(tags)
    buffer.writeReference(origin)
    // The model takes records with the same content for the same record, so that the order must not vary.
    buffer.writeReferences(circle.sorted { ($0.id?.rowID ?? 0) < ($1.id?.rowID ?? 0) })
    buffer.writeAnyReferences(others)
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
  var circle: Set<RowID> = []
  var others: [RowID] = []
  /// Tells records of an encrypted store with equal contents apart.
  var recordNumber = 0

  /// The targets of the relationships, without those that may be gone.
  var targets: Set<RowID> { circle.union(children + tags + others + [friend, boss, lock].compactMap { $0 }) }

  /// Returns the content alone, with those references only that lead to some nodes.
  func referring(to rows: some Collection<RowID>) -> NodeContent {
    let kept = { (row: RowID?) in row.flatMap { rows.contains($0) ? $0 : nil } }
    return NodeContent(
      value: value, children: children.compactMap(kept), friend: kept(friend), boss: kept(boss), lock: kept(lock),
      tags: tags.compactMap(kept), origin: kept(origin),
      circle: circle.intersection(rows), others: others.compactMap(kept))
  }

  /// Replaces the rows of all references.
  mutating func replace(_ replacement: (RowID) -> RowID) {
    children = children.map(replacement)
    tags = tags.map(replacement)
    circle = Set(circle.map(replacement))
    others = others.map(replacement)
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
    if !circle.isDisjoint(with: deleted) { circle.subtract(all) }
    if others.contains(where: deleted.contains) { others.removeAll { all.contains($0) } }
    if let target = friend, deleted.contains(target) { friend = nil }
  }
}

extension Node {
  var content: NodeContent {
    let row = { (node: StoredObject?) in node?.anyID?.rowID }
    return NodeContent(
      value: value, children: children.compactMap(row), friend: row(friend), boss: row(boss), lock: row(lock),
      tags: tags.compactMap(row), origin: row(origin), circle: Set(circle.compactMap(row)),
      others: others.compactMap(row))
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
    circle = Set(try content.circle.map(node))
    others = try content.others.map(node)
  }
}
