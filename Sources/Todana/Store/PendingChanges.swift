/// The objects of one class that the next save inserts, updates or deletes, each once.
///
/// Which of the three, and where it stands here, the object itself knows (``StoredObject/state``,
/// ``StoredObject/pendingIndex``); so moving between the three, and leaving, cost no search.
struct PendingChanges {
  private(set) var objects: [StoredObject] = []
  private(set) var insertCount = 0
  private(set) var updateCount = 0
  private(set) var deleteCount = 0
  /// Whether the objects stand in the order of their row ids.
  private var isAscending = true

  var isEmpty: Bool { objects.isEmpty }

  /// Adds an object that is not pending, as `change`.
  mutating func add(_ object: StoredObject, as change: ObjectState) {
    if let last = objects.last, last.rowID > object.rowID { isAscending = false }
    object.pendingIndex = UInt32(truncatingIfNeeded: objects.count)
    objects.append(object)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// Takes an object out that is pending.
  mutating func remove(_ object: StoredObject) {
    let index = Int(object.pendingIndex)
    let last = objects.removeLast()
    if last !== object {
      objects[index] = last
      last.pendingIndex = UInt32(truncatingIfNeeded: index)
      isAscending = false
    }
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract([.inserted, .updated, .deleted, .changedAgain])
    if objects.isEmpty { isAscending = true }
  }

  /// Makes a pending object pending as something else.
  mutating func change(_ object: StoredObject, to change: ObjectState) {
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract(.pending)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// Orders the objects by row id.
  mutating func sort() {
    guard !isAscending else { return }
    objects.sort { $0.rowID < $1.rowID }
    for index in objects.indices { objects[index].pendingIndex = UInt32(truncatingIfNeeded: index) }
    isAscending = true
  }

  /// Forgets all, whose state is the caller's to change.
  mutating func takeAll() -> [StoredObject] {
    let all = objects
    self = PendingChanges()
    return all
  }

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
