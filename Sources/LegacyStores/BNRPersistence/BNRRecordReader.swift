internal import Foundation
package import TodanaDocuments

/// A reader of the fields of a record, by a schema.
package struct BNRRecordReader {
  private let bytes: [UInt8]
  private var position = 0
  /// The names of the classes, by their numbers.
  private let classNames: [UInt8: String]

  package init(_ bytes: [UInt8], classNames: [UInt8: String]) {
    self.bytes = bytes
    self.classNames = classNames
  }

  /// Returns all fields.
  ///
  /// - Throws: ``LegacyError/Code/invalidRecord`` if the record is shorter or longer than its fields.
  package mutating func fields(_ schema: BNRSchema) throws -> DocumentDictionary {
    var fields = DocumentDictionary()
    for field in schema.fields {
      do {
        fields[field.name] = try value(field.type)
      } catch let error as LegacyError {
        throw LegacyError(error.code, "the field \(field.name): \(error.message)")
      }
    }
    guard position == bytes.count else {
      throw LegacyError(
        .invalidRecord, "the record has \(bytes.count - position) more bytes than the fields of its description")
    }
    return fields
  }

  private mutating func value(_ type: BNRSchema.FieldType) throws -> DocumentValue {
    switch type {
    case .uint8: return DocumentValue(Int(try take(1).reduce(0) { $0 + $1 }))
    case .uint32: return DocumentValue(Int(try word()))
    case .float32: return DocumentValue(Double(Float(bitPattern: UInt32(try bigEndian(4)))))
    case .float64: return DocumentValue(Double(bitPattern: try bigEndian(8)))
    case .string:
      let bytes = try counted()
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw LegacyError(.invalidText, "the text is not valid UTF-8")
      }
      // The library reads an empty text as nil.
      return text.isEmpty ? .null : DocumentValue(text)
    case .data:
      let bytes = try counted()
      return bytes.isEmpty ? .null : DocumentValue(Data(bytes))
    case .date:
      let seconds = Double(bitPattern: try bigEndian(8))
      return seconds == 0 ? .null : DocumentValue(Date(timeIntervalSinceReferenceDate: seconds))
    case .reference(let name): return try reference(name)
    case .array(let name):
      let count = Int(try word())
      guard count <= (bytes.count - position) / (name == nil ? 5 : 4) else { throw Self.short }
      var values: [DocumentValue] = []
      for _ in 0..<count {
        // The library skips references to no object.
        let value = try reference(name)
        if !value.isNull { values.append(value) }
      }
      return DocumentValue(values)
    case .archivedObject:
      let bytes = try counted()
      return bytes.isEmpty ? .null : try PropertyListValue.value(of: Array(bytes))
    }
  }

  /// Reads a reference: the key of its document, with the name of the class if the schema does not have it.
  private mutating func reference(_ name: String?) throws(LegacyError) -> DocumentValue {
    if let name {
      let row = try word()
      return row == 0 ? .null : DocumentValue(try BNRKey.key(className: name, row: row))
    }
    let classID = try take(1).reduce(0) { $0 + $1 }
    let row = try word()
    if row == 0 { return .null }
    guard let name = classNames[classID] else {
      throw LegacyError(.invalidRecord, "no file of the store is of the class with the number \(classID)")
    }
    let key = try BNRKey.key(className: name, row: row)
    return DocumentValue(["class": DocumentValue(name), "key": DocumentValue(key)] as DocumentDictionary)
  }

  private static var short: LegacyError { LegacyError(.invalidRecord, "the record ends within the field") }

  private mutating func take(_ count: Int) throws(LegacyError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw Self.short }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func counted() throws(LegacyError) -> ArraySlice<UInt8> { try take(Int(try word())) }

  private mutating func word() throws(LegacyError) -> UInt32 {
    try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func bigEndian(_ byteCount: Int) throws(LegacyError) -> UInt64 {
    try take(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
