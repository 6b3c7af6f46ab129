/// What only a storage engine with files of its own offers: checkpoints, backups, compaction, verification, anchors, and new
/// keys for what is there.
///
/// A ``StoreBackend`` that has no ``StoreBackend/operations`` has none of these; a ``Store`` over it throws
/// ``StoreError/Code/notSupported`` for each. Every method may be called from any thread at any time.
public protocol EngineOperations: AnyObject, Sendable {
  /// Writes everything committed back to its files, so that the next opening has nothing to recover.
  func checkpoint() throws(BackendError)

  /// Releases memory that only makes reading faster, such as that of files' pages.
  func releaseMemory() throws(BackendError)

  /// The passphrases and keys that open the backend; nil if it is not encrypted.
  var keyManagement: (any KeyManagement)? { get }

  /// What was begun with all of the backend, and is not finished; nil if nothing is.
  func unfinishedMigration() throws(BackendError) -> StoreMigration?

  /// Makes a plain backend an encrypted one, as ``migrate(progress:)`` goes on.
  ///
  /// It has keys when this returns.
  func beginEncryption(_ secret: StoreSecret) throws(BackendError)

  /// Makes an encrypted backend a plain one, as ``migrate(progress:)`` goes on.
  func beginDecryption() throws(BackendError)

  /// Goes on with what is unfinished, in steps, while the backend is in use.
  ///
  /// - Parameter progress: Called before each step; returning false ends it for now.
  /// - Returns: Whether it is finished.
  /// - Throws: ``BackendError/Code/damaged`` where a record cannot be read; ``BackendError/Code/inUse`` while another
  ///   thread does so.
  func migrate(progress: (MigrationProgress) -> Bool) throws(BackendError) -> Bool

  /// Reads pages of a file anew and checks them.
  ///
  /// - Parameters:
  ///   - file: A file of the store.
  ///   - firstPage: Where to begin; the next call goes on behind the pages that this one has looked at.
  /// - Returns: What was found; nil behind the last page.
  /// - Throws: ``BackendError/Code/damaged`` where nothing of the file can be checked.
  func verifyPages(of file: BackendFile, from firstPage: Int) throws(BackendError) -> VerifiedPages?

  /// Looks whether files that stand beside those with records, and that the store can do without, are as they were written.
  func verifyCompanions() throws(BackendError) -> [DamagedFile]

  /// The newest commit, once it is durable, so that a later opening can tell whether the store still has it.
  func anchor() throws(BackendError) -> StoreAnchor?

  /// Takes the records that there are for those that there should be: scans end without
  /// ``BackendError/Code/contentsDoNotMatchDigest`` afterwards.
  ///
  /// - Parameter progress: Called now and then, with how much is done and of how much; false gives up.
  /// - Returns: Whether all was accepted; false where `progress` gave up.
  /// - Throws: ``BackendError/Code/damaged`` where a record cannot be read.
  func acceptContents(progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool

  /// Makes what a keyspace takes on disk as small as it gets, while it is in use.
  ///
  /// - Parameters:
  ///   - keyspace: A keyspace of the store.
  ///   - progress: Called now and then, with how much is done and of how much; false gives up.
  /// - Returns: Whether the keyspace takes less space now; false, too, if `progress` gave up.
  /// - Throws: ``BackendError/Code/damaged`` where a record cannot be read.
  func compact(_ keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool

  /// What a keyspace takes on disk, and would take if it were compacted now.
  ///
  /// - Parameters:
  ///   - keyspace: A keyspace of the store.
  ///   - progress: Called now and then, with how much is done and of how much; false gives up.
  /// - Returns: The space; nil in memory.
  /// - Throws: ``BackendError/Code/interrupted`` after giving up; ``BackendError/Code/damaged`` where a record cannot be
  ///   read.
  func space(
    of keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> BackendSpace?

  /// Begins a copy of the newest committed state, a store of its own that a later opening of the path finds.
  ///
  /// ``BackendError/Code/invalidArgument`` in memory, where there is nothing to copy.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` where there is something at the path already.
  func openBackup(at path: String) throws(BackendError) -> any BackendBackup

  /// Begins a backup of the newest committed state into a ``BackupSeries``, which is made where there is none.
  ///
  /// ``BackendError/Code/invalidArgument`` in memory, where there is nothing to copy.
  ///
  /// - Throws: ``BackendError/Code/otherStore`` where the series is of another store; ``BackendError/Code/inUse`` while
  ///   another backup into it is made.
  func openBackup(into seriesPath: String) throws(BackendError) -> any BackendSeriesBackup

  /// Begins to read the files of the newest committed state, for a copy in another place than a directory.
  ///
  /// ``BackendError/Code/invalidArgument`` in memory, where there is nothing to copy.
  func openBackupReader() throws(BackendError) -> any BackendBackupReader
}
