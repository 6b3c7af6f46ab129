internal import CStorageEngine

/// A reader of the files of a ``KyotoBackend``, one after another; see `BackupReader.h`.
final class KyotoBackupReader: BackendBackupReader {
  let summary: BackupSummary
  private let backend: KyotoBackend
  private let pointer: CabinetHandle.Pointer
  private let process = ProcessMark()
  /// The first bytes of the file that ``next()`` has just announced; the next call returns them.
  private var bytes: [UInt8]?

  init(of backend: KyotoBackend) throws(BackendError) {
    var opened: CabinetHandle.Pointer?
    var summary = tdn_backup_summary()
    try unsafe backend.cabinet.call { cabinet, error in
      opened = unsafe tdn_backup_reader_open(cabinet, &summary, error).map { unsafe CabinetHandle.Pointer(raw: $0) }
      return opened != nil
    }
    guard let opened else { throw BackendError(.noMemory, "The backup could not be started.") }
    self.backend = backend
    pointer = opened
    self.summary = BackupSummary(
      storeID: backend.storeID, commitNumber: summary.commit_number, fileCount: Int(clamping: summary.file_count),
      byteCount: Int(clamping: summary.byte_count))
  }

  deinit {
    // The C object keeps everything that it needs, so the cabinet may be closed already.
    if !process.isInChild { unsafe tdn_backup_reader_close(pointer.raw) }
  }

  func next() throws(BackendError) -> BackupPart? {
    if let bytes {
      self.bytes = nil
      return .bytes(bytes)
    }
    var piece = unsafe tdn_backup_piece()
    try unsafe backend.cabinet.call(whenClosed: .interrupted) { unsafe tdn_backup_reader_next(pointer.raw, &piece, $1) }
    // The bytes are in the reader's memory until its next call.
    guard let name = unsafe piece.file else { return nil }
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: piece.bytes, count: piece.byte_count))
    guard unsafe piece.offset == 0 else { return .bytes(bytes) }
    if !bytes.isEmpty { self.bytes = bytes }
    return unsafe .file(name: String(cString: name), byteCount: Int(clamping: piece.file_byte_count))
  }
}

extension KyotoBackend {
  /// Begins to read the files as they would be after a power failure; a store made from them recovers when it is
  /// opened.
  ///
  /// No checkpoint runs until the reader is released, so the log grows with each save.
  public func openBackupReader() throws(BackendError) -> any BackendBackupReader { try KyotoBackupReader(of: self) }
}
