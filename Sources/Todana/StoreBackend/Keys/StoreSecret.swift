/// One of the secrets that open an encrypted store.
@nonexhaustive
public enum StoreSecret: Sendable {
  /// A passphrase, of at least one character.
  case passphrase(String)
  /// A key of 16 or 32 random bytes.
  case key([UInt8])
  case recoveryKey(RecoveryKey)
}

// Keeps a printed secret out of logs.
extension StoreSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    switch self {
    case .passphrase: "a passphrase"
    case .key: "a key"
    case .recoveryKey: "a recovery key"
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
