import Todana

/// The saved nodes as a plain dictionary.
///
/// A content stands for the token of its record, which depends on the content alone unless the store is encrypted.
struct SavedGraph {
  var nodes: [RowID: NodeContent] = [:]
  /// Whether the records of equal contents differ.
  let isEncrypted: Bool
  private var recordCount = 0

  init(isEncrypted: Bool) { self.isEncrypted = isEncrypted }

  /// Saves a node; nil removes it.
  mutating func save(_ row: RowID, _ content: NodeContent?) {
    var content = content
    if isEncrypted {
      recordCount += 1
      content?.recordNumber = recordCount
    }
    nodes[row] = content
  }
}

/// The state that one store shows and saves, in plain dictionaries: rules, conflicts and undo by the simplest means.
struct GraphModel {
  /// A pending change of one node.
  struct Change: Equatable {
    /// The content after the save; nil for a delete.
    var content: NodeContent?
    /// The saved content that the save expects; nil if there must be none.
    var base: NodeContent?
  }

  /// The state of a node before a level of changes.
  struct Noted {
    let row: RowID
    let view: NodeContent?
    let change: Change?
    let version: NodeContent?
    let foreignCount: Int
    let saveCount: Int
    /// Whether another store had deleted the node, so that there was no content to restore.
    let wasGone: Bool
  }

  /// A pending change of the named buffer.
  enum BufferChange: Equatable {
    case put(Int)
    case remove
  }

  /// The state of the named buffer before a level of changes.
  struct NotedBuffer {
    let content: Int?
    let change: BufferChange?
    let saveCount: Int
  }

  struct Level {
    var noted: [Noted] = []
    var buffer: NotedBuffer?
    var isEmpty: Bool { noted.isEmpty && buffer == nil }
    func has(_ row: RowID) -> Bool { noted.contains { $0.row == row } }
  }

  /// The knowledge of the store about the record of a node that was changed.
  struct Known {
    var version: NodeContent?
    var foreignCount = 0
  }

  var saved: SavedGraph
  var pending: [RowID: Change] = [:]
  /// A named buffer that no other store changes.
  var savedBuffer: Int?
  var bufferChange: BufferChange?
  var undoLevels: [Level] = []
  var redoLevels: [Level] = []
  var open = Level()
  /// The levels before some were undone since the last save.
  var savedLevels: [[Level]]?
  var isInGroup = false
  var saveCount = 0
  var known: [RowID: Known] = [:]
  /// The nodes that other stores have deleted, so that the store still has an object for them.
  var deletedByOthers: Set<RowID> = []
  /// The nodes that were deleted at some time, also if they are back.
  ///
  /// A kept reference to one of them is removed when its owner is read or saved in the meantime, which depends on the
  /// objects that are in memory.
  var everDeleted: Set<RowID> = []

  var hasChanges: Bool { !pending.isEmpty || bufferChange != nil }

  /// The content of the named buffer; nil if there is none.
  var buffer: Int? {
    switch bufferChange {
    case .put(let content): content
    case .remove: nil
    case nil: savedBuffer
    }
  }

  /// The nodes that the store shows.
  var view: [RowID: NodeContent] {
    var view = saved.nodes
    for (row, change) in pending { view[row] = change.content }
    return view
  }

  /// The nodes that a fetch of all finds: not those whose pending update is a conflict, because they were deleted.
  var fetched: [RowID: NodeContent] {
    view.filter { row, _ in saved.nodes[row] != nil || pending[row]?.base == nil }
  }

  func node(_ row: RowID) -> NodeContent? {
    if let change = pending[row] { return change.content }
    return saved.nodes[row]
  }

  /// The version of the record that the store knows.
  private func version(of row: RowID) -> NodeContent? {
    if let change = pending[row] { return change.base }
    return saved.nodes[row] ?? (deletedByOthers.contains(row) ? known[row]?.version : nil)
  }

  /// Whether the store has no object for a node.
  private func isDetached(_ row: RowID) -> Bool {
    pending[row] == nil && saved.nodes[row] == nil && !deletedByOthers.contains(row)
  }

  /// Whether another store has deleted a node of which the store still has an object.
  private func isGone(_ row: RowID) -> Bool {
    pending[row] == nil && saved.nodes[row] == nil && deletedByOthers.contains(row)
  }

  /// Takes over the state that another store has saved.
  mutating func refresh(from other: SavedGraph) {
    for row in saved.nodes.keys where other.nodes[row] == nil {
      deletedByOthers.insert(row)
      everDeleted.insert(row)
    }
    deletedByOthers.subtract(other.nodes.keys)
    saved = other
  }

  // MARK: Kept references

  private func isVague(_ content: NodeContent?) -> Bool {
    content?.origin.map(everDeleted.contains) == true
  }

  private func isVague(_ change: Change?) -> Bool { isVague(change?.content) || isVague(change?.base) }

  private func isVague(_ row: RowID) -> Bool {
    isVague(pending[row]) || isVague(saved.nodes[row]) || isVague(known[row]?.version)
  }

  /// Whether kept references decide which records a save has to find.
  var hasVagueChanges: Bool { pending.keys.contains(where: isVague) }

  /// Whether kept references decide what a level restores.
  func isVague(_ level: Level?) -> Bool {
    level?.noted.contains { isVague($0.row) || isVague($0.view) || isVague($0.change) || isVague($0.version) } == true
  }

  // MARK: Changes

  private mutating func note(_ row: RowID, in level: inout Level) {
    guard !level.has(row) else { return }
    var record = known[row] ?? Known(version: version(of: row))
    if !isDetached(row), pending[row] == nil, record.version != version(of: row) {
      record.version = version(of: row)
      record.foreignCount += 1
    }
    known[row] = record
    level.noted.append(
      Noted(
        row: row, view: node(row), change: pending[row], version: version(of: row), foreignCount: record.foreignCount,
        saveCount: saveCount, wasGone: isGone(row)))
  }

  private mutating func note(_ row: RowID) {
    if !redoLevels.isEmpty { keepLevels() }
    redoLevels = []
    var level = open
    note(row, in: &level)
    open = level
  }

  private mutating func noteBuffer(in level: inout Level) {
    if level.buffer != nil { return }
    level.buffer = NotedBuffer(content: buffer, change: bufferChange, saveCount: saveCount)
  }

  mutating func setBuffer(_ content: Int?) {
    if !redoLevels.isEmpty { keepLevels() }
    redoLevels = []
    var level = open
    noteBuffer(in: &level)
    open = level
    putBuffer(content)
  }

  private mutating func putBuffer(_ content: Int?) {
    bufferChange = content.map { .put($0) } ?? (savedBuffer == nil ? nil : .remove)
  }

  mutating func insert(_ row: RowID, _ content: NodeContent) {
    note(row)
    pending[row] = Change(content: content, base: nil)
  }

  mutating func update(_ row: RowID, _ content: NodeContent) {
    note(row)
    set(row, content)
  }

  private mutating func set(_ row: RowID, _ content: NodeContent) {
    pending[row] = Change(content: content, base: pending[row].map(\.base) ?? saved.nodes[row])
  }

  /// Returns the nodes that are deleted together with some others; nil if a rule forbids it.
  func closure(of rows: Set<RowID>) -> Set<RowID>? {
    let view = view
    var deleted = rows.filter { view[$0] != nil }
    while true {
      var more = deleted
      for row in deleted { more.formUnion((view[row]?.children ?? []).filter { view[$0] != nil }) }
      for (row, content) in view where content.boss.map(deleted.contains) == true { more.insert(row) }
      if more == deleted { break }
      deleted = more
    }
    for (row, content) in view {
      guard let lock = content.lock, view[lock] != nil else { continue }
      if deleted.contains(row) != deleted.contains(lock) { return nil }
    }
    return deleted
  }

  mutating func delete(_ deleted: Set<RowID>) {
    let earlier = Set(pending.filter { $0.value.content == nil }.keys)
    for (row, content) in view where !deleted.contains(row) {
      var changed = content
      changed.nullify(deleted, earlier: earlier)
      if changed != content { update(row, changed) }
    }
    everDeleted.formUnion(deleted)
    for row in deleted {
      note(row)
      if pending[row]?.content != nil, pending[row]?.base == nil {
        // An insert that was never saved is forgotten.
        pending[row] = nil
      } else {
        pending[row] = Change(content: nil, base: pending[row].map(\.base) ?? saved.nodes[row])
      }
    }
  }

  // MARK: Saves

  /// Whether a save meets a change of another store.
  var isConflict: Bool {
    for (row, change) in pending where change.base != saved.nodes[row] { return true }
    let after = view
    for (row, change) in pending {
      guard let content = change.content else { continue }
      let former = saved.nodes[row]?.targets ?? []
      for target in content.targets.subtracting(former) where saved.nodes[target] == nil && after[target] == nil {
        return true
      }
    }
    let deleted = Set(pending.filter { $0.value.content == nil }.keys)
    // Another store has added the reference, and this one has changed the owner since.
    for change in pending.values where change.content?.targets.isDisjoint(with: deleted) == false { return true }
    for (row, content) in saved.nodes where pending[row] == nil && !content.targets.isDisjoint(with: deleted) {
      return true
    }
    return false
  }

  mutating func save() {
    if !isInGroup { closeLevel() }
    savedLevels = nil
    if !hasChanges { return }
    (savedBuffer, bufferChange) = (buffer, nil)
    for (row, change) in pending {
      saved.save(row, change.content)
      deletedByOthers.remove(row)
      if let content = saved.nodes[row] { known[row]?.version = content }
    }
    pending = [:]
    saveCount += 1
  }

  mutating func discard() {
    if !hasChanges { return }
    (pending, bufferChange) = ([:], nil)
    if let levels = savedLevels { (undoLevels, redoLevels, savedLevels) = (levels[0], levels[1], nil) }
    let saveCount = saveCount
    let isUnsaved = { (level: Level) in
      level.noted.contains { $0.saveCount == saveCount } || level.buffer?.saveCount == saveCount
    }
    undoLevels.removeAll(where: isUnsaved)
    redoLevels.removeAll(where: isUnsaved)
    if isUnsaved(open) { open = Level() }
  }

  // MARK: Undo

  mutating func closeLevel() {
    if !open.isEmpty { undoLevels.append(open) }
    open = Level()
  }

  /// The level that undoing restores.
  var nextUndoLevel: Level? { open.isEmpty ? undoLevels.last : open }

  mutating func undo() {
    closeLevel()
    if !undoLevels.isEmpty { keepLevels() }
    if let level = undoLevels.popLast() { redoLevels.append(apply(level)) }
  }

  mutating func redo() {
    if !redoLevels.isEmpty { keepLevels() }
    if let level = redoLevels.popLast() { undoLevels.append(apply(level)) }
  }

  private mutating func keepLevels() { if savedLevels == nil { savedLevels = [undoLevels, redoLevels] } }

  private mutating func apply(_ level: Level) -> Level {
    var opposite = Level()
    for noted in level.noted.reversed() { note(noted.row, in: &opposite) }
    if level.buffer != nil { noteBuffer(in: &opposite) }
    for noted in level.noted.reversed() {
      restore(noted)
      if node(noted.row) == nil { everDeleted.insert(noted.row) }
    }
    if let noted = level.buffer {
      if noted.saveCount == saveCount { bufferChange = noted.change } else { putBuffer(noted.content) }
    }
    return opposite
  }

  private mutating func restore(_ noted: Noted) {
    let row = noted.row
    let wasAbsent = noted.view == nil && noted.change == nil
    if noted.saveCount == saveCount, isDetached(row) || wasAbsent || (version(of: row) == noted.version && !isGone(row))
    {
      pending[row] = noted.change
      return
    }
    if noted.wasGone { return }
    let record = known[row] ?? Known()
    // No record has the content of the other case.
    let expected = record.foreignCount == noted.foreignCount ? record.version : NodeContent(children: [0])
    if let content = noted.view {
      let isNew = isDetached(row) || (pending[row]?.content != nil && pending[row]?.base == nil)
      pending[row] = Change(content: content, base: isNew ? nil : expected)
    } else if pending[row]?.content != nil, pending[row]?.base == nil {
      pending[row] = nil
    } else if node(row) != nil {
      pending[row] = Change(content: nil, base: expected)
    }
  }
}
