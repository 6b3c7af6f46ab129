internal import CStorageEngine

/// A loader of a new keyspace of a ``KyotoBackend``; see `KeyspaceLoader.h`.
final class KyotoLoader: KeyspaceLoader {
  let keyspace: KeyspaceID
  private let backend: KyotoBackend
  private let pointer: CabinetHandle.Pointer

  init(
    in backend: KyotoBackend, _ kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) {
    var opened: CabinetHandle.Pointer?
    var id: UInt32 = 0
    try unsafe backend.cabinet.call { cabinet, error in
      let raw = unsafe tdn_loader_open(
        cabinet, kind.rawValue, name, name.count, UInt64(clamping: count), &id, error)
      guard let raw = unsafe raw else { return false }
      opened = unsafe backend.cabinet.keep(CabinetHandle.Pointer(raw: raw))
      return true
    }
    guard let opened else { throw .closed }
    keyspace = KeyspaceID(rawValue: id)
    pointer = opened
    self.backend = backend
  }

  deinit { backend.cabinet.closeLoader(pointer) }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try batch.check(backend.limits)
    try batch.requireOrder()
    try unsafe batch.withCBatch { batch throws(BackendError) in
      try unsafe backend.cabinet.call(whenClosed: .loadingEnded) { _, error in
        unsafe tdn_loader_append(pointer.raw, &batch, error)
      }
    }
  }

  func finish() throws(BackendError) {
    try unsafe backend.cabinet.call(whenClosed: .loadingEnded) { _, error in
      unsafe tdn_loader_finish(pointer.raw, error)
    }
  }
}

extension BackendError {
  fileprivate static var loadingEnded: BackendError {
    BackendError(.interrupted, "The store was closed while a keyspace was loaded: load it again.")
  }
}
