#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A value of a record, decoded by a ``ContentLayout``.
public indirect enum ContentValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case text(String)
  case bytes([UInt8])
  case list([ContentValue])
  /// The entries of a dictionary, in the order in which they are stored.
  case dictionary([Entry])

  /// A key of a dictionary with its value.
  public struct Entry: Sendable, Hashable {
    public let key: ContentValue
    public let value: ContentValue

    public init(key: ContentValue, value: ContentValue) {
      self.key = key
      self.value = value
    }
  }
}

extension ContentValue: CustomStringConvertible {
  /// The value as text, for people to read.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let value): value
    case .bytes(let value): value.isEmpty ? "no bytes" : Hexadecimal.text(of: value)
    case .list(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    case .dictionary(let entries):
      "{" + entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
  }
}

extension ContentValue: Encodable {
  /// Encodes the value as its JSON counterpart.
  ///
  /// Bytes are encoded as Base64, and numbers without a JSON form as strings.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .number(let value) where !value.isFinite: try container.encode("\(value)")
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .bytes(let value): try container.encode(Data(value).base64EncodedString())
    case .list(let values): try container.encode(values)
    case .dictionary(let entries):
      try container.encode(Dictionary(entries.map { ($0.key.description, $0.value) }) { first, _ in first })
    }
  }
}

extension DataBuffer {
  /// Reads a value of a given type, without the class that wrote it.
  mutating func readContentValue(_ type: ContentType) throws(DataBufferError) -> ContentValue {
    switch type {
    case .bool: return .bool(try readBool())
    case .int8: return .integer(Int64(try readInt8()))
    case .int16: return .integer(Int64(try readInt16()))
    case .int32: return .integer(Int64(try readInt32()))
    case .int64: return .integer(try readInt64())
    case .uint8: return .unsigned(UInt64(try readUInt8()))
    case .uint16: return .unsigned(UInt64(try readUInt16()))
    case .uint32: return .unsigned(UInt64(try readUInt32()))
    case .uint64: return .unsigned(try readUInt64())
    case .int: return .integer(Int64(try readInt()))
    case .uint: return .unsigned(UInt64(try readUInt()))
    case .varInt: return .integer(try readVarInt())
    case .varUInt: return .unsigned(try readVarUInt())
    case .float: return .number(Self.shortest(try readFloat()))
    case .double: return .number(try readDouble())
    case .string: return .text(try readString())
    case .bytes: return .bytes(try readBytes())
    case .date: return Self.date(try readDouble())
    case .rawBytes(let count): return .bytes(try readRawBytes(count: count))
    case .uuid: return .text(try readUUID().uuidString)
    case .url: return .text(try readURL().absoluteString)
    case .decimal: return .text(try readDecimal().description)
    case .codable: return try readCodable(AnyContent.self).value
    case .reference: return Self.reference(try readVarUInt())
    case .references: return try readContentList(of: .varUInt)
    case .anyReference: return try readContentReference()
    case .anyReferences:
      return try readContentElements { buffer throws(DataBufferError) in try buffer.readContentReference() }
    case .objectID: return .text(try readObjectID().description)
    case .optional(let type): return try readBool() ? try readContentValue(type) : .null
    case .array(let type): return try readContentList(of: type)
    case .dictionary(let key, let value):
      var entries: [ContentValue.Entry] = []
      for _ in 0..<(try readCount()) {
        entries.append(.init(key: try readContentValue(key), value: try readContentValue(value)))
      }
      return .dictionary(entries)
    }
  }

  private mutating func readContentElements(
    _ read: (inout DataBuffer) throws(DataBufferError) -> ContentValue
  ) throws(DataBufferError) -> ContentValue {
    var values: [ContentValue] = []
    for _ in 0..<(try readCount()) { values.append(try read(&self)) }
    return .list(values)
  }

  private mutating func readContentList(of type: ContentType) throws(DataBufferError) -> ContentValue {
    try readContentElements { buffer throws(DataBufferError) in try buffer.readContentValue(type) }
  }

  private mutating func readContentReference() throws(DataBufferError) -> ContentValue {
    let number = try readVarUInt()
    return number == 0 ? .null : .text("\(number - 1)-\(try readVarUInt())")
  }

  private static func reference(_ rowID: RowID) -> ContentValue { rowID == 0 ? .null : .unsigned(rowID) }

  /// Returns the double with the shortest decimal form of the float: 0.1 and not 0.10000000149011612.
  private static func shortest(_ value: Float) -> Double { Double("\(value)") ?? Double(value) }

  /// Returns a date with a four-digit year in ISO 8601 form; any other date as the stored number of seconds.
  fileprivate static func date(_ seconds: Double) -> ContentValue {
    DateText.iso8601(Date(timeIntervalSinceReferenceDate: seconds)).map { .text($0) } ?? .number(seconds)
  }
}

/// Any Codable value, as a content value.
private struct AnyContent: Decodable {
  let value: ContentValue

  init(from decoder: any Decoder) throws {
    if let entries = try? decoder.container(keyedBy: Key.self) {
      value = .dictionary(
        try entries.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
          .init(key: .text(key.stringValue), value: try entries.decode(AnyContent.self, forKey: key).value)
        })
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var values: [ContentValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(AnyContent.self).value) }
      value = .list(values)
      return
    }
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      value = .null
    } else if let bool = try? single.decode(Bool.self) {
      value = .bool(bool)
    } else if let integer = try? single.decode(Int64.self) {
      value = .integer(integer)
    } else if let unsigned = try? single.decode(UInt64.self) {
      value = .unsigned(unsigned)
    } else if let number = try? single.decode(Double.self) {
      value = .number(number)
    } else if let text = try? single.decode(String.self) {
      value = .text(text)
    } else if let date = try? single.decode(Date.self) {
      value = DataBuffer.date(date.timeIntervalSinceReferenceDate)
    } else if let uuid = try? single.decode(UUID.self) {
      value = .text(uuid.uuidString)
    } else {
      value = .bytes(Array(try single.decode(Data.self)))
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
