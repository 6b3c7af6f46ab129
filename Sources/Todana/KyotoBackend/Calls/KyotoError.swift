internal import CStorageEngine

extension BackendError {
  /// Converts a `tdn_error` to a Swift error; no other code does so.
  init(_ error: UnsafePointer<tdn_error>) {
    let code = unsafe Code(tdn_code(rawValue: UInt32(bitPattern: error.pointee.code)))
    let message = unsafe Self.text(at: error, \.message)
    self.init(code, message.isEmpty ? "The store failed without an error message (\(code))." : message)
    let file = unsafe Self.text(at: error, \.file)
    self.file = file.isEmpty ? nil : file
    keyspace = unsafe error.pointee.keyspace == 0 ? nil : KeyspaceID(rawValue: error.pointee.keyspace)
    rowID = unsafe error.pointee.has_row ? error.pointee.row : nil
    page = unsafe error.pointee.page < 0 ? nil : Int(error.pointee.page)
    processID = unsafe error.pointee.process == 0 ? nil : Int(error.pointee.process)
    systemErrno = unsafe error.pointee.system_errno == 0 ? nil : error.pointee.system_errno
  }

  /// Returns the text of a fixed array of C characters, which ends at a zero byte or at the array's end.
  private static func text<Characters>(
    at error: UnsafePointer<tdn_error>, _ field: KeyPath<tdn_error, Characters>
  ) -> String {
    // Every field of an imported C struct is stored, so it has an offset.
    guard let offset = MemoryLayout<tdn_error>.offset(of: field) else { return "" }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: UnsafeRawPointer(error) + offset, count: MemoryLayout<Characters>.size)
    return unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension BackendError.Code {
  fileprivate init(_ code: tdn_code) {
    self =
      switch code {
      case TDN_NO_SPACE: .noSpace
      case TDN_NO_PERMISSION: .noPermission
      case TDN_NOT_FOUND: .notFound
      case TDN_NOT_A_STORE: .notAStore
      case TDN_NEWER_FORMAT: .newerFormat
      case TDN_OLDER_FORMAT: .olderFormat
      case TDN_DAMAGED: .damaged
      case TDN_IN_USE: .inUse
      case TDN_CONFLICT: .conflict
      case TDN_LIMIT: .limitExceeded
      case TDN_MUST_REOPEN: .mustReopen
      case TDN_CLOSED: .closed
      case TDN_READ_ONLY: .readOnly
      case TDN_NO_MEMORY: .noMemory
      case TDN_NO_KEYSPACE: .noSuchKeyspace
      case TDN_INVALID: .invalidArgument
      case TDN_INTERRUPTED: .interrupted
      case TDN_SNAPSHOT_ENDED: .snapshotEnded
      case TDN_OTHER_STORE: .otherStore
      case TDN_WRONG_SECRET: .wrongKey
      case TDN_DAMAGED_KEY_SLOT: .damagedKeySlot
      case TDN_DAMAGED_KEYS: .damagedKeys
      case TDN_NOT_ENCRYPTED: .notEncrypted
      case TDN_SECRET_REQUIRED: .keyRequired
      case TDN_UNKNOWN_EPOCH: .unknownKeyEpoch
      case TDN_ROLLED_BACK: .rolledBack
      case TDN_DIVERGED: .diverged
      case TDN_MIGRATION_UNFINISHED: .migrationUnfinished
      case TDN_USED_AFTER_FORK: .usedAfterFork
      case TDN_CONTENTS_MISMATCH: .contentsDoNotMatchDigest
      default: .inputOutput
      }
  }
}
