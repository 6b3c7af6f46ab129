import Todana

/// A loader of a keyspace of a ``FaultyBackend``.
final class FaultyLoader: KeyspaceLoader {
  let keyspace: KeyspaceID
  private let backend: FaultyBackend

  init(_ keyspace: KeyspaceID, in backend: FaultyBackend) {
    self.keyspace = keyspace
    self.backend = backend
  }

  deinit {
    let keyspace = keyspace
    try? backend.onState(isCall: false) { $0.loading[keyspace] = nil }
  }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    let (changes, arena) = (Array(batch.changes), unsafe [UInt8](batch.arena.bytes))
    try onLoading { loading in
      for change in changes {
        switch change.key {
        case .row(let rowID): loading.rows[rowID] = Array(arena[change.value])
        case .bytes(let range): loading.keys[Array(arena[range])] = Array(arena[change.value])
        }
      }
    }
  }

  func finish() throws(BackendError) { try onLoading { $0.isLoaded = true } }

  private func onLoading(_ body: (inout FaultyState.Loading) -> Void) throws(BackendError) {
    let keyspace = keyspace
    try backend.onState { state throws(BackendError) in
      guard var loading = state.loading[keyspace] else {
        throw BackendError(.interrupted, "The loading has ended.")
      }
      body(&loading)
      state.loading[keyspace] = loading
    }
  }
}
