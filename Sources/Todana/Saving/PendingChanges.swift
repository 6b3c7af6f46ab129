/// The objects of one class that the next save inserts, updates or deletes, each once.
///
/// Which of the three, and where it stands here, the object itself knows (``StoredObject/state``,
/// ``StoredObject/tokenOrIndex``); so moving between the three, and leaving, cost no search.
struct PendingChanges {
  private(set) var objects: [StoredObject] = []
  /// The tokens of the objects' records, in the same order, for which the objects have no room meanwhile; empty as long
  /// as all are 0, as those of new objects are.
  private var tokens: [UInt64] = []
  private(set) var insertCount = 0
  private(set) var updateCount = 0
  private(set) var deleteCount = 0
  /// Rows that are deleted by their identities: the save removes them whatever their records are.
  private(set) var deletedByID: Set<RowID> = []
  /// Whether the objects stand in the order of their row ids.
  private var isAscending = true

  var isEmpty: Bool { objects.isEmpty }

  /// Adds an object that is not pending, as `change`.
  mutating func add(_ object: StoredObject, as change: ObjectState) {
    if let last = objects.last, last.rowID > object.rowID { isAscending = false }
    setToken(object.tokenOrIndex, at: objects.count)
    object.tokenOrIndex = UInt64(truncatingIfNeeded: objects.count)
    objects.append(object)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// Makes a pending delete one whose record does not matter.
  mutating func disregardRecord(of object: StoredObject) {
    deletedByID.insert(object.rowID)
  }

  /// Takes an object out that is pending.
  mutating func remove(_ object: StoredObject) {
    let index = index(of: object)
    let token = token(at: index)
    let last = objects.removeLast()
    let lastToken = tokens.popLast() ?? 0
    if last !== object {
      objects[index] = last
      setToken(lastToken, at: index)
      last.tokenOrIndex = UInt64(truncatingIfNeeded: index)
      isAscending = false
    }
    object.tokenOrIndex = token
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract([.inserted, .updated, .deleted, .changedAgain])
    if !deletedByID.isEmpty { deletedByID.remove(object.rowID) }
    if objects.isEmpty { isAscending = true }
  }

  /// Makes a pending object pending as something else.
  mutating func change(_ object: StoredObject, to change: ObjectState) {
    if !deletedByID.isEmpty { deletedByID.remove(object.rowID) }
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract(.pending)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// The token of a pending object's record.
  subscript(tokenOf object: StoredObject) -> UInt64 {
    get { token(at: index(of: object)) }
    set { setToken(newValue, at: index(of: object)) }
  }

  /// Orders the objects by row id.
  mutating func sort() {
    guard !isAscending else { return }
    for object in objects { object.tokenOrIndex = self[tokenOf: object] }
    objects.sort { $0.rowID < $1.rowID }
    tokens = []
    for index in objects.indices {
      setToken(objects[index].tokenOrIndex, at: index)
      objects[index].tokenOrIndex = UInt64(truncatingIfNeeded: index)
    }
    isAscending = true
  }

  /// Forgets all; the objects have their tokens again, and their state is the caller's to change.
  mutating func takeAll() -> [StoredObject] {
    for object in objects { object.tokenOrIndex = self[tokenOf: object] }
    return takeObjects()
  }

  /// Forgets all, whose tokens and state are the caller's to set.
  mutating func takeObjects() -> [StoredObject] {
    let all = objects
    self = PendingChanges()
    return all
  }

  /// The token of the record of the object at an index.
  @inline(__always)
  func token(at index: Int) -> UInt64 { tokens.isEmpty ? 0 : tokens[index] }

  /// Sets the token at an index, or adds the one behind the last.
  @inline(__always)
  private mutating func setToken(_ token: UInt64, at index: Int) {
    if token == 0, tokens.isEmpty { return }
    // Those before it, and with an index in their midst those behind it, are 0.
    while tokens.count <= max(index, objects.count - 1) { tokens.append(0) }
    tokens[index] = token
  }

  private func index(of object: StoredObject) -> Int { Int(truncatingIfNeeded: object.tokenOrIndex) }

  private mutating func adjust(_ change: ObjectState, by difference: Int) {
    if change.contains(.inserted) {
      insertCount += difference
    } else if change.contains(.updated) {
      updateCount += difference
    } else if change.contains(.deleted) {
      deleteCount += difference
    }
  }
}
