import Synchronization

/// A loader that seals the records and passes them to the backend's loader.
final class SealedLoader: KeyspaceLoader {
  private let base: any KeyspaceLoader
  private let sealing: RecordSealing

  init(_ base: any KeyspaceLoader, sealing: RecordSealing) {
    self.base = base
    self.sealing = sealing
  }

  var keyspace: KeyspaceID { base.keyspace }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try sealing.seal(batch)
    try base.append(batch)
  }

  func finish() throws(BackendError) { try base.finish() }
}

/// A loader of names or of a tree, for a backend that must see neither names nor keys.
///
/// The backend takes records in the order of their codes, which is not the order of their keys. So the loader sorts all
/// records first (``EntrySorter``), and passes them at the end.
///
/// Methods may be called from any thread: the mutable state is used only with the lock held.
@safe
final class CodedLoader: KeyspaceLoader, @unchecked Sendable {
  private let base: any KeyspaceLoader
  private let sealing: RecordSealing
  private let trees: TreeSealing
  private let isTree: Bool
  private let lock = Mutex(())
  /// The state, used only with the lock held.
  private var state = State()

  private struct State {
    var sorter: EntrySorter? = EntrySorter()
    var lastKey: [UInt8] = []
    var isFinished = false
    var failure: BackendError?
  }

  init(_ base: any KeyspaceLoader, isTree: Bool, sealing: RecordSealing, trees: TreeSealing) {
    (self.base, self.isTree, self.sealing, self.trees) = (base, isTree, sealing, trees)
  }

  var keyspace: KeyspaceID { base.keyspace }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try batch.check(sealing.base.limits)
    if !isTree { try sealing.seal(batch) }
    let (changes, arena) = (batch.changes, batch.arena)
    try lock.withLock { _ throws(BackendError) in
      if let failure = state.failure { throw failure }
      guard !state.isFinished, let sorter = state.sorter else {
        throw BackendError(.invalidArgument, "The keyspace is already loaded.", keyspace: keyspace)
      }
      var lastKey = state.lastKey
      for change in changes { lastKey = try key(of: change, in: arena, after: lastKey) }
      do throws(BackendError) {
        try sealing.withSealer(trees.ring) { sealer throws(BackendError) in
          for change in changes { try append(change, in: arena, to: sorter, by: sealer) }
        }
      } catch {
        state.failure = error
        throw error
      }
      state.lastKey = lastKey
    }
  }

  /// Returns the key of a change, after checking that the change may be loaded.
  private func key(
    of change: WriteBatch.Change, in arena: ByteArena, after last: [UInt8]
  ) throws(BackendError) -> [UInt8] {
    guard change.keyspace == keyspace, change.kind == .put, case .bytes(let range) = change.key, !range.isEmpty,
      change.expectation == .anything || change.expectation == .absent
    else {
      throw BackendError(.invalidArgument, "Only new records can be loaded into a keyspace.", keyspace: keyspace)
    }
    let key = unsafe [UInt8](UnsafeRawBufferPointer(rebasing: arena.bytes[range]))
    let limit = sealing.base.limits.keyByteCount
    guard key.count <= limit else {
      throw BackendError(
        .limitExceeded, "A key has \(key.count) bytes, over the limit of \(limit).", keyspace: keyspace)
    }
    guard last.isEmpty || last.lexicographicallyPrecedes(key) else {
      throw BackendError(.invalidArgument, "Records must be loaded in the order of their keys.", keyspace: keyspace)
    }
    return key
  }

  private func append(
    _ change: WriteBatch.Change, in arena: ByteArena, to sorter: EntrySorter, by sealer: Sealer
  ) throws(BackendError) {
    guard case .bytes(let range) = change.key else { return }
    let key = unsafe [UInt8](UnsafeRawBufferPointer(rebasing: arena.bytes[range]))
    let code = try isTree ? trees.code(ofKey: key[...], in: keyspace) : trees.code(ofName: key)
    let end = arena.count
    defer { arena.count = end }
    let value =
      try isTree
      ? trees.seal(key: key[...], value: change.value, code: code, in: keyspace, by: sealer, to: arena) : change.value
    try unsafe sorter.append(key: code, value: UnsafeRawBufferPointer(rebasing: arena.bytes[value]))
  }

  func finish() throws(BackendError) {
    try lock.withLock { _ throws(BackendError) in
      if let failure = state.failure { throw failure }
      guard !state.isFinished, let sorter = state.sorter else { return }
      do throws(BackendError) {
        try handOver(sorter)
        try base.finish()
      } catch {
        state.failure = error
        throw error
      }
      (state.isFinished, state.sorter) = (true, nil)
    }
  }

  private func handOver(_ sorter: EntrySorter) throws(BackendError) {
    let limits = sealing.base.limits
    let (changeLimit, byteLimit) = (min(limits.batchChangeCount, 4096), min(limits.batchByteCount, 1 << 20))
    try sorter.finish()
    var batch = WriteBatch()
    while let entry = try unsafe sorter.next() {
      let byteCount = unsafe batch.arena.count + entry.key.count + entry.value.count
      if !batch.isEmpty, byteCount > byteLimit || batch.changes.count >= changeLimit {
        try base.append(batch)
        batch = WriteBatch()
      }
      let key = unsafe batch.arena.append(entry.key)
      let value = unsafe batch.arena.append(entry.value)
      batch.append(
        WriteBatch.Change(keyspace: keyspace, kind: .put, expectation: .absent, key: .bytes(key), value: value))
    }
    if !batch.isEmpty { try base.append(batch) }
  }
}
