/// The data for creating another store over the same backend; it can be passed to another thread.
///
/// Safe to share: class types are, and all other members are `Sendable`.
struct WorkerSeed: @unchecked Sendable {
  let backend: any StoreBackend
  let configuration: StoreConfiguration
  let session: BackendSession
  let types: [StoredObject.Type]
}

extension Store {
  var workerSeed: WorkerSeed {
    WorkerSeed(
      backend: backend, configuration: configuration, session: session, types: registry.tables.map(\.type))
  }
}
