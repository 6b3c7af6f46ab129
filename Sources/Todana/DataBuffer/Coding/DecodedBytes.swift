/// The bytes that decoders and their containers read, as long as the decoding lasts.
final class DecodedBytes {
  /// The reader of all bytes; nil after the decoding.
  var reader: ValueReader?
  /// The memory of the bytes, if it belongs to this object.
  private let owner: ByteArena?
  /// The encoded defaults of types; nil for a type without defaults.
  private var defaults: [ObjectIdentifier: DecodedBytes?] = [:]

  init() { owner = nil }

  private init(_ encoding: ValueEncoding) {
    owner = encoding.arena
    // The arena belongs to this object, and nothing is written to it any more.
    reader = unsafe ValueReader(encoding.arena.bytes)
  }

  /// Returns the encoded defaults of a type; nil if it has none.
  func defaults(of type: Any.Type) throws -> DecodedBytes? {
    if let known = defaults[ObjectIdentifier(type)] { return known }
    let found = try (type as? any DefaultValues.Type).map { try Self.encoded($0) }
    defaults[ObjectIdentifier(type)] = .some(found)
    return found
  }

  private static func encoded<Value: DefaultValues>(_ type: Value.Type) throws -> DecodedBytes {
    let encoding = ValueEncoding()
    try encoding.encode(type.defaults)
    return DecodedBytes(encoding)
  }
}
