internal import CStorageEngine

/// A position in a ``KyotoSnapshot``, which it keeps alive; used by one thread at a time.
final class KyotoScan: BackendScan {
  private let pointer: CabinetHandle.Pointer
  private let snapshot: KyotoSnapshot

  /// Takes ownership of an open scan.
  init(_ pointer: CabinetHandle.Pointer, of snapshot: KyotoSnapshot) {
    self.pointer = pointer
    self.snapshot = snapshot
  }

  deinit { snapshot.backend.cabinet.closeScan(pointer) }

  func next(into chunk: RecordChunk) throws(BackendError) {
    try unsafe snapshot.backend.cabinet.fill(chunk, whenClosed: .snapshotEnded) { _, memory, error in
      unsafe tdn_scan_next(pointer.raw, memory, error)
    }
  }
}
