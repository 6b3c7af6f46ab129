/// The objects of one class that the next save inserts, updates or deletes, each once.
///
/// Which of the three, and where it stands here, the object itself knows (``StoredObject/state``,
/// ``StoredObject/tokenOrIndex``); so moving between the three, and leaving, cost no search.
struct PendingChanges {
  struct Entry {
    let object: StoredObject
    /// The token of the object's record as it was read or saved last; the object has no room for it meanwhile.
    var token: UInt64
  }

  private(set) var entries: [Entry] = []
  private(set) var insertCount = 0
  private(set) var updateCount = 0
  private(set) var deleteCount = 0
  /// Whether the objects stand in the order of their row ids.
  private var isAscending = true

  var isEmpty: Bool { entries.isEmpty }
  var objects: some Sequence<StoredObject> { entries.lazy.map(\.object) }

  /// Adds an object that is not pending, as `change`.
  mutating func add(_ object: StoredObject, as change: ObjectState) {
    if let last = entries.last, last.object.rowID > object.rowID { isAscending = false }
    let token = object.tokenOrIndex
    object.tokenOrIndex = UInt64(truncatingIfNeeded: entries.count)
    entries.append(Entry(object: object, token: token))
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// Takes an object out that is pending.
  mutating func remove(_ object: StoredObject) {
    let index = index(of: object)
    let token = entries[index].token
    let last = entries.removeLast()
    if last.object !== object {
      entries[index] = last
      last.object.tokenOrIndex = UInt64(truncatingIfNeeded: index)
      isAscending = false
    }
    object.tokenOrIndex = token
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract([.inserted, .updated, .deleted, .changedAgain])
    if entries.isEmpty { isAscending = true }
  }

  /// Makes a pending object pending as something else.
  mutating func change(_ object: StoredObject, to change: ObjectState) {
    adjust(object.state.intersection(.pending), by: -1)
    object.state.subtract(.pending)
    object.state.formUnion(change)
    adjust(change, by: 1)
  }

  /// The token of a pending object's record.
  subscript(tokenOf object: StoredObject) -> UInt64 {
    get { entries[index(of: object)].token }
    set { entries[index(of: object)].token = newValue }
  }

  /// Orders the objects by row id.
  mutating func sort() {
    guard !isAscending else { return }
    entries.sort { $0.object.rowID < $1.object.rowID }
    for index in entries.indices { entries[index].object.tokenOrIndex = UInt64(truncatingIfNeeded: index) }
    isAscending = true
  }

  /// Forgets all; the objects have their tokens again, and their state is the caller's to change.
  mutating func takeAll() -> [StoredObject] {
    takeEntries().map { entry in
      entry.object.tokenOrIndex = entry.token
      return entry.object
    }
  }

  /// Forgets all, whose tokens and state are the caller's to set.
  mutating func takeEntries() -> [Entry] {
    let all = entries
    self = PendingChanges()
    return all
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
