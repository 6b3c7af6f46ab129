internal import Foundation
public import Todana

extension DocumentValue: Hashable {
  public static func == (lhs: DocumentValue, rhs: DocumentValue) -> Bool { order(lhs, rhs) == 0 }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    switch storage {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value):
      // Equal numbers need equal hashes.
      if let integer = Int64(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value.isNaN ? .nan : value)
      }
    case .string(var value): value.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .date(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .bytes(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .dictionary(let value): hasher.combine(value)
    }
  }

  /// Compares two values by the order of ``DocumentKind``.
  ///
  /// - Returns: A negative number if `lhs` comes first, 0 if both are equal, a positive number if `rhs` comes first.
  static func order(_ lhs: DocumentValue, _ rhs: DocumentValue) -> Int {
    switch (lhs.storage, rhs.storage) {
    case (.bool(let lhs), .bool(let rhs)): return (lhs ? 1 : 0) - (rhs ? 1 : 0)
    case (.integer(let lhs), .integer(let rhs)): return ExactNumber.order(lhs, rhs)
    case (.integer(let lhs), .double(let rhs)): return ExactNumber.order(lhs, rhs)
    case (.double(let lhs), .integer(let rhs)): return -ExactNumber.order(rhs, lhs)
    case (.double(let lhs), .double(let rhs)): return ExactNumber.order(lhs, rhs)
    case (.string(let lhs), .string(let rhs)): return order(lhs, rhs)
    case (.date(let lhs), .date(let rhs)): return order(lhs, rhs)
    case (.uuid(let lhs), .uuid(let rhs)): return order(lhs, rhs)
    case (.bytes(let lhs), .bytes(let rhs)): return order(lhs, rhs)
    case (.array(let lhs), .array(let rhs)):
      for (lhs, rhs) in zip(lhs, rhs) {
        let order = order(lhs, rhs)
        if order != 0 { return order }
      }
      return lhs.count - rhs.count
    case (.dictionary(let lhs), .dictionary(let rhs)): return DocumentDictionary.order(lhs, rhs)
    default: return Int(lhs.kind.rawValue) - Int(rhs.kind.rawValue)
    }
  }

  private static func order<Value: OrderedValue>(_ lhs: Value, _ rhs: Value) -> Int {
    Value.isEqual(lhs, rhs) ? 0 : Value.precedes(lhs, rhs) ? -1 : 1
  }
}

extension DocumentDictionary: Hashable {
  public static func == (lhs: DocumentDictionary, rhs: DocumentDictionary) -> Bool {
    lhs.count == rhs.count && lhs.allSatisfy { key, value in rhs[key] == value }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    // The sum does not depend on the order of the entries.
    var sum = 0
    for (key, value) in self {
      var entry = Hasher()
      DocumentValue(key).hash(into: &entry)
      value.hash(into: &entry)
      sum &+= entry.finalize()
    }
    hasher.combine(sum)
  }

  fileprivate static func order(_ lhs: DocumentDictionary, _ rhs: DocumentDictionary) -> Int {
    if lhs == rhs { return 0 }
    for (lhs, rhs) in zip(lhs.sortedByKey, rhs.sortedByKey) {
      if !String.isEqual(lhs.key, rhs.key) { return String.precedes(lhs.key, rhs.key) ? -1 : 1 }
      let order = DocumentValue.order(lhs.value, rhs.value)
      if order != 0 { return order }
    }
    return lhs.count - rhs.count
  }
}

/// Values in the order of ``DocumentKind``; the format is in docs/formats/documents.md.
extension DocumentValue: OrderedValue {
  public static var indexedTypeName: String { "DocumentValue 1" }

  public var isAbsent: Bool { isNull }

  public func writeKey(to key: inout KeyWriter) {
    if case .bool(let value) = storage { return key.append(kind.rawValue + (value ? 1 : 0)) }
    key.append(kind.rawValue)
    switch storage {
    case .null, .bool: break
    case .integer(let value):
      let (number, rest) = ExactNumber.parts(of: value)
      number.writeKey(to: &key)
      key.append(bigEndian: rest)
    case .double(let value):
      value.writeKey(to: &key)
      key.append(bigEndian: 0 as UInt16)
    case .string(let value): value.writeKey(to: &key)
    case .date(let value): value.writeKey(to: &key)
    case .uuid(let value): value.writeKey(to: &key)
    case .bytes(let value): value.writeKey(to: &key)
    case .array(let values):
      key.append(nested: { key in
        for value in values {
          key.append(1)
          value.writeKey(to: &key)
        }
        key.append(0)
      })
    case .dictionary(let dictionary):
      key.append(nested: { key in
        for (name, value) in dictionary.sortedByKey {
          key.append(1)
          name.writeKey(to: &key)
          value.writeKey(to: &key)
        }
        key.append(0)
      })
    }
  }

  /// Reads a value; a whole number in the range of `Int64` is an integer, as keys do not tell 3 from 3.0.
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> DocumentValue {
    let byte = try key.readByte()
    if byte == DocumentKind.bool.rawValue | 1 { return DocumentValue(true) }
    guard let kind = DocumentKind(rawValue: byte) else { throw KeyError("a key has no kind of value") }
    switch kind {
    case .null: return .null
    case .bool: return DocumentValue(false)
    case .number:
      let number = try Double.readKey(from: &key)
      let rest = try key.readBigEndian(UInt16.self)
      guard let whole = Int64(exactly: number) else {
        if rest != 0 { throw KeyError("a number has a rest, but is not whole") }
        return DocumentValue(number)
      }
      let (integer, isTooLarge) = whole.addingReportingOverflow(Int64(rest))
      if isTooLarge { throw KeyError("an integer is too large") }
      return DocumentValue(integer)
    case .string: return DocumentValue(try String.readKey(from: &key))
    case .date: return DocumentValue(try Date.readKey(from: &key))
    case .uuid: return DocumentValue(try UUID.readKey(from: &key))
    case .bytes: return DocumentValue(try Data.readKey(from: &key))
    case .array:
      return try key.readNested { key throws(KeyError) in
        var values: [DocumentValue] = []
        while try key.readByte() != 0 { values.append(try readKey(from: &key)) }
        return DocumentValue(values)
      }
    case .dictionary:
      return try key.readNested { key throws(KeyError) in
        var dictionary = DocumentDictionary()
        while try key.readByte() != 0 {
          let name = try String.readKey(from: &key)
          dictionary[name] = try readKey(from: &key)
        }
        return DocumentValue(dictionary)
      }
    }
  }

  public static func isEqual(_ lhs: DocumentValue, _ rhs: DocumentValue) -> Bool { order(lhs, rhs) == 0 }

  public static func precedes(_ lhs: DocumentValue, _ rhs: DocumentValue) -> Bool { order(lhs, rhs) < 0 }
}
