/// A key of 128 random bits to be printed and kept in a drawer, for the day when the passphrase is forgotten.
///
/// ```swift
/// let recovery = RecoveryKey()
/// try store.keys.add(.recoveryKey(recovery))
/// print(recovery.text)          // 7GZ3K-4QW1N-…, six groups of five
/// ```
///
/// The text is Crockford's Base32: no difference is made between upper and lower case, nor between `O` and `0`, nor
/// between `I`, `L` and `1`. Its last 22 bits are a checksum.
public struct RecoveryKey: Sendable, Equatable {
  let bytes: [UInt8]

  /// A new one.
  public init() {
    var generator = SystemRandomNumberGenerator()
    bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }
}

extension RecoveryKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Says that it is one; ``text`` is to be asked for.
  public var description: String { "a recovery key" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
