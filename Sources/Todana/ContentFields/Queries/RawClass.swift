#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A class that the program does not have, with the fields of its records and the indexes that can find them.
struct RawClass {
  let name: String
  let layout: ContentLayout
  /// The fields that query texts can name: those with an order, and lists of such values.
  let fields: [Field]
  /// For each field with an order, a closure that makes the part of an index over its property.
  private let parts: [String: (_ isDescending: Bool) -> IndexPart]
  private let foldedParts: [String: IndexPart]

  init(_ layout: ContentLayout) {
    name = layout.className
    self.layout = layout
    var fields: [Field] = []
    var parts: [String: (Bool) -> IndexPart] = [:]
    var foldedParts: [String: IndexPart] = [:]
    for (index, field) in layout.fields.enumerated() where !fields.contains(where: { $0.name == field.name }) {
      func add<Value: RawFieldValue>(_ type: Value.Type) {
        let keyPath: any KeyPath<RawRow, Value> & Sendable = \RawRow[RawField<Value>(index: index)]
        fields.append(Field(field.name, keyPath, loading: [\RawRow.self]))
        parts[field.name] = { IndexPart(keyPath, isDescending: $0) }
      }
      func add<Value: RawFieldValue & OptionalText>(text type: Value.Type) {
        let keyPath: any KeyPath<RawRow, Value> & Sendable = \RawRow[RawField<Value>(index: index)]
        fields.append(Field(text: field.name, keyPath, loading: [\RawRow.self]))
        parts[field.name] = { IndexPart(keyPath, isDescending: $0) }
        foldedParts[field.name] = IndexPart(folding: keyPath)
      }
      func add<Value: RawFieldValue>(optional type: Value.Type) { add(Value?.self) }
      func addReference() {
        // The property of the class is a reference, whose keys in an index are not those of a number.
        let keyPath: any KeyPath<RawRow, UInt64?> & Sendable = \RawRow[RawField<UInt64?>(index: index)]
        fields.append(Field(field.name, keyPath, loading: [\RawRow.self]))
      }
      switch field.type {
      case .string, .url: add(text: String.self)
      case .optional(.string), .optional(.url): add(text: String?.self)
      case .reference: addReference()
      case .optional(let type):
        if let type = Self.valueType(of: type) { add(optional: type) }
      default:
        if let type = Self.valueType(of: field.type) { add(type) }
      }
    }
    self.fields = fields
    self.parts = parts
    self.foldedParts = foldedParts
  }

  /// Returns the type of properties that are written in a format; nil if its values have no order.
  private static func valueType(of type: ContentType) -> (any RawFieldValue.Type)? {
    switch type {
    case .bool: Bool.self
    case .int8: Int8.self
    case .int16: Int16.self
    case .int32: Int32.self
    case .int64: Int64.self
    case .uint8: UInt8.self
    case .uint16: UInt16.self
    case .uint32: UInt32.self
    case .uint64, .varUInt: UInt64.self
    case .int: Int.self
    case .varInt: Int64.self
    case .uint: UInt.self
    case .float: Float.self
    case .double: Double.self
    case .bytes, .rawBytes: Data.self
    case .date: ISODate.self
    case .uuid: UUID.self
    case .decimal: Decimal.self
    case .objectID, .anyReference: AnyObjectID.self
    default: nil
    }
  }

  /// Returns an index of the class that is described by a header; nil if it is over other properties than the fields.
  func index(named indexName: String, _ header: IndexHeader, keyspace: KeyspaceID) -> ClassIndex? {
    guard header.state == .complete else { return nil }
    var indexParts: [IndexPart] = []
    var isUnique = false
    for line in header.signature.split(separator: "\n") {
      if line == "unique" { isUnique = true }
      if line == "unique with nil" || line.hasPrefix("where ") { return nil }
      guard line.hasPrefix("part ") else { continue }
      guard let part = part(line.dropFirst("part ".count)) else { return nil }
      indexParts.append(part)
    }
    guard !indexParts.isEmpty else { return nil }
    let declaration = Index(
      parts: indexParts, isUnique: isUnique, nilIsDistinct: true, name: indexName, version: 1, condition: nil)
    let index = ClassIndex(declaration, name: indexName, className: name, classVersion: layout.version)
    index.keyspace = keyspace
    return index
  }

  /// Returns the part with a signature, such as `-seconds: UInt32 descending`; nil if no field has its name and type.
  private func part(_ signature: Substring) -> IndexPart? {
    guard let colon = signature.firstIndex(of: ":") else { return nil }
    let isDescending = signature.hasSuffix(" descending")
    let typeName = signature[signature.index(colon, offsetBy: 2)...].dropLast(isDescending ? " descending".count : 0)
    var propertyName = signature[..<colon]
    if isDescending { propertyName = propertyName.dropFirst() }
    if propertyName.hasPrefix("folded("), !isDescending {
      return foldedParts[String(propertyName.dropFirst("folded(".count).dropLast())]
    }
    guard let part = parts[String(propertyName)]?(isDescending), part.typeName == typeName else { return nil }
    return part
  }
}
