import Synchronization
import Todana

/// A loader of a keyspace of a ``DictionaryBackend``.
final class DictionaryLoader: KeyspaceLoader {
  let keyspace: KeyspaceID
  private let backend: DictionaryBackend
  private let lastKey = Mutex<DictionaryBackend.Key?>(nil)

  init(_ keyspace: KeyspaceID, in backend: DictionaryBackend) {
    self.keyspace = keyspace
    self.backend = backend
  }

  deinit { _ = try? backend.change { state in state.loading[keyspace] = nil } }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try batch.check(backend.limits)
    let (changes, arena, limits) = (Array(batch.changes), batch.arena, backend.limits)
    let (keyspace, last) = (keyspace, lastKey.withLock { $0 })
    let newLast = try backend.change { state throws(BackendError) in
      guard !state.isClosed, var kept = state.loading[keyspace] else { throw Self.ended }
      var last = last
      for change in changes {
        guard change.keyspace == keyspace, change.kind == .put, !kept.isLoaded,
          change.expectation == .anything || change.expectation == .absent
        else {
          throw BackendError(.invalidArgument, "A keyspace is loaded with new records only.")
        }
        let key = try DictionaryBackend.Key(change.key, arena, kept.kind, limits)
        if let last, !last.precedes(key) {
          throw BackendError(.invalidArgument, "A keyspace is loaded in the order of its keys.")
        }
        kept.records[key] = unsafe [UInt8](arena.bytes[change.value])
        if case .row(let row) = key { kept.nextRowID = row + 1 }
        last = key
      }
      state.loading[keyspace] = kept
      return last
    }
    lastKey.withLock { $0 = newLast }
  }

  func finish() throws(BackendError) {
    let keyspace = keyspace
    try backend.change { state throws(BackendError) in
      guard !state.isClosed, state.loading[keyspace] != nil else { throw Self.ended }
      state.loading[keyspace]?.isLoaded = true
    }
  }

  private static var ended: BackendError { BackendError(.interrupted, "The loading has ended.") }
}
