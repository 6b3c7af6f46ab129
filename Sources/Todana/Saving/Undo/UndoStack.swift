/// The changes of a store that can be undone and redone, in levels.
///
/// ```swift
/// store.undoStack = UndoStack(levels: 100)
/// try store.undoGroup("Rename") { try store.update(album) { $0.title = "Blue" } }
/// try store.saveChanges()
/// try store.undo()
/// try store.saveChanges()
/// ```
///
/// A level has all changes of an ``Store/undoGroup(_:_:)``. Changes outside groups form a level up to the next save, or
/// up to the next group. Levels stay when changes are saved: ``Store/undo()`` makes the opposite changes pending, and the
/// next save writes them.
///
/// Inserts, updates and deletes of objects are undone, also by rules of relationships, and changes of named buffers. A deleted object returns under its own identity; if it is still alive, as the same instance. An object whose
/// record could not be read when it was deleted does not return.
///
/// A stack belongs to one store. It keeps alive the changed objects, and the objects to which their former contents
/// refer.
public final class UndoStack {
  /// The number of levels that can be undone.
  public let levelLimit: Int
  /// About the number of bytes that all levels take; beyond it the oldest are removed.
  public let byteLimit: Int

  private(set) var undoLevels: [UndoLevel] = []
  private(set) var redoLevels: [UndoLevel] = []
  /// The level that receives changes; nil if there were none since the last level was closed.
  private(set) var open: UndoLevel?
  /// The levels as they were at the last save, before some were undone or made again; nil if none was.
  ///
  /// Discarding the pending changes takes the undoing back.
  private var savedLevels: SavedLevels?
  /// Whether changes are not noted.
  var isPaused = false
  /// The store whose changes are noted.
  weak var store: Store?
  /// The number of open groups, each nested in the one before.
  private(set) var groupDepth = 0
  /// The objects that levels have entries for.
  private var known: [ObjectIdentifier: KnownRecord] = [:]

  private struct SavedLevels {
    let undoLevels: [UndoLevel]
    let redoLevels: [UndoLevel]

    func has(_ level: UndoLevel) -> Bool {
      undoLevels.contains { $0 === level } || redoLevels.contains { $0 === level }
    }
  }

  /// The knowledge of the store about the record of an object that was changed.
  private struct KnownRecord {
    /// The token of the record that the store has saved last, or that was there when the object was noted.
    var token: UInt64
    /// The number of times that another store's record was found in place of this one.
    var foreignCount = 0
    /// The number of entries for the object, in all levels.
    var entryCount = 0
  }

  /// Creates an empty stack.
  ///
  /// - Parameters:
  ///   - levels: The number of levels that can be undone; the oldest are removed.
  ///   - byteLimit: About the number of bytes that all levels may take.
  public init(levels: Int = 100, byteLimit: Int = 64 << 20) {
    levelLimit = max(0, levels)
    self.byteLimit = byteLimit
  }

  /// Whether there is a level to undo.
  public var canUndo: Bool { !undoLevels.isEmpty || open?.isEmpty == false }

  /// Whether there is a level to redo.
  public var canRedo: Bool { !redoLevels.isEmpty }

  /// The name of the group that ``Store/undo()`` undoes; nil if there is none, or if it has no name.
  public var undoName: String? { open?.isEmpty == false ? open?.name : undoLevels.last?.name }

  /// The name of the group that ``Store/redo()`` makes again; nil if there is none, or if it has no name.
  public var redoName: String? { redoLevels.last?.name }

  /// Removes all levels.
  public func removeAll() {
    let saved = savedLevels.take().map { $0.undoLevels + $0.redoLevels } ?? []
    for level in undoLevels + redoLevels + saved { level.release() }
    open?.release()
    (undoLevels, redoLevels, known) = ([], [], [:])
    if let open { self.open = UndoLevel(name: open.name) }
  }
}

// Recording.
extension UndoStack {
  func beginGroup(_ name: String?) {
    groupDepth += 1
    guard groupDepth == 1 else { return }
    closeLevel()
    open = UndoLevel(name: name)
  }

  func endGroup() {
    groupDepth -= 1
    if groupDepth == 0 { closeLevel() }
  }

  /// Ends the level that receives changes, so that further ones form the next level.
  func closeLevel() {
    guard let level = open.take(), !level.isEmpty else { return }
    undoLevels.append(level)
    trim()
  }

  /// Ends the level that receives changes, unless it is that of a group; called by each save.
  func endLevelWithSave() {
    if groupDepth == 0 { closeLevel() }
    guard let saved = savedLevels.take() else { return }
    for level in saved.undoLevels + saved.redoLevels
    where !undoLevels.contains(where: { $0 === level }) && !redoLevels.contains(where: { $0 === level }) {
      release(level)
    }
  }

  /// Keeps the present levels, in case that the undoing is taken back.
  private func keepLevels() {
    if savedLevels == nil { savedLevels = SavedLevels(undoLevels: undoLevels, redoLevels: redoLevels) }
  }

  /// Returns the level for a change.
  private func levelForChange() -> UndoLevel {
    if !redoLevels.isEmpty {
      keepLevels()
      remove(&redoLevels)
    }
    if let open { return open }
    let level = UndoLevel(name: nil)
    open = level
    return level
  }

  /// Notes the state of an object before it is changed.
  func note(_ object: StoredObject, saveCount: Int) {
    if isPaused || levelLimit == 0 { return }
    let level = levelForChange()
    note(object, in: level, saveCount: saveCount)
    if level.byteCount > byteLimit { trim() }
  }

  /// Notes the state of a named buffer before it is changed.
  func note(_ buffer: UndoLevel.Buffer) {
    if isPaused || levelLimit == 0 { return }
    let level = levelForChange()
    level.note(buffer)
    if level.byteCount > byteLimit { trim() }
  }

  /// Notes the state of an object in a level.
  func note(_ object: StoredObject, in level: UndoLevel, saveCount: Int) {
    guard !level.hasNoted(object, saveCount: saveCount) else { return }
    var record = known[ObjectIdentifier(object)] ?? KnownRecord(token: object.token)
    if object.table != nil, !object.state.isPending, record.token != object.token {
      record.token = object.token
      record.foreignCount += 1
    }
    record.entryCount += 1
    known[ObjectIdentifier(object)] = record
    level.note(object, foreignCount: record.foreignCount, saveCount: saveCount)
  }

  /// Notes the token of a record that the store has saved.
  func noteSave(of object: StoredObject) { known[ObjectIdentifier(object)]?.token = object.token }

  /// Returns the token of the record that undoing a change expects.
  ///
  /// If another store has saved the object since the change, no record has it, so that the next save is a conflict.
  func expectedToken(for entry: UndoLevel.Entry) -> UInt64 {
    guard let record = known[ObjectIdentifier(entry.entry.object)] else { return entry.entry.token }
    return record.foreignCount == entry.foreignCount ? record.token : ~record.token
  }

  /// A position in the sequence of changes.
  struct Mark {
    fileprivate let lastLevel: UndoLevel?
    fileprivate let level: UndoLevel?
    fileprivate let entryCount: Int
    fileprivate let bufferCount: Int
  }

  var mark: Mark {
    // An empty level may be replaced by that of a group.
    Mark(
      lastLevel: undoLevels.last, level: open?.isEmpty == false ? open : nil, entryCount: open?.entries.count ?? 0,
      bufferCount: open?.buffers.count ?? 0)
  }

  /// Removes the notes since a mark, because those changes were taken back.
  func removeChanges(since mark: Mark) {
    while let last = undoLevels.last, last !== mark.lastLevel, last !== mark.level { release(undoLevels.removeLast()) }
    guard let level = open === mark.level || mark.level == nil ? open : undoLevels.last else { return }
    forget(level.removeEntries(from: mark.entryCount, buffers: mark.bufferCount))
    if let open, open !== level { forget(open.removeEntries(from: 0, buffers: 0)) }
    if undoLevels.last?.isEmpty == true { undoLevels.removeLast() }
  }

  /// Removes the note of an object that was made since a mark.
  func removeChange(of object: StoredObject, since mark: Mark) {
    guard let open, mark.level === open || mark.level == nil else { return }
    if let removed = open.removeEntry(of: object, from: mark.entryCount) { forget([removed]) }
  }

  /// Removes the levels with changes that were made since the last save, which were discarded.
  func removeUnsaved(saveCount: Int) {
    if let saved = savedLevels.take() {
      for level in undoLevels + redoLevels where !saved.has(level) { release(level) }
      (undoLevels, redoLevels) = (saved.undoLevels, saved.redoLevels)
    }
    let isUnsaved = { (level: UndoLevel) in level.lastSaveCount == saveCount }
    for level in undoLevels + redoLevels where isUnsaved(level) { release(level) }
    undoLevels.removeAll(where: isUnsaved)
    redoLevels.removeAll(where: isUnsaved)
    if let level = open, isUnsaved(level) {
      release(level)
      open = groupDepth > 0 ? UndoLevel(name: level.name) : nil
    }
  }

  // MARK: Levels

  func takeUndoLevel() -> UndoLevel? {
    keepLevels()
    return undoLevels.popLast()
  }

  func takeRedoLevel() -> UndoLevel? {
    keepLevels()
    return redoLevels.popLast()
  }

  /// Adds the opposite of a level that was undone or redone, or a level that could not be.
  func append(_ level: UndoLevel, isRedo: Bool) {
    if isRedo { redoLevels.append(level) } else { undoLevels.append(level) }
    // The content after a change may be larger than that before it.
    trim()
  }

  /// Releases the copies of a level that was undone or redone, or that is removed.
  func release(_ level: UndoLevel) {
    if savedLevels?.has(level) == true { return }
    forget(level.entries.map(\.entry.object))
    level.release()
  }

  private func remove(_ levels: inout [UndoLevel]) {
    for level in levels { release(level) }
    levels = []
  }

  private func forget(_ objects: [StoredObject]) {
    for object in objects {
      let key = ObjectIdentifier(object)
      guard var record = known[key] else { continue }
      record.entryCount -= 1
      known[key] = record.entryCount > 0 ? record : nil
    }
  }

  /// Removes the oldest levels beyond the limits; the level that receives changes is emptied if it is too large itself.
  private func trim() {
    var excess = undoLevels.count + (open == nil ? 0 : 1) - levelLimit
    var byteCount = undoLevels.reduce(open?.byteCount ?? 0) { $0 + $1.byteCount }
    var removedCount = 0
    while removedCount < undoLevels.count, excess > 0 || byteCount > byteLimit {
      byteCount -= undoLevels[removedCount].byteCount
      excess -= 1
      release(undoLevels[removedCount])
      removedCount += 1
    }
    undoLevels.removeFirst(removedCount)
    if let level = open, level.byteCount > byteLimit {
      forget(level.entries.map(\.entry.object))
      level.giveUp()
    }
  }
}
