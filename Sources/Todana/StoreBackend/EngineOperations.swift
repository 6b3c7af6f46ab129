/// The services of a storage engine with its own files.
///
/// They are checkpoints, backups, compaction, verification, anchors, and new keys for existing records.
///
/// A ``StoreBackend`` without ``StoreBackend/operations`` offers none of them. A ``Store`` over such a backend can
/// still verify records, copy itself under another key, and release memory. For all other services it throws
/// ``StoreError/Code/notSupported``. Every method may be called from any thread at any time.
public protocol EngineOperations: AnyObject, Sendable {
  /// Writes all commits back to the main files, so that the next opening has nothing to recover.
  func checkpoint() throws(BackendError)

  /// Releases memory that only speeds up reading, such as pages of files.
  func releaseMemory() throws(BackendError)

  /// The passphrases and keys that open the backend; nil if it is not encrypted.
  var keyManagement: (any KeyManagement)? { get }

  /// Returns the migration of the whole backend that was begun and is not finished; nil if there is none.
  func unfinishedMigration() throws(BackendError) -> StoreMigration?

  /// Begins to encrypt a plain backend; ``migrate(progress:)`` does the work.
  ///
  /// The backend has keys when the call returns.
  func beginEncryption(_ secret: StoreSecret) throws(BackendError)

  /// Begins to decrypt an encrypted backend; ``migrate(progress:)`` does the work.
  func beginDecryption() throws(BackendError)

  /// Continues the unfinished migration in steps, while the backend is in use.
  ///
  /// - Parameter progress: Called before each step; returning false pauses the migration.
  /// - Returns: Whether the migration is finished.
  /// - Throws: ``BackendError/Code/damaged`` if a record cannot be read; ``BackendError/Code/inUse`` if another thread
  ///   is migrating.
  func migrate(progress: (MigrationProgress) -> Bool) throws(BackendError) -> Bool

  /// Reads pages of a file again and checks them.
  ///
  /// - Parameters:
  ///   - file: A file of the store.
  ///   - firstPage: The first page to check; the next call starts after the pages that this call checked.
  /// - Returns: The checked pages; nil after the last page.
  /// - Throws: ``BackendError/Code/damaged`` if no page of the file can be checked.
  func verifyPages(of file: BackendFile, from firstPage: Int) throws(BackendError) -> VerifiedPages?

  /// Checks the files that contain no records, and returns the damaged ones.
  ///
  /// The store can be used even if one of these files is damaged.
  func verifyCompanions() throws(BackendError) -> [DamagedFile]

  /// Returns the newest commit once it is durable, as an anchor for later openings.
  ///
  /// A later opening with the anchor checks whether the store still has the commit.
  func anchor() throws(BackendError) -> StoreAnchor?

  /// Accepts the current records as the committed ones.
  ///
  /// Afterwards scans end without ``BackendError/Code/contentsDoNotMatchDigest``.
  ///
  /// - Parameter progress: Called repeatedly with the amounts done and total; returning false gives up.
  /// - Returns: Whether everything was accepted; false if `progress` gave up.
  /// - Throws: ``BackendError/Code/damaged`` if a record cannot be read.
  func acceptContents(progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool

  /// Reduces the disk space of a keyspace as far as possible, while it is in use.
  ///
  /// - Parameters:
  ///   - keyspace: A keyspace of the store.
  ///   - progress: Called repeatedly with the amounts done and total; returning false gives up.
  /// - Returns: Whether the keyspace takes less space now; false also if `progress` gave up.
  /// - Throws: ``BackendError/Code/damaged`` if a record cannot be read.
  func compact(_ keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool

  /// Returns the disk space of a keyspace now and after a compaction.
  ///
  /// - Parameters:
  ///   - keyspace: A keyspace of the store.
  ///   - progress: Called repeatedly with the amounts done and total; returning false gives up.
  /// - Returns: The space; nil if the backend does not know it.
  /// - Throws: ``BackendError/Code/interrupted`` if `progress` gave up; ``BackendError/Code/damaged`` if a record
  ///   cannot be read.
  func space(
    of keyspace: KeyspaceID, progress: (_ done: Int, _ total: Int) -> Bool
  ) throws(BackendError) -> BackendSpace?

  /// Begins to copy the newest committed state to a path.
  ///
  /// The copy is a store of its own, which later openings of the path find.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` if the path is neither free nor an empty directory. The same error
  ///   if the backend is in memory and has no files to copy.
  func openBackup(at path: String) throws(BackendError) -> any BackendBackup

  /// Begins a backup of the newest committed state into a ``BackupSeries``, which is created if there is none.
  ///
  /// - Throws: ``BackendError/Code/otherStore`` if the series is of another store; ``BackendError/Code/inUse`` if
  ///   another backup into it is running; ``BackendError/Code/invalidArgument`` if the backend is in memory and has no
  ///   files to copy.
  func openBackup(into seriesPath: String) throws(BackendError) -> any BackendSeriesBackup

  /// Begins to read the files of the newest committed state, for a copy outside of a directory.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` if the backend is in memory and has no files to copy.
  func openBackupReader() throws(BackendError) -> any BackendBackupReader
}
