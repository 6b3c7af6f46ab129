/// The objects of a class, one after another; returned by
/// ``Store/objects(_:includingSubclasses:includingPending:onDamage:)``.
public struct ObjectSequence<Object: StoredObject>: AsyncSequence {
  public typealias Element = Object

  let store: Store
  let includingSubclasses: Bool
  let includingPending: Bool
  let onDamage: DamagePolicy

  public func makeAsyncIterator() -> Iterator { Iterator(objects: self) }

  /// A pass over the objects.
  public struct Iterator: AsyncIteratorProtocol {
    let objects: ObjectSequence
    private var stream: ObjectStream?
    /// The object of the last step, and whether it was alive before that step.
    private var last: (object: StoredObject, wasAlive: Bool)?

    init(objects: ObjectSequence) { self.objects = objects }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Object? {
      let stream = try begin()
      if var last = last.take(), !last.wasAlive { stream.release(&last.object) }
      while true {
        if let object = try stream.next() {
          last = (object, stream.wasAlive)
          // The stream's classes are Object and subclasses of it.
          return unsafe unsafeDowncast(object, to: Object.self)
        }
        guard try await stream.readOn() else { return nil }
      }
    }

    public nonisolated(nonsending) mutating func next() async throws -> Object? {
      try await next(isolation: #isolation)
    }

    private mutating func begin() throws -> ObjectStream {
      if let stream { return stream }
      let begun = try ObjectStream(
        of: Object.self, in: objects.store, includingSubclasses: objects.includingSubclasses,
        includingPending: objects.includingPending, onDamage: objects.onDamage)
      stream = begun
      return begun
    }
  }
}

/// A pass over the objects of one or more classes in the state of one commit, which reads on another thread.
final class ObjectStream {
  private let store: Store
  private let includingPending: Bool
  private let onDamage: DamagePolicy
  private let snapshot: any BackendSnapshot
  private let saveCountAtStart: Int
  private var parts: ArraySlice<Part>
  private let chunk = RecordChunk()
  /// The number of slices of the chunk that were processed.
  private var position = 0
  private var scan: (any BackendScan)?
  /// The number of objects that ``next()`` returned; `classStarts` has the counts at which each class began.
  private var count = 0
  private var classStarts: [Int] = []
  /// Whether the object that ``next()`` returned last was alive before.
  private(set) var wasAlive = false

  /// The objects of one class that are still to be visited.
  private struct Part {
    let table: ClassTable
    /// The objects whose inserts were pending at the start.
    let inserted: [StoredObject]
    var insertedPosition = 0
  }

  init(
    of type: StoredObject.Type, in store: Store, includingSubclasses: Bool, includingPending: Bool,
    onDamage: DamagePolicy
  ) throws(StoreError) {
    try store.begin()
    self.store = store
    self.includingPending = includingPending
    self.onDamage = onDamage
    let tables = try store.tables(for: type, includingSubclasses: includingSubclasses)
    parts =
      tables.map { table in
        Part(
          table: table,
          inserted: includingPending ? table.pending.objects.filter { $0.state.contains(.inserted) } : [])
      }[...]
    snapshot = try store.snapshotForReading()
    saveCountAtStart = store.saveCount
    try beginPart()
  }

  /// Returns the next object of the current chunk; nil if ``readOn()`` has to be called.
  func next() throws(StoreError) -> StoredObject? {
    try store.checkNotClosed()
    guard let table = parts.first?.table else { return nil }
    while position < chunk.slices.count {
      let slice = chunk.slices[position]
      position += 1
      wasAlive = table.identity.contains(slice.rowID)
      store.noteReading(ofCommit: snapshot.commitNumber)
      do throws(StoreError) {
        if let object = try object(for: slice, of: table) {
          count += 1
          return object
        }
      } catch {
        try onDamage.handle(error)
      }
    }
    return scan == nil ? nextInserted() : nil
  }

  /// Reads the next chunk, or starts the next class; returns false at the end.
  nonisolated(nonsending) func readOn() async throws -> Bool {
    try Task.checkCancellation()
    if scan != nil {
      try await readChunk()
    } else {
      guard !parts.isEmpty else { return false }
      parts.removeFirst()
      try beginPart()
    }
    try store.begin()
    return !parts.isEmpty
  }

  /// Sorts the objects of each class by row id; they must be in the order in which ``next()`` returned them.
  func order<T: StoredObject>(_ objects: inout [T]) {
    for (index, start) in classStarts.enumerated() {
      let end = index + 1 < classStarts.count ? classStarts[index + 1] : objects.count
      // An object whose delete was saved during the pass no longer has a row id, and comes first.
      objects[start..<end].sort { $0.rowID < $1.rowID }
    }
  }

  /// Releases an object that the stream brought into memory, if only its own references keep it alive.
  func release(_ object: inout StoredObject) {
    if let table = object.table {
      if table.store === store { store.release(&object, of: table) }
    } else if let table = store.registry[type(of: object)] {
      store.release(deleted: &object, of: table)
    }
  }

  private func beginPart() throws(StoreError) {
    guard let part = parts.first else { return }
    classStarts.append(count)
    guard let classID = try part.table.classIDForReading() else { return }
    do throws(BackendError) { scan = try snapshot.scan(classID) } catch { throw store.translate(error) }
  }

  private nonisolated(nonsending) func readChunk() async throws(StoreError) {
    guard let scan else { return }
    position = 0
    // No other code uses the scan and the chunk during the wait.
    nonisolated(unsafe) let (lentScan, lentChunk) = (scan, chunk)
    do throws(BackendError) {
      try await onWorker { () throws(BackendError) in try unsafe lentScan.next(into: lentChunk) }
      if chunk.slices.isEmpty { self.scan = nil }
    } catch {
      chunk.removeAll()
      try store.handle(scanError: error, onDamage)
    }
  }

  private func object(for slice: RecordChunk.Slice, of table: ClassTable) throws(StoreError) -> StoredObject? {
    guard store.saveCount == saveCountAtStart else {
      return try store.newestObject(slice.rowID, of: table, includingPending: includingPending)
    }
    var reader = store.makeReader()
    return try store.object(for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
  }

  private func nextInserted() -> StoredObject? {
    guard var part = parts.first else { return nil }
    defer { if !parts.isEmpty { parts[parts.startIndex] = part } }
    while part.insertedPosition < part.inserted.count {
      let object = part.inserted[part.insertedPosition]
      part.insertedPosition += 1
      guard store.isStillThere(object, in: part.table) else { continue }
      wasAlive = true
      count += 1
      return object
    }
    return nil
  }
}
