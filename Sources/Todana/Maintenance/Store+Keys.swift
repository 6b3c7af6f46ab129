extension Store {
  /// The passphrases and keys that open this store.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/notEncrypted``.
  public var keys: any KeyManagement {
    get throws(StoreError) {
      try begin()
      guard let management = backend.operations?.keyManagement else {
        throw StoreError(.notEncrypted, "The store is not encrypted, so no passphrase or key opens it.")
      }
      return management
    }
  }

  /// Puts an exported file of keys (``KeyManagement/export()``) in the place of a store's own, which is damaged, lost, or
  /// has no secret any more that somebody knows.
  ///
  /// The store opens with the secrets that the file had when it was exported. Keys that the store was given since are
  /// kept, as far as its own file can be read. Nobody may have the store open.
  ///
  /// - Parameters:
  ///   - keys: The exported file.
  ///   - path: The directory of the store.
  ///   - encryption: One of the passphrases or keys that open the exported file.
  /// - Throws: ``StoreError``: ``StoreError/Code/wrongKey``; ``StoreError/Code/damagedKeys`` where the file is damaged, or
  ///   older than the store's keys; ``StoreError/Code/notEncrypted``; with a ``BackendError`` underneath where it is another
  ///   store's (``BackendError/Code/otherStore``) or somebody has the store open (``BackendError/Code/inUse``).
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
