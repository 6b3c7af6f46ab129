/// The protection of a store's files: given when a store is created, and again whenever it is opened.
///
/// A new store is encrypted with AES-128-GCM, or with ``StoreConfiguration/cipher``. No part of a secret is ever
/// printed or logged.
@nonexhaustive
public enum StoreEncryption: Sendable {
  case none
  /// A passphrase, of at least one character.
  ///
  /// Its normalized form (NFC) is used, so the way in which it was typed does not matter.
  case passphrase(String)
  /// A key of 16 or 32 random bytes.
  case key([UInt8])
  case recoveryKey(RecoveryKey)
  /// A function that is asked for the secret when the store is opened.
  case callback(@Sendable () throws -> StoreSecret)
}

extension StoreEncryption {
  /// Returns the secret; nil for no encryption.
  func secret() throws -> StoreSecret? {
    let secret: StoreSecret? =
      switch self {
      case .none: nil
      case .passphrase(let passphrase): .passphrase(passphrase)
      case .key(let key): .key(key)
      case .recoveryKey(let key): .recoveryKey(key)
      case .callback(let ask): try ask()
      }
    try secret?.check()
    return secret
  }
}

extension StoreSecret {
  /// Throws an error if no store can have such a secret.
  func check() throws(StoreError) {
    switch self {
    case .passphrase(let passphrase):
      if passphrase.isEmpty { throw StoreError(.invalidKey, "A passphrase must not be empty.") }
      // scrypt does not distinguish it from the passphrase without the NUL character (RFC 7914, RFC 2104).
      if passphrase.utf8.last == 0 { throw StoreError(.invalidKey, "A passphrase must not end with a NUL character.") }
    case .key(let key):
      guard key.count == 16 || key.count == 32 else {
        throw StoreError(.invalidKey, "A key has 16 or 32 bytes; this one has \(key.count).")
      }
    case .recoveryKey: break
    }
  }
}

// Keeps a printed secret out of logs.
extension StoreEncryption: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch self {
    case .none: "none"
    case .passphrase: "a passphrase"
    case .key: "a key"
    case .recoveryKey: "a recovery key"
    case .callback: "a callback"
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
