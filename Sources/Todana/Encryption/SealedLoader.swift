/// A loader that seals the records on their way.
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
