extension Store {
  private static let migration = "encrypting or decrypting existing data"

  /// Returns the migration of the whole store that was begun and is not finished; nil if there is none.
  ///
  /// - Throws: ``StoreError``.
  public func unfinishedMigration() throws(StoreError) -> StoreMigration? {
    try begin()
    guard backend.operations != nil else { return nil }
    return try onEngine(Self.migration) { engine throws(BackendError) in try engine.unfinishedMigration() }
  }

  /// Encrypts a plain store while it is in use.
  ///
  /// ```swift
  /// try store.encrypt(with: .passphrase("correct horse battery staple"))
  /// ```
  ///
  /// From the start the store opens only with this secret. The classes are rewritten into new files, one after the
  /// other. At the end the store's directory contains no unencrypted data. Copies on the disk, in the file system or in
  /// backups are not affected. Until the migration is finished, a class that has not been rewritten can still be read
  /// and changed by an attacker.
  ///
  /// If the migration is ended early, or the process is killed, it is unfinished. The store then opens only with
  /// ``StoreConfiguration/resumingMigration``, and ``resumeMigration(progress:)`` continues.
  ///
  /// Other stores of the ``backend`` can be used concurrently. To use this store as well, call the backend's
  /// ``EngineOperations/beginEncryption(_:)`` and ``EngineOperations/migrate(progress:)`` on another thread instead.
  /// The migration takes space for a second copy of the largest class. Loaded objects stay loaded, and can be changed.
  ///
  /// - Parameters:
  ///   - secret: The passphrase or key that opens the store from now on.
  ///   - progress: Called before each step of about a millisecond; returning false ends the call with the migration
  ///     unfinished.
  /// - Returns: Whether the migration is finished.
  /// - Throws: ``StoreError``: ``StoreError/Code/invalidKey``; ``StoreError/Code/damagedRecord`` if a record cannot be
  ///   read, which must be deleted or restored before the migration can continue; ``StoreError/Code/readOnly``;
  ///   ``StoreError/Code/notSupported``.
  /// - Complexity: O(*n*) in the bytes of the store.
  @discardableResult
  public func encrypt(
    with secret: StoreSecret, progress: (MigrationProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    try begin()
    try secret.check()
    return try onEngine(Self.migration) { engine throws(BackendError) in
      try engine.beginEncryption(secret)
      return try engine.migrate(progress: progress)
    }
  }

  /// Decrypts an encrypted store while it is in use, in the way ``encrypt(with:progress:)`` encrypts one.
  ///
  /// It may begin while an encryption, or a rotation of keys, is unfinished, and replaces it.
  ///
  /// - Parameter progress: Called before each step; returning false ends the call with the migration unfinished.
  /// - Returns: Whether the migration is finished. The store then opens only without a secret.
  /// - Throws: The errors of ``encrypt(with:progress:)``; ``StoreError/Code/notEncrypted``.
  @discardableResult
  public func decrypt(progress: (MigrationProgress) -> Bool = { _ in true }) throws(StoreError) -> Bool {
    try begin()
    return try onEngine(Self.migration) { engine throws(BackendError) in
      try engine.beginDecryption()
      return try engine.migrate(progress: progress)
    }
  }

  /// Continues an ``unfinishedMigration()``.
  ///
  /// - Parameter progress: Called before each step; returning false ends the call with the migration unfinished.
  /// - Returns: Whether no migration is unfinished.
  /// - Throws: ``StoreError``, as the call that began the migration does.
  @discardableResult
  public func resumeMigration(progress: (MigrationProgress) -> Bool = { _ in true }) throws(StoreError) -> Bool {
    try begin()
    return try onEngine(Self.migration) { engine throws(BackendError) in try engine.migrate(progress: progress) }
  }
}
