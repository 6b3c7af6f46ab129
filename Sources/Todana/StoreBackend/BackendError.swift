/// What a backend refuses or fails at.
///
/// Switch over ``code``; show ``message`` to a person. The other properties are filled where they apply.
public struct BackendError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  /// What went wrong and what can be done about it, in one sentence.
  public var message: String
  /// The file, by its name within the store or its path.
  public var file: String?
  public var keyspace: KeyspaceID?
  public var rowID: RowID?
  /// The page of 4 KiB within the file.
  public var page: Int?
  /// The process that holds the store, for ``Code/inUse``.
  public var processID: Int?
  /// The `errno` of the system call that failed.
  public var systemErrno: Int32?
  /// For ``Code/conflict``: the indexes, in the batch's changes, of all that met something else than they expected.
  public var conflicts: [Int]

  public init(
    _ code: Code, _ message: String, file: String? = nil, keyspace: KeyspaceID? = nil, rowID: RowID? = nil,
    page: Int? = nil, processID: Int? = nil, systemErrno: Int32? = nil, conflicts: [Int] = []
  ) {
    self.code = code
    self.message = message
    self.file = file
    self.keyspace = keyspace
    self.rowID = rowID
    self.page = page
    self.processID = processID
    self.systemErrno = systemErrno
    self.conflicts = conflicts
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// A system call failed.
    case inputOutput
    /// No space is left on the device, or within the process's quota.
    case noSpace
    case noPermission
    /// There is no store at the path, and creating one was not asked for.
    case notFound
    /// The path is a file, or a directory that holds something else.
    case notAStore
    /// A newer version of this library wrote the store.
    case newerFormat
    /// An older version of this library wrote the store, in a format that this version does not read.
    case olderFormat
    case damaged
    /// Another opener holds the store.
    case inUse
    /// A record is not what the batch expected; nothing was applied.
    case conflict
    case limitExceeded
    /// A flush failed, so the outcome of the last commits is unknown until ``StoreBackend/reopen()``.
    case mustReopen
    case closed
    case readOnly
    case noMemory
    case noSuchKeyspace
    case invalidArgument
    /// The caller gave up; or what was going on was ended by ``StoreBackend/reopen()`` or ``StoreBackend/close()``.
    case interrupted
    /// The snapshot was ended: by ``StoreBackend/reopen()`` or ``StoreBackend/close()``, or by the backend after its time.
    case snapshotEnded
    /// The backups of the series are those of another store.
    case otherStore
    /// The passphrase or key is not one of the store's.
    case wrongKey
    /// No other slot of the file of keys opens, and one is damaged.
    case damagedKeySlot
    /// The file of keys is missing, or damaged as a whole.
    case damagedKeys
    /// A passphrase or key was given for a store that is not encrypted.
    case notEncrypted
    /// The store is encrypted, and no passphrase or key was given.
    case keyRequired
    /// The records of a keyspace, all of which were read and are sound, are not those that were committed.
    ///
    /// Some are missing, are older, or do not belong there.
    case contentsDoNotMatchDigest
    /// Something is encrypted with a key that the file of keys does not have.
    case unknownKeyEpoch
    /// The store is an older one than the ``StoreAnchor`` says: some commits are missing at the end.
    case rolledBack
    /// The store is not that of the ``StoreAnchor``, or has had other commits.
    case diverged
    /// Encrypting or decrypting the store was interrupted, and nobody said that it is to be gone on with; or it has to be
    /// finished before this.
    case migrationUnfinished
    /// The kind of backend has no such service (``StoreBackend/operations``).
    case notSupported
  }

  /// Says that the backend lacks a service, which `service` names.
  static func notSupported(_ service: String) -> BackendError {
    BackendError(.notSupported, "This kind of backend has no \(service).")
  }

  public var description: String {
    var text = message
    if let file { text += " [file \(file)]" }
    if let page { text += " [page \(page)]" }
    if let rowID { text += " [row \(rowID)]" }
    return text
  }
}

extension BackendError {
  /// Whether a scan that threw it goes on after the damage, or has ended with all records read.
  var leavesScanUsable: Bool { code == .damaged || code == .contentsDoNotMatchDigest }
}
