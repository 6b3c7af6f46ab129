internal import Foundation
package import TodanaDocuments

/// A reader of the databases of NTJsonStore.
///
/// Each collection is a table with the columns `__rowid__` and `__json__`, and with one column for each field that was
/// ever queried, which is a copy. The table `NTJsonStore_metadata` has the settings and the program's own values.
package final class NTJsonStoreReader {
  private let database: SQLiteDatabase
  /// The collections, in the order of their names.
  package private(set) var collections: [NTJsonCollectionSettings] = []
  /// The values that the program keeps for the whole store, by key.
  package private(set) var metadata: [(key: String, value: DocumentValue)] = []
  /// The settings and values that cannot be read.
  package private(set) var failures: [ObjectFailure] = []

  /// The row id within a document, as the library returned documents.
  package static let rowIDKey = "__rowid__"
  private static let metadataTable = "NTJsonStore_metadata"

  /// Opens a database.
  ///
  /// - Throws: ``LegacyError``.
  package init(path: String) throws {
    database = try SQLiteDatabase(path: path)
    let tables = try database.tables()
    for table in tables where table != Self.metadataTable {
      let columns = Set(try database.columns(of: table))
      guard columns.isSuperset(of: [Self.rowIDKey, "__json__"]) else {
        failures.append(
          ObjectFailure("table \(table)", LegacyError(.wrongSchema, "it is no collection of NTJsonStore")))
        continue
      }
      var settings = NTJsonCollectionSettings(name: table.lowercased(), table: table)
      try readIndexes(of: &settings)
      collections.append(settings)
    }
    guard !collections.isEmpty || tables.contains(Self.metadataTable) else {
      throw LegacyError(.wrongSchema, "the database has no collection, so it is none of NTJsonStore")
    }
    if tables.contains(Self.metadataTable) { try readMetadata() }
  }

  private func readIndexes(of settings: inout NTJsonCollectionSettings) throws {
    // The name is compared here, so that it need not be part of the statement.
    var statements: [String] = []
    try database.forEachRow("SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY rowid") { row in
      if try row.text(0) == settings.table, let sql = try row.text(1) { statements.append(sql) }
    }
    for sql in statements {
      if let index = NTJsonIndex(sql: sql) {
        settings.indexes.append(index)
      } else {
        failures.append(
          ObjectFailure("index of \(settings.name)", LegacyError(.wrongSchema, "it has another form: \(sql)")))
      }
    }
  }

  private func readMetadata() throws {
    let columns = Set(try database.columns(of: Self.metadataTable))
    guard columns.isSuperset(of: ["key", "value"]) else {
      failures.append(
        ObjectFailure("table \(Self.metadataTable)", LegacyError(.wrongSchema, "it lacks the columns key and value")))
      return
    }
    try database.forEachRow("SELECT key, value FROM \(Self.metadataTable) ORDER BY rowid") { row in
      let key = try? row.text(0)
      do {
        guard let key, let bytes = row.bytes(1) else { throw LegacyError(.damaged, "the row has no key or no value") }
        try keep(DocumentValue(json: Data(bytes), .plain), for: key)
      } catch {
        failures.append(ObjectFailure("metadata \(key ?? "without a key")", error))
      }
    }
  }

  /// Keeps a value of the table of metadata: a setting of a collection, or a value of the program.
  private func keep(_ value: DocumentValue, for key: String) throws {
    if let slash = key.lastIndex(of: "/"),
      let position = collections.firstIndex(where: { $0.name == key[..<slash].lowercased() })
    {
      switch key[key.index(after: slash)...] {
      case "defaultJson":
        collections[position].defaults = value
        return
      case "aliases":
        for (word, meaning) in value.fields ?? [:] {
          guard let meaning = meaning.string else {
            throw LegacyError(.invalidRecord, "the meaning of the alias \(word) is no text")
          }
          collections[position].aliases[word] = meaning
        }
        return
      default: break
      }
    }
    metadata.append((key, value))
  }

  /// Returns the number of documents of a collection.
  package func count(_ collection: NTJsonCollectionSettings) throws -> Int {
    var count = 0
    try database.forEachRow("SELECT count(*) FROM \(SQLiteDatabase.quoted(collection.table))") {
      count = Int($0.integer(0))
    }
    return count
  }

  /// Calls back with each document of a collection and its row id, in the order of the row ids, or with the reason why
  /// one cannot be read.
  ///
  /// The row id that updates have left in a document is not part of it.
  package func forEachDocument(
    of collection: NTJsonCollectionSettings,
    _ body: (Result<(rowID: Int64, content: DocumentDictionary), ObjectFailure>) throws -> Void
  ) throws {
    let table = SQLiteDatabase.quoted(collection.table)
    try database.forEachRow("SELECT __rowid__, __json__ FROM \(table) ORDER BY __rowid__") { row in
      let rowID = row.integer(0)
      let result = Result { (rowID: rowID, content: try content(row)) }.mapError { error in
        ObjectFailure("document \(rowID) of \(collection.name)", error)
      }
      try body(result)
    }
  }

  private func content(_ row: SQLiteRow) throws -> DocumentDictionary {
    guard let bytes = row.bytes(1) else { throw LegacyError(.damaged, "the row has no document") }
    guard var fields = try DocumentValue(json: Data(bytes), .plain).fields else {
      throw LegacyError(.invalidRecord, "the document is no object of JSON")
    }
    fields[Self.rowIDKey] = nil
    return fields
  }
}
