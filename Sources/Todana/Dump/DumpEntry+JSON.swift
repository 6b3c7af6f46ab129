#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Conversion between entries and lines of JSON.
extension DumpEntry {
  /// Returns the entry's line, without a line ending.
  func json(_ encoder: DumpEncoder) throws -> [UInt8] { try encoder.line(of: fields) }

  private var fields: DumpFields {
    switch self {
    case .store(let format, let id, let commitNumber):
      DumpFields(kind: .store, format: format, store: id, commit: commitNumber)
    case .storedClass(let name, let number, let nextRowID):
      DumpFields(kind: .class, class: name, number: number.rawValue, nextRow: nextRowID)
    case .namedBuffers(let number): DumpFields(kind: .names, number: number.rawValue)
    case .record(let className, let record):
      DumpFields(
        kind: .record, class: className, row: record.rowID, version: record.version, content: Data(record.content))
    case .namedBuffer(let buffer):
      DumpFields(kind: .name, version: buffer.version, content: Data(buffer.content), name: buffer.name)
    case .end(let counts): DumpFields(kind: .end, records: counts.recordCount, names: counts.namedBufferCount)
    }
  }

  /// Parses a line of a dump.
  ///
  /// - Throws: ``DumpError/Code/notJSON``, ``DumpError/Code/invalidField``.
  init(json: [UInt8], line: Int, _ decoder: DumpDecoder) throws(DumpError) {
    let fields = try decoder.fields(of: json, line: line)
    func required<Value>(_ value: Value?, _ name: String) throws(DumpError) -> Value {
      guard let value else {
        throw DumpError(.invalidField, line: line, "a line of kind \"\(fields.kind)\" must have the field \"\(name)\"")
      }
      return value
    }
    switch fields.kind {
    case .store:
      self = .store(format: try required(fields.format, "format"), id: fields.store, commitNumber: fields.commit)
    case .class:
      self = .storedClass(
        name: try required(fields.class, "class"), number: KeyspaceID(rawValue: try required(fields.number, "number")),
        nextRowID: fields.nextRow)
    case .names: self = .namedBuffers(number: KeyspaceID(rawValue: try required(fields.number, "number")))
    case .record:
      self = .record(
        className: try required(fields.class, "class"),
        RawRecord(
          rowID: try required(fields.row, "row"), version: try required(fields.version, "version"),
          content: [UInt8](try required(fields.content, "content"))))
    case .name:
      self = .namedBuffer(
        RawNamedBuffer(
          name: try required(fields.name, "name"), version: try required(fields.version, "version"),
          content: [UInt8](try required(fields.content, "content"))))
    case .end:
      self = .end(
        DumpCounts(
          recordCount: try required(fields.records, "records"), namedBufferCount: try required(fields.names, "names")))
    }
  }
}

/// An encoder of lines, used for a whole dump, because creating an encoder takes time.
struct DumpEncoder {
  private let encoder = JSONEncoder()

  init() { encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes] }

  fileprivate func line(of fields: DumpFields) throws -> [UInt8] { [UInt8](try encoder.encode(fields)) }
}

/// A decoder of lines, used for a whole dump.
struct DumpDecoder {
  private let decoder = JSONDecoder()

  fileprivate func fields(of json: [UInt8], line: Int) throws(DumpError) -> DumpFields {
    do {
      return try decoder.decode(DumpFields.self, from: Data(json))
    } catch let error as DumpError {
      throw DumpError(error.code, line: line, error.message)
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      throw DumpError(.notJSON, line: line, "it is not a JSON object")
    } catch let error as DecodingError {
      throw DumpError(.invalidField, line: line, Self.message(of: error))
    } catch {
      throw DumpError(.notJSON, line: line, "it cannot be read: \(error)")
    }
  }

  private static func message(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): return "the field \"\(key.stringValue)\" is missing"
    case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
      guard let field = context.codingPath.last?.stringValue else { return "it is not a JSON object" }
      return "the field \"\(field)\" has an invalid value"
    @unknown default: return "a field has an invalid value"
    }
  }
}

/// The fields of all kinds of lines.
private struct DumpFields: Codable {
  enum Kind: String, Codable, CustomStringConvertible {
    case store
    case `class`
    case names
    case record
    case name
    case end

    var description: String { rawValue }

    fileprivate var fields: [CodingKeys] {
      switch self {
      case .store: [.format, .store, .commit]
      case .class: [.class, .number, .nextRow]
      case .names: [.number]
      case .record: [.class, .row, .version, .content]
      case .name: [.name, .version, .content]
      case .end: [.records, .names]
      }
    }
  }

  var kind: Kind
  var format: Int?
  var store: String?
  var commit: CommitNumber?
  var `class`: String?
  var number: UInt32?
  var nextRow: RowID?
  var row: RowID?
  var version: UInt8?
  var content: Data?
  var name: String?
  var records: Int?
  var names: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, format, store, commit, `class`, number, nextRow, row, version, content, name, records, names
  }
}

extension DumpFields {
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes the fields, and refuses those that the kind of line does not have, as ignored fields would be lost
  /// silently.
  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    kind = try fields.decode(Kind.self, forKey: .kind)
    let known = kind.fields
    for key in try decoder.container(keyedBy: AnyKey.self).allKeys {
      guard let field = CodingKeys(stringValue: key.stringValue), field == .kind || known.contains(field) else {
        throw DumpError(.invalidField, "a line of kind \"\(kind)\" must not have the field \"\(key.stringValue)\"")
      }
    }
    format = try fields.decodeIfPresent(Int.self, forKey: .format)
    store = try fields.decodeIfPresent(String.self, forKey: .store)
    commit = try fields.decodeIfPresent(CommitNumber.self, forKey: .commit)
    `class` = try fields.decodeIfPresent(String.self, forKey: .class)
    number = try fields.decodeIfPresent(UInt32.self, forKey: .number)
    nextRow = try fields.decodeIfPresent(RowID.self, forKey: .nextRow)
    row = try fields.decodeIfPresent(RowID.self, forKey: .row)
    version = try fields.decodeIfPresent(UInt8.self, forKey: .version)
    content = try fields.decodeIfPresent(Data.self, forKey: .content)
    name = try fields.decodeIfPresent(String.self, forKey: .name)
    records = try fields.decodeIfPresent(Int.self, forKey: .records)
    names = try fields.decodeIfPresent(Int.self, forKey: .names)
  }
}
