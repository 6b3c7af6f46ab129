public import Foundation

extension DocumentValue {
  /// Reads a property list, in XML or binary.
  ///
  /// The keys of dictionaries are in the order of their bytes, because property lists have no order.
  ///
  /// - Throws: ``DocumentError/Code/invalidText``; ``DocumentError/Code/tooDeep``; ``DocumentError/Code/numberOutOfRange``
  ///   for integers beyond `Int64`.
  public init(propertyList data: Data) throws(DocumentError) {
    let list: Any
    do {
      list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    } catch {
      throw DocumentError(.invalidText, "the bytes are no property list: \(error.localizedDescription)")
    }
    self = try Self.value(ofList: list, depth: 0)
  }

  /// Returns the value as a property list.
  ///
  /// A UUID becomes a text, as property lists lack a form for it.
  ///
  /// - Throws: ``DocumentError/Code/notConvertible`` for null, for which property lists have no form, and for a value
  ///   that is neither an array nor a dictionary; ``DocumentError/Code/tooDeep``.
  public func propertyList(_ format: PropertyListSerialization.PropertyListFormat = .xml) throws(DocumentError) -> Data
  {
    guard kind == .array || kind == .dictionary else {
      throw DocumentError(
        .notConvertible, "a property list is an array or a dictionary, not a value of the kind \(kind)")
    }
    let list = try list(depth: 0)
    do {
      return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    } catch {
      throw DocumentError(.notConvertible, "the value has no form as a property list: \(error.localizedDescription)")
    }
  }

  private static func value(ofList list: Any, depth: Int) throws(DocumentError) -> DocumentValue {
    if depth > BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    switch list {
    case let text as String: return DocumentValue(text)
    case let date as Date: return DocumentValue(date)
    case let bytes as Data: return DocumentValue(bytes)
    case let elements as [Any]:
      var values: [DocumentValue] = []
      for element in elements { values.append(try value(ofList: element, depth: depth + 1)) }
      return DocumentValue(values)
    case let entries as [String: Any]:
      var values: [String: DocumentValue] = [:]
      for (key, entry) in entries { values[key] = try value(ofList: entry, depth: depth + 1) }
      return DocumentValue(values)
    case let number as NSNumber: return try value(of: number)
    default: throw DocumentError(.invalidText, "the property list has a value of the type \(type(of: list))")
    }
  }

  private static func value(of number: NSNumber) throws(DocumentError) -> DocumentValue {
    switch UInt8(bitPattern: unsafe number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): return DocumentValue(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return DocumentValue(number.doubleValue)
    case UInt8(ascii: "Q"):
      guard let integer = Int64(exactly: number.uint64Value) else {
        throw DocumentError(.numberOutOfRange, "the integer \(number) is beyond the range of Int64")
      }
      return DocumentValue(integer)
    default: return DocumentValue(number.int64Value)
    }
  }

  private func list(depth: Int) throws(DocumentError) -> Any {
    if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    switch storage {
    case .null: throw DocumentError(.notConvertible, "property lists have no form for null")
    case .bool(let value): return value
    case .integer(let value): return value
    case .double(let value): return value
    case .string(let value): return value
    case .date(let value): return value
    case .uuid(let value): return value.uuidString
    case .bytes(let value): return value
    case .array(let values):
      var elements: [Any] = []
      for value in values { elements.append(try value.list(depth: depth + 1)) }
      return elements
    case .dictionary(let values):
      var entries: [String: Any] = [:]
      for (key, value) in values { entries[key] = try value.list(depth: depth + 1) }
      return entries
    }
  }
}
