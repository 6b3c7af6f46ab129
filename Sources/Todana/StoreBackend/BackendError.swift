/// An error of a backend: a refused operation or a failure.
///
/// Switch over ``code``; show ``message`` to a person. The other properties are set if they apply to the error.
public struct BackendError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  /// The cause and a possible remedy, in one sentence for people.
  public var message: String
  /// The name of the affected file within the store, or its path.
  public var file: String?
  public var keyspace: KeyspaceID?
  public var rowID: RowID?
  /// The number of the affected page, of 4 KiB, within ``file``.
  public var page: Int?
  /// The process that holds the store, for ``Code/inUse``.
  public var processID: Int?
  /// The `errno` of the system call that failed.
  public var systemErrno: Int32?
  /// For ``Code/conflict``: the indexes of all changes of the batch whose expectation does not hold.
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
    /// There is no store at the path, and the caller did not ask to create one.
    case notFound
    /// The path is a file, or a directory that contains something other than a store.
    case notAStore
    /// A newer version of this library wrote the store.
    case newerFormat
    /// An older version of this library wrote the store, in a format that this version does not read.
    case olderFormat
    case damaged
    /// Another opener holds the store.
    case inUse
    /// A record does not match the batch's expectation; nothing was applied.
    case conflict
    case limitExceeded
    /// A flush failed, so the outcome of the last commits is unknown until ``StoreBackend/reopen()``.
    case mustReopen
    case closed
    case readOnly
    case noMemory
    case noSuchKeyspace
    case invalidArgument
    /// The caller gave up, or ``StoreBackend/reopen()`` or ``StoreBackend/close()`` ended the operation.
    case interrupted
    /// The snapshot was ended by ``StoreBackend/reopen()`` or ``StoreBackend/close()``, or by the backend after a time
    /// limit.
    case snapshotEnded
    /// The series contains backups of another store.
    case otherStore
    /// The passphrase or key is not one of the store's.
    case wrongKey
    /// The secret opens no slot of the file of keys, and one of the slots is damaged.
    case damagedKeySlot
    /// The file of keys is missing or entirely damaged.
    case damagedKeys
    /// A passphrase or key was given for a store that is not encrypted.
    case notEncrypted
    /// The store is encrypted, and no passphrase or key was given.
    case keyRequired
    /// The records of a keyspace are all readable, but differ from the committed ones.
    ///
    /// Some records are missing, are older versions, or do not belong to the keyspace.
    case contentsDoNotMatchDigest
    /// Some data is encrypted with a key that the file of keys does not contain.
    case unknownKeyEpoch
    /// The store is older than the ``StoreAnchor``: the newest commits are missing.
    case rolledBack
    /// The store is not the one of the ``StoreAnchor``, or has a different history of commits.
    case diverged
    /// An encryption or decryption of the store was interrupted, and the caller did not ask to resume it.
    ///
    /// Also thrown by operations that need a finished migration.
    case migrationUnfinished
    /// The backend was opened before this process was forked, and its files belong to the parent.
    case usedAfterFork
    /// This kind of backend does not offer the service (``StoreBackend/operations``).
    case notSupported
  }

  package static var usedAfterFork: BackendError {
    BackendError(
      .usedAfterFork, "The store was opened before this process was forked, so it can only be read: open it again.")
  }

  /// Returns the error for a service that this kind of backend does not offer.
  static func notSupported(_ service: String) -> BackendError {
    BackendError(.notSupported, "This kind of backend does not support \(service).")
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
  /// Whether the scan that threw the error can still be used: it continues after the damage, or has read all records.
  var leavesScanUsable: Bool { code == .damaged || code == .contentsDoNotMatchDigest }
}
