/// A key of 128 random bits, to be printed and kept in case the passphrase is forgotten.
///
/// ```swift
/// let recovery = RecoveryKey()
/// try store.keys.add(.recoveryKey(recovery))
/// print(recovery.text)          // 7GZ3K-4QW1N-…, six groups of five
/// ```
///
/// The text is Crockford's Base32. Upper and lower case are equivalent, and so are `O` and `0`, and `I`, `L` and `1`.
/// Its last 22 bits are a checksum.
public struct RecoveryKey: Sendable, Equatable {
  let bytes: [UInt8]

  /// Creates a random key.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The words "a recovery key", so that printing does not reveal it; ``text`` has the key.
  public var description: String { "a recovery key" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
