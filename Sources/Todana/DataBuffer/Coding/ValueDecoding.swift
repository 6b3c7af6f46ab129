#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoder of one value in the binary form.
///
/// It is used for one value after another of a level. An instance that a program has kept is not used again.
final class ValueDecoding: Decoder {
  let source: DecodedBytes
  private let parent: ValueDecoding?
  /// The key of the value in its parent.
  private var key: (any CodingKey)?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The position of the value's tag.
  private(set) var start = 0
  /// The type that is being decoded, for its defaults.
  private var type: Any.Type = Void.self
  /// The position at which the next key is expected.
  var expected = 0
  /// The number of arrays and dictionaries around the value.
  private let depth: Int
  /// The decoder of the level below, while it is not in use.
  private var spare: ValueDecoding?

  init(_ source: DecodedBytes, parent: ValueDecoding? = nil) {
    self.source = source
    self.parent = parent
    depth = (parent?.depth ?? 0) + 1
  }

  /// The number of levels, which single values also are: more than an encoder writes.
  private static let depthLimit = 1200

  /// The keys that lead to the value.
  var codingPath: [any CodingKey] {
    guard let key else { return parent?.codingPath ?? [] }
    return (parent?.codingPath ?? []) + [key]
  }

  /// A reader at the value.
  func reader(at position: Int) throws -> ValueReader {
    guard var reader = source.reader else {
      throw failure("a container was used after the value was decoded")
    }
    reader.move(to: position)
    return reader
  }

  // MARK: Values

  /// Decodes the value of all bytes.
  func decodeWhole<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let plain = try decodePlain(type, at: 0, { nil }) { return plain }
    start = 0
    self.type = type
    return try Value(from: self)
  }

  /// Decodes a value within this decoder's one.
  func decodeNested<Value: Decodable>(
    _ type: Value.Type, at position: Int, _ key: @autoclosure () -> (any CodingKey)?
  ) throws -> Value {
    if let plain = try decodePlain(type, at: position, { key() }) { return plain }
    var nested = spare.take() ?? ValueDecoding(source, parent: self)
    guard nested.depth < Self.depthLimit else { throw failure("values are nested too deep") }
    nested.start = position
    nested.type = type
    nested.key = key()
    let value = try Value(from: nested)
    if isKnownUniquelyReferenced(&nested) { spare = nested }
    return value
  }

  /// Returns a decoder of a value within this decoder's one, which the program may keep until the end.
  func nested(at position: Int, _ key: (any CodingKey)?) -> ValueDecoding {
    let nested = ValueDecoding(source, parent: self)
    nested.start = position
    nested.key = key
    return nested
  }

  /// Decodes a value of the types that the binary form has a tag for, or a form of its own; nil for other types.
  private func decodePlain<Value>(
    _ type: Value.Type, at position: Int, _ key: () -> (any CodingKey)?
  ) throws -> Value? {
    if type == String.self { return try string(at: position, key) as? Value }
    if type == Date.self {
      var reader = try reader(at: position)
      guard
        try reader.checked({ reader throws(ValueReader.Failure) in try reader.readByte() }, self, key) == ValueTag.date
      else { throw mismatch(type, position, key) }
      let bits = try reader.checked({ reader throws(ValueReader.Failure) in try reader.readBits() }, self, key)
      return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)) as? Value
    }
    if type == UUID.self {
      var reader = try reader(at: position)
      guard reader.nextTag == ValueTag.uuid else {
        // JSON of other programs has UUIDs as texts.
        if let text = try? string(at: position, key), let uuid = UUID(uuidString: text) { return uuid as? Value }
        throw mismatch(type, position, key)
      }
      let range = try reader.checked(
        { reader throws(ValueReader.Failure) in try reader.move(behindTag: 16) }, self, key)
      let bytes = unsafe reader.bytes(range)
      return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) as? Value
    }
    if type == Data.self {
      var reader = try reader(at: position)
      guard reader.nextTag == ValueTag.bytes else { throw mismatch(type, position, key) }
      reader.move(to: position + 1)
      let range = try reader.checked({ reader throws(ValueReader.Failure) in try reader.readCounted() }, self, key)
      return unsafe Data(reader.bytes(range)) as? Value
    }
    if type == URL.self {
      guard let url = URL(string: try string(at: position, key)) else { throw mismatch(type, position, key) }
      return url as? Value
    }
    if type == Decimal.self {
      let text = try string(at: position, key)
      if text == "NaN" { return Decimal.nan as? Value }
      guard text.utf8.count <= 170, let number = Decimal(string: text), number.description == text else {
        throw mismatch(type, position, key)
      }
      return number as? Value
    }
    return nil
  }

  // MARK: Plain values

  func string(at position: Int, _ key: () -> (any CodingKey)?) throws -> String {
    var reader = try reader(at: position)
    do throws(ValueReader.Failure) {
      let tag = try reader.readByte()
      if tag >= ValueTag.shortString {
        return try reader.string(reader.read(count: UInt64(tag - ValueTag.shortString)))
      }
      if tag == ValueTag.string { return try reader.string(reader.readCounted()) }
    } catch {
      throw failure(error, key)
    }
    throw mismatch(String.self, position, key)
  }

  @inline(__always)
  func integer<Integer: FixedWidthInteger>(
    _ type: Integer.Type, at position: Int, _ key: () -> (any CodingKey)?
  ) throws -> Integer {
    var reader = try reader(at: position)
    do throws(ValueReader.Failure) {
      let tag = try reader.readByte()
      if tag & 0xC0 == ValueTag.smallInteger { return Integer(truncatingIfNeeded: tag & 0x3F) }
      if tag == ValueTag.integer, let value = Integer(exactly: ValueReader.integer(zigzag: try reader.readVarint())) {
        return value
      }
    } catch {
      throw failure(error, key)
    }
    return try otherInteger(type, at: position, key)
  }

  /// Decodes an integer that is stored as a floating-point number, or as the digits of one beyond the range of `Int64`.
  private func otherInteger<Integer: FixedWidthInteger>(
    _ type: Integer.Type, at position: Int, _ key: () -> (any CodingKey)?
  ) throws -> Integer {
    let reader = try reader(at: position)
    if reader.nextTag == ValueTag.double, let value = Integer(exactly: try double(at: position, key)) { return value }
    if let tag = reader.nextTag, tag >= ValueTag.shortString, let text = try? string(at: position, key),
      let value = Integer(text), Int64(exactly: value) == nil
    {
      return value
    }
    throw mismatch(type, position, key)
  }

  func double(at position: Int, _ key: () -> (any CodingKey)?) throws -> Double {
    var reader = try reader(at: position)
    do throws(ValueReader.Failure) {
      let tag = try reader.readByte()
      if tag == ValueTag.double { return Double(bitPattern: try reader.readBits()) }
      if tag & 0xC0 == ValueTag.smallInteger { return Double(tag & 0x3F) }
      if tag == ValueTag.integer { return Double(ValueReader.integer(zigzag: try reader.readVarint())) }
    } catch {
      throw failure(error, key)
    }
    throw mismatch(Double.self, position, key)
  }

  func float(at position: Int, _ key: () -> (any CodingKey)?) throws -> Float {
    // Rounding is accepted, as by other decoders: a Float was encoded as the nearest Double.
    let number = try double(at: position, key)
    let float = Float(number)
    if float.isInfinite, number.isFinite { throw mismatch(Float.self, position, key) }
    return float
  }

  func bool(at position: Int, _ key: () -> (any CodingKey)?) throws -> Bool {
    let tag = try reader(at: position).nextTag
    if tag == ValueTag.true { return true }
    if tag == ValueTag.false { return false }
    throw mismatch(Bool.self, position, key)
  }

  func isNull(at position: Int) throws -> Bool { try reader(at: position).nextTag == ValueTag.null }

  // MARK: Containers

  func container<Key: CodingKey>(keyedBy keyType: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let entries = try entries()
    expected = entries.lowerBound
    return KeyedDecodingContainer(KeyedValueDecoding<Key>(decoding: self, entries: entries, type: type))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let elements = try content(ValueTag.array, "array")
    return UnkeyedValueDecoding(decoding: self, elements: elements, count: try count(of: elements))
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueDecoding(decoding: self, position: start)
  }

  /// Returns the bytes of the entries of a dictionary.
  func entries() throws -> Range<Int> { try content(ValueTag.dictionary, "dictionary") }

  /// Returns the bytes of the value's parts.
  private func content(_ expected: UInt8, _ name: String) throws -> Range<Int> {
    var reader = try reader(at: start)
    do throws(ValueReader.Failure) {
      if try reader.readByte() == expected { return try reader.readCounted() }
    } catch {
      throw failure(error) { nil }
    }
    throw mismatch(name, start) { nil }
  }

  private func count(of elements: Range<Int>) throws -> Int {
    var reader = ValueReader(try reader(at: 0), elements)
    var count = 0
    do throws(ValueReader.Failure) {
      while !reader.isAtEnd {
        try reader.skipValue()
        count += 1
      }
    } catch {
      throw failure(error) { nil }
    }
    return count
  }

  // MARK: Errors

  func context(_ message: String, _ key: () -> (any CodingKey)? = { nil }) -> DecodingError.Context {
    .init(codingPath: codingPath + (key().map { [$0] } ?? []), debugDescription: message)
  }

  func failure(_ message: String) -> DecodingError { .dataCorrupted(context(message)) }

  @inline(never)
  func failure(_ error: ValueReader.Failure, _ key: () -> (any CodingKey)?) -> DecodingError {
    .dataCorrupted(context("the bytes of the value are invalid: \(error)", key))
  }

  @inline(never)
  func mismatch(_ expected: Any, _ position: Int, _ key: () -> (any CodingKey)?) -> DecodingError {
    let tag = (try? reader(at: position))?.nextTag
    let type = expected as? Any.Type ?? [UInt8].self
    guard let tag, tag != ValueTag.null else {
      return .valueNotFound(type, context("there is no value, or null", key))
    }
    return .typeMismatch(type, context("\(expected) was expected, but the value has the tag \(tag)", key))
  }
}

extension ValueReader {
  /// Reads by a closure, and throws its failure as an error of a decoder.
  @inline(__always)
  mutating func checked<Result>(
    _ body: (inout ValueReader) throws(Failure) -> Result, _ decoding: ValueDecoding, _ key: () -> (any CodingKey)?
  ) throws -> Result {
    do throws(Failure) { return try body(&self) } catch { throw decoding.failure(error, key) }
  }

  mutating func move(behindTag byteCount: Int) throws(Failure) -> Range<Int> {
    _ = try readByte()
    return try read(count: UInt64(byteCount))
  }
}
