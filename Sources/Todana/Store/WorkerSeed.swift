/// What a store beside another needs: it can be handed to another thread.
///
/// Safe to share: class types are, and everything else says so itself.
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
