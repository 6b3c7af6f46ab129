/// What protects a store's files: given when a store is created, and again whenever it is opened.
///
/// A new store is encrypted with AES-128-GCM, or what ``KyotoBackend/Options/cipher`` says. Nothing of a secret is ever
/// printed or logged.
@nonexhaustive
public enum StoreEncryption: Sendable {
  case none
  /// A passphrase, of at least one character; its normalized form (NFC) counts, so that it does not matter how it was
  /// typed.
  case passphrase(String)
  /// 16 or 32 random bytes.
  case key([UInt8])
  case recoveryKey(RecoveryKey)
  /// Asks for the secret when the store is opened.
  case callback(@Sendable () throws -> StoreSecret)
}

extension StoreEncryption {
  /// The secret; nil for none.
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
  /// Refuses what can be nobody's secret.
  func check() throws(StoreError) {
    switch self {
    case .passphrase(let passphrase):
      if passphrase.isEmpty { throw StoreError(.invalidKey, "A passphrase must not be empty.") }
    case .key(let key):
      guard key.count == 16 || key.count == 32 else {
        throw StoreError(.invalidKey, "A key has 16 or 32 bytes; this one has \(key.count).")
      }
    case .recoveryKey: break
    }
  }
}

// A secret must not come into a log by being printed.
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
