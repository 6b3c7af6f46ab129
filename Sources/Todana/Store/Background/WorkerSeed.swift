/// The data for creating another store over the same backend; it can be passed to another thread.
///
/// Safe to share: class types are, and all other members are `Sendable`.
struct WorkerSeed: @unchecked Sendable {
  let backend: any StoreBackend
  let configuration: StoreConfiguration
  let session: BackendSession
  let types: [StoredObject.Type]
  let collections: [SeededCollection]

  struct SeededCollection {
    let type: StoredObject.Type
    let tableName: String
    let collection: StoredCollection
  }
}

extension Store {
  var workerSeed: WorkerSeed {
    WorkerSeed(
      backend: backend, configuration: configuration, session: session,
      types: registry.tables.filter { $0.collection == nil }.map(\.type),
      collections: registry.tables.compactMap { table in
        table.collection.map { .init(type: table.type, tableName: table.name, collection: $0) }
      })
  }
}
