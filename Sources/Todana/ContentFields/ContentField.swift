/// The name and type of a value that `writeContent` writes, by which tools that lack the class can show records.
///
/// ```swift
/// override class var contentFields: [ContentField] {
///   [ContentField("title", .string), ContentField("seconds", .uint32), ContentField("genre", .optional(.string))]
/// }
/// ```
public struct ContentField: Sendable, Hashable {
  public let name: String
  public let type: ContentType

  public init(_ name: String, _ type: ContentType) {
    self.name = name
    self.type = type
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
  case date
  case uuid
  /// A value written by ``DataBuffer/writeReference(_:)``.
  case reference
  /// A list written by `DataBuffer.writeReferences(_:)`.
  case references
  /// A value written by ``DataBuffer/writeAnyReference(_:)``.
  case anyReference
  /// A value written by `writeOptional` or `writeOptionalString`.
  case optional(ContentType)
  /// A collection written by `writeArray` or `writeSet`.
  case array(ContentType)
}

/// The textual form, in which a type is stored: `uint32`, `string?`, `[uint16]`.
extension ContentType: LosslessStringConvertible {
  private static let simple: [(String, ContentType)] = [
    ("bool", .bool), ("int8", .int8), ("int16", .int16), ("int32", .int32), ("int64", .int64), ("uint8", .uint8),
    ("uint16", .uint16), ("uint32", .uint32), ("uint64", .uint64), ("int", .int), ("uint", .uint),
    ("varint", .varInt), ("varuint", .varUInt), ("float", .float), ("double", .double), ("string", .string),
    ("bytes", .bytes), ("date", .date), ("uuid", .uuid), ("reference", .reference), ("references", .references),
    ("anyreference", .anyReference),
  ]

  /// The maximum nesting depth of a type; deeper nesting has no use, and could overflow the stack.
  private static let depthLimit = 16

  public var description: String {
    switch self {
    case .optional(let type): "\(type)?"
    case .array(let type): "[\(type)]"
    default: Self.simple.first { $0.1 == self }?.0 ?? ""
    }
  }

  /// Parses a type from its ``description``; nil if this version does not know the text.
  public init?(_ description: String) { self.init(description[...], depth: 0) }

  private init?(_ text: Substring, depth: Int) {
    guard depth < Self.depthLimit else { return nil }
    if text.last == "?", let type = ContentType(text.dropLast(), depth: depth + 1) {
      self = .optional(type)
    } else if text.first == "[", text.last == "]",
      let type = ContentType(text.dropFirst().dropLast(), depth: depth + 1)
    {
      self = .array(type)
    } else if let type = Self.simple.first(where: { $0.0 == text })?.1 {
      self = type
    } else {
      return nil
    }
  }
}
