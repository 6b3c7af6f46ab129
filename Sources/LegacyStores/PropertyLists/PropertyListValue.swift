internal import Foundation
package import TodanaDocuments

/// Property lists and keyed archives as document values.
package enum PropertyListValue {
  /// Reads a keyed archive, or a property list in its binary form or in XML.
  package static func value(of bytes: [UInt8]) throws -> DocumentValue {
    guard BinaryPropertyList.isBinary(bytes) else {
      try XMLDepth.check(bytes)
      return try DocumentValue(propertyList: Data(bytes))
    }
    let list = try BinaryPropertyList(bytes)
    if try KeyedArchive.isArchive(list) {
      var archive = try KeyedArchive(list)
      return try archive.value()
    }
    var budget = ValueBudget()
    return try value(list.top, of: list, &budget)
  }

  /// Returns a dictionary with its keys in the order of their bytes, as archives have no order.
  static func dictionary(_ entries: [(key: String, value: DocumentValue)]) -> DocumentValue {
    var dictionary = DocumentDictionary()
    for (key, value) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      dictionary[key] = value
    }
    return DocumentValue(dictionary)
  }

  private static func value(
    _ number: Int, of list: BinaryPropertyList, _ budget: inout ValueBudget
  ) throws(LegacyError) -> DocumentValue {
    let object = try list.object(number)
    switch object {
    case .string(let text): try budget.add(byteCount: text.utf8.count)
    case .data(let bytes): try budget.add(byteCount: bytes.count)
    default: try budget.add()
    }
    switch object {
    case .null: return .null
    case .bool(let value): return DocumentValue(value)
    case .integer(let value): return DocumentValue(value)
    case .real(let value): return DocumentValue(value)
    case .date(let value): return DocumentValue(value)
    case .data(let value): return DocumentValue(value)
    case .string(let value): return DocumentValue(value)
    case .reference: throw LegacyError(.damaged, "the property list has a reference outside of a keyed archive")
    case .array(let elements):
      try budget.enter(number)
      defer { budget.leave(number) }
      var values: [DocumentValue] = []
      for element in elements { values.append(try value(element, of: list, &budget)) }
      return DocumentValue(values)
    case .dictionary(let pairs):
      try budget.enter(number)
      defer { budget.leave(number) }
      var entries: [(key: String, value: DocumentValue)] = []
      for (key, entry) in pairs {
        guard case .string(let key) = try list.object(key) else {
          throw LegacyError(.damaged, "a dictionary of the property list has a key that is no text")
        }
        try budget.add(byteCount: key.utf8.count)
        entries.append((key, try value(entry, of: list, &budget)))
      }
      return dictionary(entries)
    }
  }
}
