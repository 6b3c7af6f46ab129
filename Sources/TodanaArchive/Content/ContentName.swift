public import Todana

/// What a piece of content is called: the first 16 bytes of the HMAC-SHA256 of its bytes under a key of the archive.
///
/// Equal content has one name, and is stored once. Who does not have the key cannot tell from a name what it is the name
/// of; two different contents with the same name are not to be found in practice (2^64 contents would have to be tried).
public struct ContentName: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  static let byteCount = 16

  /// From bytes, of which there are at least 16.
  init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  func write(to buffer: inout DataBuffer) {
    buffer.writeUInt64(high)
    buffer.writeUInt64(low)
  }

  init(from buffer: inout DataBuffer) throws(DataBufferError) {
    high = try buffer.readUInt64()
    low = try buffer.readUInt64()
  }
}

extension ContentName: CustomStringConvertible {
  public var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

extension ContentName: OrderedValue {
  public static var indexedTypeName: String { "ContentName" }

  public func writeKey(to key: inout KeyWriter) {
    key.append(bigEndian: high)
    key.append(bigEndian: low)
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> ContentName {
    let high: UInt64 = try key.readBigEndian()
    return ContentName(high: high, low: try key.readBigEndian())
  }

  public static func isEqual(_ lhs: ContentName, _ rhs: ContentName) -> Bool { lhs == rhs }

  public static func precedes(_ lhs: ContentName, _ rhs: ContentName) -> Bool {
    lhs.high != rhs.high ? lhs.high < rhs.high : lhs.low < rhs.low
  }
}
