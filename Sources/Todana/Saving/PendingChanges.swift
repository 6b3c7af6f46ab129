/// The objects of one class that the next save inserts, updates or deletes, each once.
///
/// Each object stores its kind of change and its index here (``StoredObject/state``, ``StoredObject/tokenOrIndex``).
/// Changing the kind and removing an object therefore need no search.
struct PendingChanges {
  private(set) var objects: [StoredObject] = []
  /// The tokens of the objects' records, in the same order; empty while all are 0, as the tokens of new objects are.
  ///
  /// They are kept here because a pending object stores its index in place of its token.
  private var tokens: [UInt64] = []
  private(set) var insertCount = 0
  private(set) var updateCount = 0
  private(set) var deleteCount = 0
  /// The rows that are deleted by their identities: the save removes any record that they have.
  private(set) var deletedByID: Set<RowID> = []
  /// Whether the objects are in the order of their row ids.
  private var isAscending = true

  var isEmpty: Bool { objects.isEmpty }

  /// Reserves room for further objects.
  ///
  /// If the array grows, its capacity at least doubles, so that repeated calls copy little.
  mutating func reserveMore(_ count: Int) {
    let needed = objects.count + count
    guard needed > objects.capacity else { return }
    objects.reserveCapacity(max(needed, 2 * objects.count))
    tokens.reserveCapacity(max(needed, 2 * objects.count))
  }

  /// Adds an object that is not pending yet, with the kind of change `change`.
  mutating func add(_ object: StoredObject, as change: ObjectState) {
    if let last = objects.last, last.rowID > object.rowID { isAscending = false }
    setToken(object.tokenOrIndex, at: objects.count)
    object.tokenOrIndex = UInt64(truncatingIfNeeded: objects.count)
    objects.append(object)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// Marks a pending delete as one by identity, which removes any record of the row.
  mutating func disregardRecord(of object: StoredObject) {
    deletedByID.insert(object.rowID)
  }

  /// Removes a pending object and restores its token.
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

  /// Replaces the kind of change of a pending object.
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

  /// Removes and returns all objects, with their tokens restored.
  ///
  /// The caller has to update their states.
  mutating func takeAll() -> [StoredObject] {
    for object in objects { object.tokenOrIndex = self[tokenOf: object] }
    return takeObjects()
  }

  /// Removes and returns all objects; the caller has to set their tokens and states.
  mutating func takeObjects() -> [StoredObject] {
    let all = objects
    self = PendingChanges()
    return all
  }

  /// Returns the token of the record of the object at an index.
  @inline(__always)
  func token(at index: Int) -> UInt64 { tokens.isEmpty ? 0 : tokens[index] }

  /// Sets the token at an index, or appends it after the last one.
  @inline(__always)
  private mutating func setToken(_ token: UInt64, at index: Int) {
    if token == 0, tokens.isEmpty { return }
    // The tokens before it are 0, and so are those after it if the index is not the last.
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
