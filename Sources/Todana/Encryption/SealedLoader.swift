/// A loader that seals the records on their way.
final class SealedLoader: KeyspaceLoader {
  private let base: any KeyspaceLoader
  private let backend: SealedBackend

  init(_ base: any KeyspaceLoader, backend: SealedBackend) {
    self.base = base
    self.backend = backend
  }

  var keyspace: KeyspaceID { base.keyspace }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try backend.seal(batch)
    try base.append(batch)
  }

  func finish() throws(BackendError) { try base.finish() }
}
