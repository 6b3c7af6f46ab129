/// The parts of a store that a computation has read, whose changes can change its result.
struct ReadTracker {
  /// The classes of which any objects were read.
  private(set) var types: [StoredObject.Type] = []
  private var typeIDs: Set<ObjectIdentifier> = []
  /// The single objects that were read by their identities.
  private(set) var rows: Set<AnyObjectID> = []
  /// The named buffers that were read by their names.
  private(set) var namedBuffers: Set<String> = []
  /// Whether the list of all named buffers was read.
  private(set) var readsAllNamedBuffers = false
  /// Whether parts were read that are not listed here, so that every change counts.
  private(set) var isWhole = false

  mutating func note(_ type: StoredObject.Type) {
    if typeIDs.insert(ObjectIdentifier(type)).inserted { types.append(type) }
  }

  mutating func note(_ id: AnyObjectID) { rows.insert(id) }
  mutating func note(namedBuffer name: String) { namedBuffers.insert(name) }
  mutating func noteAllNamedBuffers() { readsAllNamedBuffers = true }
  mutating func noteWhole() { isWhole = true }
}

// Notes for a tracker, if there is one: only while a value is computed that is observed.
extension Store {
  @inline(__always)
  func noteUse(of table: ClassTable) { if isTracking { tracker.note(table.type) } }

  @inline(__always)
  func noteUse(of id: @autoclosure () -> AnyObjectID?) {
    guard isTracking else { return }
    if let id = id() { tracker.note(id) }
  }

  /// Runs a closure, and returns the parts of the store that it has read.
  func tracking<Result>(_ body: () throws -> Result) throws -> (result: Result, reads: ReadTracker) {
    let (outer, wasTracking) = (tracker, isTracking)
    (tracker, isTracking) = (ReadTracker(), true)
    defer { (tracker, isTracking) = (outer, wasTracking) }
    let result = try body()
    return (result, tracker)
  }
}
