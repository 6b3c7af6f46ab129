import TestSupport
import Todana

/// A random sequence of changes in two stores, each of which is compared with a model after every step.
final class GraphSequence {
  enum Operation: CaseIterable {
    case insert, update, delete, deleteByID, deleteWhere, copy, buffer, savepoint, group, save, saveOther, undo, redo,
      discard
  }

  /// The delegate of one of the stores, which sees its deletes and may refuse them.
  private final class Delegate: StoreDelegate {
    struct Refusal: Error {}

    var deleted: [RowID] = []
    var refused: RowID?

    func store(_ store: Store, willDelete object: StoredObject) throws {
      if object.rowID == refused { throw Refusal() }
      deleted.append(object.rowID)
    }
  }

  struct Difference: Error, CustomStringConvertible { let description: String }

  private var generator: SeededGenerator
  private let directory: TemporaryDirectory
  private let backend: any StoreBackend
  private let stores: [Store]
  private let delegate = Delegate()
  private let classID: KeyspaceID
  private var models: [GraphModel]
  /// The nodes that are kept alive, as a program might.
  private var held: [StoredObject] = []
  private(set) var counts: [Operation: Int] = [:]
  private(set) var log = ""

  init(seed: UInt64, over kind: EveryBackend) throws {
    generator = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory(isInMemory: true)
    let backend = try kind.open(in: directory)
    self.backend = backend
    stores = try (0..<2).map { _ in
      try Store(
        backend: backend, classes: [Node.self],
        configuration: StoreConfiguration(detectsUnannouncedChanges: false, checksDeclarations: false))
    }
    classID = try stores[0].insert(Node()).classID
    stores[0].discardChanges()
    for store in stores { store.undoStack = UndoStack() }
    stores[1].delegate = delegate
    models = (0..<2).map { _ in GraphModel(saved: SavedGraph(isEncrypted: kind.isEncrypted)) }
  }

  /// Makes one random change, and compares the stores with the models.
  func step() throws {
    let side = Int.random(in: 0..<2, using: &generator)
    let operation = randomOperation()
    // The content that would be restored, and the conflict it would meet, are not known.
    if operation == .undo, models[side].isVague(models[side].nextUndoLevel) { return try step() }
    if operation == .redo, models[side].isVague(models[side].redoLevels.last) { return try step() }
    counts[operation, default: 0] += 1
    note("\(side) \(operation)")
    switch operation {
    case .insert, .update, .delete, .deleteByID, .deleteWhere, .copy, .buffer: try change(operation, side)
    case .savepoint: try failingSavepoint(side)
    case .group: try group(side)
    case .save: try save(side)
    case .saveOther: try save(1 - side)
    case .undo:
      try stores[side].undo()
      try stores[side].refresh()
      models[side].undo()
    case .redo:
      try stores[side].redo()
      try stores[side].refresh()
      models[side].redo()
    case .discard:
      stores[side].discardChanges()
      models[side].discard()
    }
    try compare(side)
    if Int.random(in: 0..<4, using: &generator) == 0 { held = [] }
  }

  /// Saves the pending changes, and checks the records.
  func finish() throws {
    for side in 0..<2 { try save(side) }
    for side in 0..<2 { try compare(side) }
    let third = try Store(backend: backend, classes: [Node.self])
    for node in try third.fetch(Node.self) {
      let single = [node.friend, node.boss, node.lock, node.origin].compactMap { $0 }
      for target in node.children + single + node.tags + node.circle { try target.loadContent() }
      for target in node.others { try target.loadContent() }
    }
    let report = try third.verify()
    if !report.isSound { throw Difference(description: "\(report)") }
    try third.close()
    for store in stores { try store.close() }
    try backend.close()
  }

  private func note(_ text: String) { log += text + "\n" }

  private func randomOperation() -> Operation {
    let weights: [(Operation, Int)] = [
      (.insert, 12), (.update, 13), (.delete, 7), (.deleteByID, 7), (.deleteWhere, 7), (.copy, 7), (.buffer, 7),
      (.savepoint, 7), (.group, 7), (.save, 8), (.saveOther, 7), (.undo, 8), (.redo, 7), (.discard, 7),
    ]
    var number = Int.random(in: 0..<weights.reduce(0) { $0 + $1.1 }, using: &generator)
    for (operation, weight) in weights {
      if number < weight { return operation }
      number -= weight
    }
    return .update
  }

  // MARK: Changes

  private func id(_ row: RowID) -> ObjectID<Node> { ObjectID(unchecked: AnyObjectID(classID: classID, rowID: row)) }

  private func node(_ row: RowID, _ side: Int) throws -> Node {
    let node = try stores[side].fault(id(row))
    held.append(node)
    return node
  }

  private func change(_ operation: Operation, _ side: Int) throws {
    if operation == .buffer { return try changeBuffer(side) }
    let store = stores[side]
    let rows = models[side].view.keys.sorted()
    guard operation != .insert, let row = rows.randomElement(using: &generator) else {
      var content = NodeContent()
      for _ in 0..<Int.random(in: 0..<3, using: &generator) { mutate(&content, rows) }
      let new = Node()
      try new.set(content) { try node($0, side) }
      let id = try store.insert(new)
      held.append(new)
      note("  insert \(id.rowID): \(content)")
      return models[side].insert(id.rowID, content)
    }
    switch operation {
    case .update:
      var content = models[side].view[row] ?? NodeContent()
      mutate(&content, rows)
      note("  update \(row): \(content)")
      try store.update(node(row, side)) { try $0.set(content) { try node($0, side) } }
      models[side].update(row, content)
    case .delete:
      note("  delete \(row)")
      try delete([row], side) { try store.delete(node(row, side)) }
    case .deleteWhere:
      // Values are far apart, so that a query finds none, one or all nodes with the highest ones.
      let limit = models[side].view[row]?.value ?? 0
      let found = models[side].view.filter { $0.value.value >= limit }.keys
      note("  delete where value ≥ \(limit): \(found.sorted())")
      try delete(Set(found), side) { _ = try store.delete(Node.where { $0.value >= limit }) }
    case .copy: try copy(row, side)
    case .deleteByID where models[side].fetched.count == rows.count && Int.random(in: 0..<8, using: &generator) == 0:
      note("  delete all")
      try delete(Set(rows), side) { _ = try store.removeAll(Node.self) }
    default:
      let deleted = Set([row] + rows.shuffled(using: &generator).prefix(Int.random(in: 0..<3, using: &generator)))
      note("  delete ids \(deleted.sorted())")
      let ids = deleted.sorted().map { id($0) }
      try delete(deleted, side) { _ = try store.delete(ids) }
    }
  }

  private func changeBuffer(_ side: Int) throws {
    let content = Int.random(in: 0..<3, using: &generator) == 0 ? nil : Int.random(in: 0..<100, using: &generator)
    note("  buffer \(content.map(String.init) ?? "removed")")
    if let content {
      try stores[side].writeNamedBuffer("State \(side)") { $0.writeInt(content) }
    } else {
      try stores[side].removeNamedBuffer("State \(side)")
    }
    models[side].setBuffer(content)
  }

  /// Copies a node, with its children and theirs, unless one of them refers to a node that is being deleted.
  private func copy(_ row: RowID, _ side: Int) throws {
    let view = models[side].view
    var originals = [row]
    var next = 0
    while next < originals.count {
      for child in view[originals[next]]?.children ?? [] where !originals.contains(child) { originals.append(child) }
      next += 1
    }
    if originals.contains(where: { view[$0]?.targets.isSubset(of: view.keys) != true }) { return }
    let copy = try stores[side].copy(node(row, side), including: [\Node.children])
    held.append(copy)
    var copies: [RowID: Node] = [row: copy]
    for row in originals {
      for (child, copy) in zip(view[row]?.children ?? [], copies[row]?.children ?? []) { copies[child] = copy }
    }
    let copiedRow = { (row: RowID) in copies[row]?.rowID ?? row }
    note("  copy \(originals) to \(originals.map(copiedRow))")
    for row in originals {
      guard var content = view[row] else { continue }
      content.replace(copiedRow)
      models[side].insert(copiedRow(row), content)
    }
  }

  private func delete(_ rows: Set<RowID>, _ side: Int, _ body: () throws -> Void) throws {
    let closure = models[side].closure(of: rows)
    delegate.deleted = []
    if side == 1, Int.random(in: 0..<5, using: &generator) == 0 {
      delegate.refused = closure?.sorted().randomElement(using: &generator)
    }
    let refused = delegate.refused
    defer { delegate.refused = nil }
    do {
      try body()
      guard let closure, refused == nil else {
        throw Difference(description: "A rule or a hook was to forbid the delete of \(rows).")
      }
      // The hooks are called once for each object that a rule deletes, too.
      guard side == 0 || delegate.deleted.sorted() == closure.sorted() else {
        throw Difference(description: "The hooks saw deletes of \(delegate.deleted), not of \(closure.sorted()).")
      }
      models[side].delete(closure)
    } catch is Delegate.Refusal where refused != nil {
      note("  refused")
    } catch let error as StoreError where error.code == .vetoed && refused != nil {
      note("  refused")
    } catch let error as StoreError where error.code == .deleteDenied {
      guard closure == nil else { throw Difference(description: "No rule was to forbid the delete: \(error)") }
      note("  denied")
    }
  }

  private func mutate(_ content: inout NodeContent, _ rows: [RowID]) {
    let target = Int.random(in: 0..<4, using: &generator) == 0 ? nil : rows.randomElement(using: &generator)
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: content.friend = target
    case 1: content.boss = target
    case 2: content.lock = target
    case 3: if let target { content.children.append(target) } else { content.children = [] }
    case 4: content.origin = target
    case 5: if let target { content.tags.insert(target, at: 0) } else { content.tags = [] }
    case 6: if let target { content.circle.insert(target) } else { content.circle = [] }
    case 7: if let target { content.others.append(target) } else { content.others = [] }
    default: content.value = Int.random(in: .min ... .max, using: &generator)
    }
  }

  private func randomChanges(_ side: Int) throws {
    for _ in 0..<Int.random(in: 1..<4, using: &generator) {
      let operations: [Operation] = [.insert, .update, .update, .delete, .deleteByID, .deleteWhere, .copy, .buffer]
      try change(operations.randomElement(using: &generator) ?? .update, side)
    }
  }

  private func failingSavepoint(_ side: Int) throws {
    var former = models[side]
    do {
      try stores[side].savepoint {
        try randomChanges(side)
        throw CancellationError()
      }
    } catch is CancellationError {
      // A change drops the levels for redo, also if it is taken back.
      if models[side].redoLevels.isEmpty { former.redoLevels = [] }
      former.savedLevels = models[side].savedLevels
      former.known = models[side].known
      models[side] = former
    }
  }

  private func group(_ side: Int) throws {
    models[side].closeLevel()
    models[side].isInGroup = true
    try stores[side].undoGroup("Group") {
      try randomChanges(side)
      if Int.random(in: 0..<4, using: &generator) == 0 { try save(side) }
    }
    models[side].isInGroup = false
    models[side].closeLevel()
  }

  // MARK: Saves

  private func save(_ side: Int) throws {
    let (isConflict, isVague) = (models[side].isConflict, models[side].hasVagueChanges)
    note("  save \(side)\(isConflict ? ", a conflict" : "")")
    do {
      try stores[side].saveChanges()
    } catch {
      // An object that this store deletes may have got a reference by the other store, and the object with it a change.
      let code = ((error as? StoreError)?.underlying as? DataBufferError)?.code
      guard isConflict || isVague,
        error is SaveConflict || code == .referencePendingDeletion || code == .referenceNotInserted
      else {
        throw Difference(description: "No conflict was expected: \(error)")
      }
      stores[side].discardChanges()
      models[side].discard()
      try compare(side)
      return
    }
    if isConflict, !isVague { throw Difference(description: "A conflict was expected.") }
    models[side].save()
    try stores[1 - side].refresh()
    models[1 - side].refresh(from: models[side].saved)
  }

  private func compare(_ side: Int) throws {
    let (store, view) = (stores[side], models[side].view)
    let nodes = try store.fetch(Node.self)
    let fetched = models[side].fetched.keys.sorted()
    guard nodes.map(\.rowID).sorted() == fetched, try store.count(Node.self) == fetched.count else {
      throw Difference(
        description: "The rows of store \(side) are \(nodes.map(\.rowID).sorted()), not \(fetched), and their count "
          + "is \(try store.count(Node.self)).")
    }
    for node in nodes {
      // A node that is undone may refer to one whose delete is not.
      let content = node.content.referring(to: view.keys)
      var expected = view[node.rowID]?.referring(to: view.keys)
      if content.origin == nil, let origin = expected?.origin, models[side].everDeleted.contains(origin) {
        expected?.origin = nil
      }
      guard content == expected else {
        throw Difference(
          description: "Node \(node.rowID) of store \(side) is \(node.content), not \(view[node.rowID] as Any).")
      }
    }
    let buffer = try store.readNamedBuffer("State \(side)") { try $0.readInt() }
    guard buffer == models[side].buffer else {
      throw Difference(
        description: "The buffer of store \(side) is \(buffer as Any), not \(models[side].buffer as Any).")
    }
    guard let row = view.keys.sorted().randomElement(using: &generator) else { return }
    let parents = view.filter { $0.value.children.contains(row) }.keys.sorted()
    let found = try self.node(row, side).parents.map(\.rowID)
    guard found == parents else {
      throw Difference(description: "The parents of node \(row) of store \(side) are \(found), not \(parents).")
    }
    // A pending update of a node that another store has deleted is found by a query, but not by its id.
    let withParents = view.keys.filter { row in view.values.contains { $0.children.contains(row) } }.sorted()
    let byCondition = try store.ids(Node.where { $0.parents.count > 0 }).map(\.rowID).sorted()
    guard byCondition == withParents else {
      throw Difference(
        description: "The nodes of store \(side) with parents are \(byCondition), not \(withParents).")
    }
    guard store.undoStack?.canUndo == (!models[side].undoLevels.isEmpty || !models[side].open.isEmpty),
      store.undoStack?.canRedo == !models[side].redoLevels.isEmpty
    else { throw Difference(description: "There are other levels to undo or to redo.") }
  }
}

extension StoredObject {
  /// The row; 0 for an object in no store.
  fileprivate var rowID: RowID { anyID?.rowID ?? 0 }
}
