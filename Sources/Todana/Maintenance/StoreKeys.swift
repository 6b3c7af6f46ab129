/// The passphrases and keys that open an encrypted store; returned by ``Store/keys``.
///
/// ```swift
/// try store.keys.change(to: .passphrase("new horse battery staple"))
/// let recovery = RecoveryKey()
/// try store.keys.add(.recoveryKey(recovery))
/// ```
///
/// Each change replaces the store's file of keys, which has a few hundred bytes, and is durable when the call returns.
/// Records are not rewritten. **Removing or changing a secret does not shut out a person who knew it and had copied the
/// file of keys.** Only a rotation does, which makes new keys and encrypts all records again
/// (``rotate(keeping:progress:)``).
///
/// All methods may be called from any thread. They throw ``StoreError``, whose ``StoreError/backendError`` tells more.
public struct StoreKeys: Sendable {
  private let management: any KeyManagement
  private let session: BackendSession

  init(_ management: any KeyManagement, _ session: BackendSession) {
    self.management = management
    self.session = session
  }

  /// Returns all secrets that open the store, in the order in which they were added.
  public func slots() throws(StoreError) -> [KeySlot] {
    try call { () throws(BackendError) in try management.slots() }
  }

  /// Adds a secret to the existing ones.
  ///
  /// - Returns: The number of its slot.
  /// - Throws: ``StoreError`` with an underlying ``BackendError``: ``BackendError/Code/invalidArgument`` for an empty
  ///   passphrase or a key of another length than 16 or 32 bytes; ``BackendError/Code/limitExceeded`` beyond 64 secrets;
  ///   ``BackendError/Code/readOnly``; errors of writing the file of keys.
  @discardableResult
  public func add(_ secret: StoreSecret) throws(StoreError) -> KeySlot.ID {
    try call { () throws(BackendError) in try management.add(secret) }
  }

  /// Replaces the secret with which the store was opened.
  ///
  /// - Returns: The number of the new secret's slot.
  /// - Throws: The errors of ``add(_:)``.
  @discardableResult
  public func change(to secret: StoreSecret) throws(StoreError) -> KeySlot.ID {
    try call { () throws(BackendError) in try management.change(to: secret) }
  }

  /// Removes a secret.
  ///
  /// - Throws: ``StoreError`` with an underlying ``BackendError``: ``BackendError/Code/invalidArgument`` if there is no
  ///   such slot, or it is the last one.
  public func remove(_ slot: KeySlot.ID) throws(StoreError) {
    try call { () throws(BackendError) in try management.remove(slot) }
  }

  /// Returns the current content of the file of keys, as a copy to keep elsewhere.
  ///
  /// Without the file of keys a store cannot be opened even if its passphrase is known. The copy opens with the present
  /// secrets, even after they were changed in the store. Once all keys were renewed (``rotate(keeping:progress:)``), it
  /// only opens older backups. ``Store/importKeys(_:at:encryption:)`` puts it back.
  public func export() throws(StoreError) -> [UInt8] {
    try call { () throws(BackendError) in try management.export() }
  }

  /// Replaces all keys, and encrypts everything again with the new ones, while the store is in use.
  ///
  /// From the start the store opens with the given secrets only, and new saves are encrypted with the new keys. At the
  /// end the store's directory contains neither the old keys nor data encrypted with them. A person who copied the file
  /// of keys before can still read older copies of the store, but no new data. Data that the disk, the file system or a
  /// backup still contains is not touched.
  ///
  /// If it is ended early, or the process is killed, the rotation is unfinished. ``Store/resumeMigration(progress:)``
  /// continues it, in this session or a later one.
  ///
  /// It takes disk space for a second copy of the largest class. Loaded objects stay valid, and can be changed.
  ///
  /// - Parameters:
  ///   - secrets: The secrets that open the store from now on: former ones to keep, and new ones.
  ///   - progress: Called before each step of about a millisecond; returning false pauses the rotation.
  /// - Returns: The former secrets that still open the store, and those that no longer do.
  /// - Throws: The errors of ``add(_:)``; ``StoreError/Code/damagedRecord`` if a record cannot be read, which must be
  ///   deleted or restored before the rotation can continue; an underlying ``BackendError/Code/inUse`` if another thread
  ///   is migrating.
  /// - Complexity: O(*n*) in the bytes of the store.
  @discardableResult
  public func rotate(
    keeping secrets: [StoreSecret], progress: (MigrationProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> KeyRotation {
    try call { () throws(BackendError) in try management.rotate(keeping: secrets, progress: progress) }
  }

  private func call<Result>(_ body: () throws(BackendError) -> Result) throws(StoreError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      if error.code == .mustReopen { session.noteFailure() }
      throw StoreError(error)
    }
  }
}
