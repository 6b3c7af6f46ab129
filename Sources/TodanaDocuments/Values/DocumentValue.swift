public import struct Foundation.Data
public import struct Foundation.Date
public import struct Foundation.UUID

/// A value in a document: null, a Boolean, a number, a text, a date, a UUID, bytes, an array, or a dictionary.
///
/// ```swift
/// var user: DocumentValue = ["name": "Doe", "emails": ["jdoe@foo.com"], "address": ["country": "US"], "age": 41]
/// user["address.country"]?.string   // "US"
/// user["emails"]?[0]                // "jdoe@foo.com"
/// user["address.city"] = "Boston"
/// ```
///
/// Literals are values. A variable becomes one with an initializer without a label: `DocumentValue(name)`, or
/// `.init(name)` where a value is expected.
///
/// Values are equal by the rules of ``DocumentKind``: 3 equals 3.0, texts and keys are compared by their bytes, and the
/// order of a dictionary's keys does not count.
public struct DocumentValue: Sendable {
  enum Storage: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case date(Date)
    case uuid(UUID)
    case bytes(Data)
    case array([DocumentValue])
    case dictionary(DocumentDictionary)
  }

  var storage: Storage

  init(storage: Storage) { self.storage = storage }

  /// The value without content, which JSON calls `null`.
  public static var null: DocumentValue { DocumentValue(storage: .null) }

  public init(_ value: Bool) { storage = .bool(value) }
  public init(_ value: Int) { storage = .integer(Int64(value)) }
  public init(_ value: Int64) { storage = .integer(value) }
  public init(_ value: Double) { storage = .double(value) }
  public init(_ value: String) { storage = .string(value) }
  public init(_ value: Date) { storage = .date(value) }
  public init(_ value: UUID) { storage = .uuid(value) }
  public init(_ value: Data) { storage = .bytes(value) }
  public init(_ value: [DocumentValue]) { storage = .array(value) }
  public init(_ value: DocumentDictionary) { storage = .dictionary(value) }

  /// Makes a dictionary whose keys are in the order of their bytes, because a Swift dictionary has no order.
  public init(_ value: [String: DocumentValue]) {
    var dictionary = DocumentDictionary()
    for (key, value) in value.sorted(by: { String.isBefore($0.key, $1.key) }) { dictionary[key] = value }
    storage = .dictionary(dictionary)
  }
}

extension DocumentValue: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

extension DocumentValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self.init(value) }
}

extension DocumentValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
}

extension DocumentValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self.init(value) }
}

extension DocumentValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(value) }
}

extension DocumentValue: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: DocumentValue...) { self.init(elements) }
}

extension DocumentValue: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary in the order of the literal.
  ///
  /// If a key occurs twice, its last value counts.
  public init(dictionaryLiteral elements: (String, DocumentValue)...) {
    self.init(DocumentDictionary(inOrder: elements))
  }
}
