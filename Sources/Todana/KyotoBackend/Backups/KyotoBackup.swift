internal import CStorageEngine

/// A copy of a ``KyotoBackend``'s files; see `Backup.h`.
final class KyotoBackup: BackendBackup {
  let commitNumber: CommitNumber
  let byteCount: Int
  private(set) var copiedByteCount = 0
  private let backend: KyotoBackend
  private var pointer: CabinetHandle.Pointer?
  private let process = ProcessMark()

  init(of backend: KyotoBackend, at path: String) throws(BackendError) {
    try SeriesTask.check(path)
    var opened: CabinetHandle.Pointer?
    var number: CommitNumber = 0
    var byteCount: UInt64 = 0
    try unsafe backend.cabinet.call { cabinet, error in
      let raw = unsafe path.withCString { unsafe tdn_backup_open(cabinet, $0, &number, &byteCount, error) }
      opened = unsafe raw.map { unsafe CabinetHandle.Pointer(raw: $0) }
      return opened != nil
    }
    self.backend = backend
    pointer = opened
    commitNumber = number
    self.byteCount = Int(clamping: byteCount)
  }

  deinit {
    // The C object keeps everything that it needs, so the cabinet may be closed already.
    if let pointer, !process.isInChild { unsafe tdn_backup_close(pointer.raw) }
  }

  func next() throws(BackendError) -> Bool {
    guard let pointer else { return false }
    var copied: UInt64 = 0
    var isDone = false
    try unsafe backend.cabinet.call(whenClosed: .interrupted) {
      unsafe tdn_backup_next(pointer.raw, &copied, &isDone, $1)
    }
    copiedByteCount = Int(clamping: copied)
    if isDone {
      unsafe tdn_backup_close(pointer.raw)
      self.pointer = nil
    }
    return !isDone
  }
}

extension KyotoBackend {
  /// Begins to copy the files as they would be after a power failure; the copy recovers when it is opened.
  ///
  /// No checkpoint runs until the copy is finished or released, so the log grows with each save.
  public func openBackup(at path: String) throws(BackendError) -> any BackendBackup {
    try KyotoBackup(of: self, at: path)
  }
}
