/// Which snapshot: 16 random bytes, of which people say the first hexadecimal digits.
public struct SnapshotID: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 16

  public let bytes: [UInt8]

  /// Nil where these are not 16 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  static func random() -> SnapshotID {
    var generator = SystemRandomNumberGenerator()
    return SnapshotID(unchecked: (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// 32 hexadecimal digits.
  public var description: String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// As people say it: eight digits.
  public var short: String { String(description.prefix(8)) }
}
