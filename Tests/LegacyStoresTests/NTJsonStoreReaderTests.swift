import Foundation
import LegacyStores
import TestSupport
import Testing
import TodanaDocuments

@Suite struct NTJsonStoreReaderTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    path = directory.path("NTJsonStore.db")
  }

  @Test func collectionsAndSettingsAreRead() throws {
    try NTJsonStoreSample.make(path)
    let reader = try NTJsonStoreReader(path: path)
    #expect(reader.failures.isEmpty)
    #expect(reader.collections.map(\.name) == ["empty", "users"])
    let users = try #require(reader.collections.last)
    #expect(
      users.indexes.map { "\($0.fields) \($0.isUnique)" } == ["[last_name], [age] DESC false", "[email] true"])
    #expect(users.defaults == ["active": true, "address": ["country": "US"]])
    #expect(users.aliases == ["country": "[address.country]"])
    #expect(reader.metadata.map(\.key) == ["schema", "a/b"])
    #expect(try reader.count(users) == 2)
    var documents: [Int64: DocumentDictionary] = [:]
    try reader.forEachDocument(of: users) { result in
      let (rowID, content) = try result.get()
      documents[rowID] = content
    }
    #expect(documents.keys.sorted() == [1, 3])
    // An update leaves the row id in the document.
    #expect(
      documents[3].map { DocumentValue($0) } == ["last_name": "Smith", "email": "b@foo.com", "date": ["$date": "x"]])
  }

  @Test func damagedDocumentsHideNoOthers() throws {
    try NTJsonStoreSample.make(path)
    try SQLiteSample.run(
      [
        "INSERT INTO users(__rowid__, __json__) VALUES (4, '{broken'), (5, '[1]'), (6, x'7B2261223A22FF227D'), (7, NULL), "
          + "(8, '{\"n\": 99999999999999999999}'), (9, CAST(printf('%.*c', 200000, '[') AS BLOB)), (10, '{\"ok\": 1}')",
        "INSERT INTO NTJsonStore_metadata VALUES ('bad', 'x'), (NULL, '{}')", "CREATE TABLE foreign_table(a)",
      ], on: path)
    let reader = try NTJsonStoreReader(path: path)
    #expect(reader.failures.map(\.place) == ["table foreign_table", "metadata bad", "metadata without a key"])
    let users = try #require(reader.collections.last)
    var places: [String] = []
    var count = 0
    try reader.forEachDocument(of: users) { result in
      switch result {
      case .success: count += 1
      case .failure(let failure): places.append(failure.place)
      }
    }
    #expect(count == 3 && places == [4, 5, 6, 7, 8, 9].map { "document \($0) of users" })
  }

  @Test func otherDatabasesAreRefused() throws {
    try SQLiteSample.run(["CREATE TABLE other(a)"], on: path)
    #expect(throws: LegacyError.self) { try NTJsonStoreReader(path: path) }
    do {
      _ = try NTJsonStoreReader(path: path)
    } catch {
      #expect((error as? LegacyError)?.code == .wrongSchema)
    }
  }
}
