import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// The features of NTJsonStore, each with the calls that take its place.
@Suite struct NTJsonStoreTests {
  private func makeStore() throws -> Store { try Store(.inMemory, classes: []) }

  private func makeUsers() throws -> DocumentCollection {
    let users = try makeStore().documents("users")
    try users.insert(contentsOf: [
      ["n": 0, "last_name": "Doe", "first_name": "John", "age": 41, "address": ["country": "US"]],
      ["n": 1, "last_name": "Doe", "first_name": "Jane", "age": 20],
      ["n": 2, "last_name": "Smith", "age": 2, "address": ["country": "FR"]],
    ])
    try users.store.saveChanges()
    return users
  }

  @Test func `collections: made by their first use, listed, and kept in one store`() throws {
    let directory = try TemporaryDirectory()
    let store = try Store(.directory(directory.path("store")), classes: [])
    let users = try store.documents("users")
    #expect(try !users.exists)
    try users.insert(["a": 1])
    try store.documents("Users").insert(["a": 2])
    try store.saveChanges()
    #expect(try store.documentCollectionNames() == ["Users", "users"])
    #expect(try users.count("[a] = 1") == 1)
  }

  @Test func `documents: JSON in and out, with a number of the row that is never used again`() throws {
    let users = try makeUsers()
    let text = #"{"a":[1,2.5,null,true,"x"],"b":{}}"#
    let user = try users.insert(DocumentValue(json: Data(text.utf8)))
    let row = try #require(user.id).rowID
    #expect(try user.value.json() == text)
    try users.store.saveChanges()
    try users.store.delete(user)
    try users.store.saveChanges()
    let next = try users.insert(["a": 1])
    #expect(try #require(next.id).rowID > row)
  }

  @Test func `documents: a batch is all or nothing`() throws {
    let users = try makeUsers()
    try users.addIndex("[n]", unique: true)
    var batch: [DocumentValue] = (10..<10_010).map { ["n": .init($0)] }
    batch[9_999] = ["n": 2]
    try users.insert(contentsOf: batch)
    #expect(throws: UniqueViolation.self) { try users.store.saveChanges() }
    let other = try Store(backend: users.store.backend, classes: [])
    #expect(try other.documents("users").count() == 3)
    users.store.discardChanges()
    #expect(try users.count() == 3)
  }

  @Test func `documents: updated, removed by object and by condition, with counts`() throws {
    let users = try makeUsers()
    let john = try #require(try users.find("[first_name] = 'John'").first)
    john.value = ["n": 0, "last_name": "Roe"]
    #expect(try users.count("[last_name] = 'Roe'") == 1)
    #expect(
      try users.update(where: "[age] < ?", 30) { user throws(DocumentError) in try user.set(true, at: "young") } == 2)
    #expect(try users.delete(where: "[young]") == 2)
    try users.store.delete(john)
    try users.store.saveChanges()
    #expect(try users.count() == 0)
  }

  @Test func `queries: texts with fields in brackets, nested paths, arguments, sorts, limits and counts`() throws {
    let users = try makeUsers()
    let found = try users.find("[last_name] = ? AND [age] >= ?", "Doe", 20, orderBy: "[age], [first_name] DESC")
    #expect(found.compactMap { $0["n"]?.int } == [1, 0])
    #expect(try users.find("[address.country] = ?", "FR", limit: 1).first?["n"] == 2)
    #expect(try users.find("TRUE", orderBy: "[age] DESC", limit: 2).compactMap { $0["n"]?.int } == [0, 1])
    #expect(try users.count() == 3)
    #expect(try users.count("[last_name] LIKE 'D%'") == 2)
  }

  @Test func `indexes: on several paths, unique, added again without effect, and built for what exists`() throws {
    let users = try makeUsers()
    for _ in 0..<2 { try users.addIndex("[last_name], [age] DESC") }
    #expect(try users.indexes == ["[last_name], [age] DESC"])
    // With few documents, reading all is faster than reading an index.
    for n in 0..<100 { try users.insert(["last_name": .init("Other \(n)"), "age": .init(n)]) }
    try users.store.saveChanges()
    let plan = try users.explain("[last_name] = 'Doe' AND [age] > 30").description
    #expect(plan.contains("index"), "\(plan)")
    try users.addIndex("[first_name]", unique: true)
    try users.insert(["first_name": "John"])
    #expect(throws: UniqueViolation.self) { try users.store.saveChanges() }
  }

  @Test func `defaults: count in queries, are kept, and leave documents as they are`() throws {
    let users = try makeUsers()
    users.defaults = ["address.country": "JP"]
    #expect(try users.count("[address.country] = 'JP'") == 1)
    #expect(try users.find("[n] = 1").first?["address"] == nil)
    let other = try Store(backend: users.store.backend, classes: [])
    #expect(other.hasUnsavedChanges == false)
    #expect(try other.documents("users").defaults == ["address.country": "JP"])
  }

  @Test func `aliases: words outside brackets and quotation marks, kept in the store`() throws {
    let users = try makeUsers()
    users.aliases = ["country": "[address.country]", "isAdult": "([age] >= 18)"]
    #expect(try users.count("country = 'US' AND isAdult") == 1)
    #expect(try users.count("[country] EXISTS OR [last_name] = 'isAdult'") == 0)
  }

  @Test func `caches: one instance while the program holds it, a bound, and a flush`() throws {
    let users = try makeUsers()
    let user = try #require(try users.find("[n] = 0").first)
    #expect(try users.document(for: user.key) === user)
    users.cacheSize = 2
    #expect(users.cacheSize == 2)
    users.flushCache()
    #expect(try users.document(for: user.key) === user)
  }

  @Test func `caches: a document is current until another store changes it`() throws {
    let users = try makeUsers()
    let user = try #require(try users.find("[n] = 0").first)
    #expect(try users.store.isCurrent(user))
    let other = try Store(backend: users.store.backend, classes: [])
    try #require(try other.documents("users").document(for: user.key))["age"] = 42
    try other.saveChanges()
    try users.store.refresh()
    #expect(user["age"] == 42)
    #expect(try users.store.isCurrent(user))
  }

  @Test func `metadata: of the store and of a collection, removed by nil`() throws {
    let users = try makeUsers()
    try users.store.setMetadata(["version": 3], for: "schema")
    try users.setMetadata(["at": 1], for: "import")
    try users.store.saveChanges()
    #expect(try users.store.metadata("schema") == ["version": 3])
    #expect(try users.metadata("import") == ["at": 1])
    try users.store.setMetadata(nil, for: "schema")
    try users.setMetadata(nil, for: "import")
    #expect(try users.store.metadata("schema") == nil)
    #expect(try users.metadata("import") == nil)
  }

  @Test func `configurations: a file in JSON makes collections, and is applied again without effect`() throws {
    let store = try makeStore()
    let json =
      #"{"collections":{"users":{"indexes":["[a]"],"uniqueIndexes":["[b]"],"defaults":{"c":1},"cacheSize":9}}}"#
    let configuration = try DocumentConfiguration(json: Data(json.utf8))
    for _ in 0..<2 { try store.apply(configuration) }
    #expect(try store.documents("users").indexes == ["[a]", "[b]"])
  }

  @Test func `closing: a closed store throws`() throws {
    let users = try makeUsers()
    try users.store.close()
    #expect(throws: StoreError.self) { try users.count() }
    #expect(throws: StoreError.self) { try users.insert(["a": 1]) }
  }

  @Test @MainActor func `live queries: results follow the saved changes`() async throws {
    let users = try makeUsers()
    let live = users.store.observe(try users.query("[age] > ?", arguments: [18]))
    var results = live.makeAsyncIterator()
    _ = try await results.next()
    try users.insert(["n": 3, "age": 50])
    try users.store.saveChanges()
    #expect(try await results.next()?.insertions == [2])
  }
}
