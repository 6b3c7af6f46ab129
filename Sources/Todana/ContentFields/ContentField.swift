/// A value that `writeContent` writes: its name, its type, and the property that has it.
///
/// ```swift
/// override class var contentFields: [ContentField] {
///   [ContentField("title", \Song.title), ContentField("seconds", \Song.seconds), ContentField("album", \Song.album)]
/// }
/// ```
///
/// The fields of a class are listed in the order in which ``StoredObject/writeContent(to:)`` writes them. One list serves
/// tools that lack the class, which show and find records by these names, and the program's own query texts
/// (``StoredObject/fields``).
///
/// The type follows from the property if the property is written by the method that is named after its type:
/// `writeString` for a `String`, `writeUInt32` for a `UInt32`. Otherwise, name it: an `Int` that is written by
/// ``DataBuffer/writeVarInt(_:)`` is `ContentField("count", .varInt, \Song.count)`. An enumeration is written as its raw
/// value. A value without a property, such as one that is no longer used, has only a name and a type.
public struct ContentField: Sendable, Hashable {
  public let name: String
  public let type: ContentType
  /// The field of query texts; nil if the field has no property.
  let field: Field?

  /// Makes a field without a property.
  public init(_ name: String, _ type: ContentType) { self.init(name, type, field: nil) }

  init(_ name: String, _ type: ContentType, field: Field?) {
    self.name = name
    self.type = type
    self.field = field
  }

  public static func == (lhs: ContentField, rhs: ContentField) -> Bool { lhs.name == rhs.name && lhs.type == rhs.type }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(type)
  }
}

/// The type of a content field: the format in which a ``DataBuffer`` wrote the value.
///
/// Each case is named after the write method.
public indirect enum ContentType: Sendable, Hashable {
  case bool
  case int8
  case int16
  case int32
  case int64
  case uint8
  case uint16
  case uint32
  case uint64
  /// A value written by ``DataBuffer/writeInt(_:)``.
  case int
  /// A value written by ``DataBuffer/writeUInt(_:)``.
  case uint
  case varInt
  case varUInt
  case float
  case double
  case string
  /// A value written by ``DataBuffer/writeBytes(_:)`` or ``DataBuffer/writeData(_:)``.
  case bytes
  /// Bytes of a fixed number, written by `DataBuffer.writeRawBytes(_:)`.
  case rawBytes(Int)
  case date
  case uuid
  case url
  case decimal
  /// A value written by ``DataBuffer/writeCodable(_:)``.
  case codable
  /// A value written by ``DataBuffer/writeReference(_:)``.
  case reference
  /// A list written by `DataBuffer.writeReferences(_:)`.
  case references
  /// A value written by ``DataBuffer/writeAnyReference(_:)``.
  case anyReference
  /// A list written by ``DataBuffer/writeAnyReferences(_:)``.
  case anyReferences
  /// An identity written by `DataBuffer.writeObjectID(_:)`.
  case objectID
  /// A value written by `writeOptional` or `writeOptionalString`.
  case optional(ContentType)
  /// A collection written by `writeArray` or `writeSet`.
  case array(ContentType)
  /// A collection written by ``DataBuffer/writeDictionary(_:)``, with the types of its keys and values.
  case dictionary(ContentType, ContentType)
}

/// The textual form, in which a type is stored: `uint32`, `string?`, `[uint16]`.
extension ContentType: LosslessStringConvertible {
  private static let simple: [(String, ContentType)] = [
    ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64), ("uint8", .uint8),
    ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64), ("int", .int), ("uint", .uint),
    ("varint", .varInt), ("varuint", .varUInt), ("float", .float), ("double", .double), ("string", .string),
    ("bytes", .bytes), ("date", .date), ("uuid", .uuid), ("url", .url), ("decimal", .decimal), ("codable", .codable),
    ("reference", .reference), ("references", .references), ("anyreference", .anyReference),
    ("anyreferences", .anyReferences), ("objectid", .objectID),
  ]

  /// The maximum nesting depth of a type; deeper nesting has no use, and could overflow the stack.
  private static let depthLimit = 16

  public var description: String {
    switch self {
    case .optional(let type): "\(type)?"
    case .array(let type): "[\(type)]"
    case .dictionary(let key, let value): "[\(key): \(value)]"
    case .rawBytes(let count): "rawbytes(\(count))"
    default: Self.simple.first { $0.1 == self }?.0 ?? ""
    }
  }

  /// Parses a type from its ``description``; nil if this version does not know the text.
  public init?(_ description: String) { self.init(description[...], depth: 0) }

  private init?(_ text: Substring, depth: Int) {
    guard depth < Self.depthLimit else { return nil }
    if text.last == "?", let type = ContentType(text.dropLast(), depth: depth + 1) {
      self = .optional(type)
    } else if text.first == "[", text.last == "]" {
      let inner = text.dropFirst().dropLast()
      if let colon = Self.colon(in: inner) {
        guard let key = ContentType(inner[..<colon], depth: depth + 1),
          let value = ContentType(inner[inner.index(colon, offsetBy: 2)...], depth: depth + 1)
        else { return nil }
        self = .dictionary(key, value)
      } else {
        guard let type = ContentType(inner, depth: depth + 1) else { return nil }
        self = .array(type)
      }
    } else if text.hasPrefix("rawbytes("), text.last == ")" {
      guard let count = Int(text.dropFirst("rawbytes(".count).dropLast()), count >= 0 else { return nil }
      self = .rawBytes(count)
    } else if let type = Self.simple.first(where: { $0.0 == text })?.1 {
      self = type
    } else {
      return nil
    }
  }

  /// Returns the place of the ": " that is in no inner brackets.
  private static func colon(in text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "[": depth += 1
      case "]": depth -= 1
      case ":" where depth == 0: return text[index...].hasPrefix(": ") ? index : nil
      default: break
      }
    }
    return nil
  }
}
