extension Store {
  private static let migration = "encryption of what is there"

  /// What was begun with the whole store, and is not finished; nil where it is nothing.
  ///
  /// - Throws: ``StoreError``.
  public func unfinishedMigration() throws(StoreError) -> StoreMigration? {
    try begin()
    guard backend.operations != nil else { return nil }
    return try onEngine(Self.migration) { engine throws(BackendError) in try engine.unfinishedMigration() }
  }

  /// Encrypts a plain store, while it is in use.
  ///
  /// ```swift
  /// try store.encrypt(with: .passphrase("correct horse battery staple"))
  /// ```
  ///
  /// From the start on the store opens with this secret only. One class after the other is rewritten into a new file; at
  /// the end nothing plain is left in the store's directory. What the disk, the file system or a backup still holds is not
  /// touched. Until it is finished a class that has not been rewritten is as readable, and as open to change by others, as
  /// it was before.
  ///
  /// Ended early, or by a kill, it is unfinished. The store then opens with
  /// ``StoreConfiguration/resumingMigration`` only, and ``resumeMigration(progress:)`` goes on.
  ///
  /// Other stores of the ``backend`` go on working meanwhile, and so does this one if another thread calls the backend's
  /// ``EngineOperations/beginEncryption(_:)`` and ``EngineOperations/migrate(progress:)`` instead. Takes space for a second copy of
  /// the largest class. Loaded objects stay as they are, and can be changed.
  ///
  /// - Parameters:
  ///   - secret: What shall open the store.
  ///   - progress: Called before each step of a millisecond or so; returning false ends it for now.
  /// - Returns: Whether it is finished.
  /// - Throws: ``StoreError``: ``StoreError/Code/invalidKey``; ``StoreError/Code/damagedRecord`` where a record cannot be
  ///   read, which then must be deleted, or restored, before it can go on; ``StoreError/Code/readOnly``;
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

  /// Makes an encrypted store a plain one, while it is in use: as ``encrypt(with:progress:)``, the other way.
  ///
  /// It may begin while that, or the renewal of keys, is unfinished, and takes its place.
  ///
  /// - Parameter progress: Called before each step; returning false ends it for now.
  /// - Returns: Whether it is finished: the store then opens without a secret only.
  /// - Throws: As ``encrypt(with:progress:)``; ``StoreError/Code/notEncrypted``.
  @discardableResult
  public func decrypt(progress: (MigrationProgress) -> Bool = { _ in true }) throws(StoreError) -> Bool {
    try begin()
    return try onEngine(Self.migration) { engine throws(BackendError) in
      try engine.beginDecryption()
      return try engine.migrate(progress: progress)
    }
  }

  /// Goes on with an ``unfinishedMigration()``.
  ///
  /// - Parameter progress: Called before each step; returning false ends it for now.
  /// - Returns: Whether nothing is unfinished.
  /// - Throws: ``StoreError``, as what began it.
  @discardableResult
  public func resumeMigration(progress: (MigrationProgress) -> Bool = { _ in true }) throws(StoreError) -> Bool {
    try begin()
    return try onEngine(Self.migration) { engine throws(BackendError) in try engine.migrate(progress: progress) }
  }
}
