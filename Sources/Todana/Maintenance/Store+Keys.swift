extension Store {
  /// The passphrases and keys that open this store.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notEncrypted``, or with ``StoreError/Code/notSupported`` if the
  ///   backend is encrypted but manages no keys.
  public var keys: StoreKeys {
    get throws(StoreError) {
      try begin()
      guard let management = backend.operations?.keyManagement else {
        if backend.keyRing != nil {
          throw StoreError(.notSupported, "The backend of the store does not manage its passphrases and keys.")
        }
        throw StoreError(.notEncrypted, "The store is not encrypted, so it has no passphrases or keys.")
      }
      return StoreKeys(management, session)
    }
  }

  /// Replaces a store's file of keys by an exported one (``StoreKeys/export()``).
  ///
  /// Use it if the store's own file of keys is damaged or lost, or if all its passphrases and keys are lost.
  ///
  /// The store then opens with the secrets that the file had when it was exported. Keys that the store has received
  /// since are kept, if its own file of keys can be read. The store must not be open.
  ///
  /// - Parameters:
  ///   - keys: The exported file.
  ///   - path: The directory of the store.
  ///   - encryption: One of the passphrases or keys that open the exported file.
  /// - Throws: ``StoreError``: ``StoreError/Code/wrongKey``; ``StoreError/Code/damagedKeys`` if the file is damaged, or
  ///   older than the store's keys; ``StoreError/Code/notEncrypted``. An underlying ``BackendError`` has the code
  ///   ``BackendError/Code/otherStore`` if the file belongs to another store, and ``BackendError/Code/inUse`` if the
  ///   store is open.
  public static func importKeys(_ keys: [UInt8], at path: String, encryption: StoreEncryption) throws {
    guard let secret = try encryption.secret() else {
      throw StoreError(.keyRequired, "A passphrase or key that opens the file of keys is needed.")
    }
    do throws(BackendError) {
      try KyotoBackend.importKeys(keys, at: path, secret: secret)
    } catch {
      throw StoreError(error)
    }
  }
}
