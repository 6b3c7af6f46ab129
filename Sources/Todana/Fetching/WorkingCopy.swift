/// A copy of a store's pending changes, for a query that another thread carries out.
///
/// The other thread has a store of its own over the same backend. It reads the snapshot that was taken with the copy, so
/// that its answers are those of the store at that time.
///
/// Safe to share: it is made of bytes and values, and one thread at a time uses it.
struct WorkingCopy: @unchecked Sendable {
  private let seed: WorkerSeed
  private let snapshot: any BackendSnapshot
  private let changes: [Change]
  private let content: ByteArena

  private struct Change {
    let tableName: String
    let classID: KeyspaceID
    let rowID: RowID
    let version: UInt8
    /// The kind of change: inserted, updated or deleted.
    let state: ObjectState
    /// The content, for inserts and updates.
    let content: Range<Int>
  }

  /// Copies the pending changes of a store; returns nil if the content of an object cannot be written.
  ///
  /// Such an object refers to an object that was not inserted, for example.
  ///
  /// - Complexity: O(*n*) in the pending changes.
  init?(of store: Store, includingPending: Bool) throws(StoreError) {
    seed = store.workerSeed
    snapshot = try store.snapshotForReading()
    content = ByteArena()
    var changes: [Change] = []
    if includingPending {
      for table in store.registry.tablesWithChanges {
        guard let classID = table.classID else { continue }
        changes.reserveCapacity(changes.count + table.pending.objects.count)
        for object in table.pending.objects {
          let state = object.state.intersection(.pending)
          guard let range = state == .deleted ? 0..<0 : Self.write(object, of: table, to: content, store) else {
            return nil
          }
          changes.append(
            Change(
              tableName: table.name, classID: classID, rowID: object.rowID, version: table.version, state: state,
              content: range))
        }
      }
    }
    self.changes = changes
  }

  private static func write(
    _ object: StoredObject, of table: ClassTable, to arena: ByteArena, _ store: Store
  ) -> Range<Int>? {
    // The content of a fault is that of its record, and a save refuses to write it.
    if object.isFault { return nil }
    var buffer = DataBuffer(arena: arena, encoder: store)
    buffer.beginRecord(version: table.version, headerByteCount: 0)
    object.writeContent(to: &buffer)
    guard buffer.firstError == nil else { return nil }
    return buffer.endRecord(trailerByteCount: 0)
  }

  /// Returns a store with the copied changes, which reads the copied state.
  ///
  /// - Throws: ``StoreError``, if a class cannot read what it has written, for example.
  func makeStore() throws(StoreError) -> Store {
    let store = try Store(beside: seed)
    store.readOnly(from: snapshot)
    var reader = store.makeReader()
    var last: ClassTable?
    for change in changes {
      // The changes of a table follow each other.
      if last.map({ !String.isEqual($0.name, change.tableName) }) ?? true {
        last = store.registry[tableNamed: change.tableName]
      }
      guard let table = last else { continue }
      if table.classID == nil { store.registry.give(change.classID, to: table) }
      let object = table.objectOrFault(change.rowID)
      if change.state != .deleted {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: content.bytes[change.content])
        unsafe reader.beginReading(bytes, version: change.version)
        object.state.insert(.decoding)
        do {
          try object.readContent(from: &reader)
          try reader.finishReading()
        } catch {
          throw store.unreadable(error, rowID: change.rowID, version: change.version, of: table)
        }
        object.state.subtract([.decoding, .fault])
      }
      table.pending.add(object, as: change.state)
      store.adjustPendingCount(by: 1)
    }
    return store
  }
}

extension Store {
  /// Carries out a call that reads on another thread, in the state that the store has now.
  ///
  /// If the pending changes cannot be copied, the call is carried out here.
  ///
  /// - Parameters:
  ///   - includingPending: Whether the call sees the pending changes.
  ///   - onDamage: The policy for records that cannot be read. It is applied here, after the call.
  ///   - body: The call, with the policy to use there.
  /// - Returns: The result of the call.
  /// - Throws: Errors of the call.
  nonisolated(nonsending) func onCopy<Result: Sendable>(
    includingPending: Bool, onDamage: DamagePolicy,
    _ body: @escaping @Sendable (Store, DamagePolicy) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    try begin()
    try checkForCancellation()
    guard let copy = try WorkingCopy(of: self, includingPending: includingPending) else {
      return try body(self, onDamage)
    }
    let isReporting = onDamage.isReporting
    let cancellation = Cancellation()
    let (outcome, reported) = await withTaskCancellationHandler {
      await onWorker { () -> (Swift.Result<Result, StoreError>, [StoreError]) in
        let reported = ReportedErrors()
        do throws(StoreError) {
          let store = try copy.makeStore()
          store.cancellation = cancellation
          let policy = isReporting ? DamagePolicy.report { reported.errors.append($0) } : .fail
          return (.success(try body(store, policy)), reported.errors)
        } catch {
          return (.failure(error), reported.errors)
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    try begin()
    try checkForCancellation()
    for error in reported { try onDamage.handle(error) }
    return try outcome.get()
  }
}

extension Store {
  /// Throws ``StoreError/Code/cancelled`` if the task was cancelled.
  func checkForCancellation() throws(StoreError) {
    if Task.isCancelled { throw Self.cancelled }
  }

  /// Throws ``StoreError/Code/cancelled`` if the task was cancelled for which the store reads on another thread.
  func checkForCancellationOfReader() throws(StoreError) {
    if let cancellation, cancellation.isCancelled { throw Self.cancelled }
  }

  private static var cancelled: StoreError {
    StoreError(.cancelled, "The task was cancelled.", underlying: CancellationError())
  }
}

/// The errors that a call reported.
private final class ReportedErrors { var errors: [StoreError] = [] }
