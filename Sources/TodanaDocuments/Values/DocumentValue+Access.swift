public import struct Foundation.Data
public import struct Foundation.Date
public import struct Foundation.UUID

// The content of a value. Each property is nil for values of other kinds.
extension DocumentValue {
  /// The kind of the value.
  public var kind: DocumentKind {
    switch storage {
    case .null: .null
    case .bool: .bool
    case .integer, .double: .number
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .bytes: .bytes
    case .array: .array
    case .dictionary: .dictionary
    }
  }

  public var isNull: Bool { kind == .null }

  public var bool: Bool? {
    if case .bool(let value) = storage { return value }
    return nil
  }

  /// The value as an integer: an integer, or a floating-point number that is a whole number in the range of `Int`.
  public var int: Int? {
    switch storage {
    case .integer(let value): Int(exactly: value)
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value as a floating-point number: such a number, or an integer that a `Double` represents exactly.
  public var double: Double? {
    switch storage {
    case .integer(let value): Double(exactly: value)
    case .double(let value): value
    default: nil
    }
  }

  public var string: String? {
    if case .string(let value) = storage { return value }
    return nil
  }

  public var date: Date? {
    if case .date(let value) = storage { return value }
    return nil
  }

  public var uuid: UUID? {
    if case .uuid(let value) = storage { return value }
    return nil
  }

  public var bytes: Data? {
    if case .bytes(let value) = storage { return value }
    return nil
  }

  public var array: [DocumentValue]? {
    if case .array(let value) = storage { return value }
    return nil
  }

  /// The entries of a dictionary, as a Swift dictionary.
  ///
  /// If keys are equal for Swift, though their bytes differ, only the last of them is in it. ``fields`` has all keys, in
  /// their order.
  public var dictionary: [String: DocumentValue]? {
    fields.map { Dictionary($0.map { ($0.key, $0.value) }) { _, last in last } }
  }

  /// The entries of a dictionary, in their order.
  public var fields: DocumentDictionary? {
    if case .dictionary(let value) = storage { return value }
    return nil
  }
}
