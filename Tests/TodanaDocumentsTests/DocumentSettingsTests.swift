import Foundation
import TestSupport
import Testing
import TodanaDocuments

@testable import Todana

/// Settings of collections: defaults, aliases, metadata, and the index of everything.
@Suite struct DocumentSettingsTests {
  private func makeStore() throws -> Store { try Store(.inMemory, classes: []) }

  @Test func `defaults count for missing values in queries, sorts and indexes`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    let values: [DocumentValue] = [
      ["n": 0], ["n": 1, "active": false], ["n": 2, "active": nil], ["n": 3, "active": true],
    ]
    for value in values { try users.insert(value) }
    try store.saveChanges()
    func found(_ text: String, orderBy: String? = nil) throws -> [Int] {
      try users.find(text, orderBy: orderBy).compactMap { $0["n"]?.int }
    }
    #expect(try found("[active] = TRUE") == [3])
    try users.addIndex("[active], [n] DESC")
    users.defaults = ["active": true, "address.country": "US"]
    #expect(users.defaults == ["active": true, "address.country": "US"])
    #expect(try found("[active] = TRUE") == [0, 3])
    #expect(try found("[active] = TRUE", orderBy: "[active], [n] DESC") == [3, 0])
    #expect(try found("[address.country] BEGINSWITH 'U'") == [0, 1, 2, 3])
    #expect(try users.find { $0["active"] == true && $0["address.country"] == "US" }.count == 2)
    #expect(try found("[active] IS BOOL") == [0, 1, 3])
    #expect(try found("[active] EXISTS") == [1, 2, 3])
    #expect(try found("[address.country] CONTAINS 'S' AND [address.country] CONTAINS[i] 'us'") == [0, 1, 2, 3])
    #expect(try found("[address.country] CONTAINS 'F' OR [address.country] IS NUMBER") == [])
    #expect(try users.find("[n] = 0").first?["active"] == nil)
    // Another store has the same defaults, and an index that was built again.
    let other = try Store(backend: store.backend, classes: [])
    #expect(try other.documents("users").count("[active] = TRUE") == 2)
    try other.documents("users").setDefaults([:])
    #expect(try found("[active] = TRUE") == [3])
    #expect(try store.verify().isSound)
    #expect(throws: DocumentError.self) { try users.setDefaults(["a[*]": 1]) }
  }

  @Test func `indexes on long paths have names of their own`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    let long = String(repeating: "長い", count: 200)
    for suffix in ["a", "b", "\0"] { try users.addIndex("[\(long)\(suffix)]") }
    try users.insert(["\(long)b": 1])
    try store.saveChanges()
    #expect(try users.indexes.count == 3)
    #expect(try users.count("[\(long)b] = 1") == 1)
  }

  @Test func `a setting that cannot be saved is an error of the next call`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    try users.insert(["n": 1])
    users.defaults = ["active": true]
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .unsavedChanges)
    try store.saveChanges()
    users.aliases = ["not a word": "TRUE"]
    #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(users.aliases == [:])
  }

  @Test(arguments: [
    ("country = 'US'", "[address.country] = 'US'"), ("[country] = 'US'", "[country] = 'US'"),
    ("x = 'country' AND country = \"country\"", "x = 'country' AND [address.country] = \"country\""),
    ("countryside = 1", "countryside = 1"), ("NOT(country IN ?)", "NOT([address.country] IN ?)"),
    ("adult AND [a] = 'it''s country'", "([age] >= 18) AND [a] = 'it''s country'"), ("[a = country", "[a = country"),
    ("'country", "'country"), ("1country", "1country"), ("", ""), ("国 = 1", "[国] = 1"), ("Country", "Country"),
  ])
  func `aliases stand for parts of texts`(text: String, expected: String) throws {
    let users = try makeStore().documents("users")
    try users.setAliases(["country": "[address.country]", "adult": "([age] >= 18)", "国": "[国]"])
    #expect(try users.expandingAliases(in: text) == expected)
  }

  @Test func `aliases are used by queries and kept`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    users.aliases = ["country": "[address.country]", "adult": "([age] >= 18)"]
    try users.insert(["address": ["country": "US"], "age": 17])
    try users.insert(["address": ["country": "US"], "age": 18])
    try users.insert(["address": ["country": "FR"], "age": 19])
    #expect(try users.count("country = ? AND adult", "US") == 1)
    #expect(try users.find("adult", orderBy: "country, [age] DESC").compactMap { $0["age"]?.int } == [19, 18])
    #expect(try Store(backend: store.backend, classes: []).documents("users").aliases["adult"] == "([age] >= 18)")
    for word in ["AND", "is", "a b", "", "1a", "[a]"] {
      #expect(throws: DocumentError.self) { try users.setAliases([word: "TRUE"]) }
    }
  }

  @Test func `a program keeps metadata of a collection`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    #expect(try users.metadata("source") == nil)
    try users.setMetadata(["url": "https://example.com", "time": 5], for: "source")
    try users.setMetadata(1, for: "other")
    try users.setMetadata(nil, for: "other")
    let other = try Store(backend: store.backend, classes: []).documents("users")
    #expect(try other.metadata("source")?["time"] == 5)
    #expect(try other.metadata("other") == nil)
    let large = DocumentValue(String(repeating: "x", count: 600_000))
    #expect(throws: DocumentError.self) { try users.setMetadata(large, for: "large") }
  }

  @Test func `any value is found at any depth, by an index of everything`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    for number in 0..<500 {
      try users.insert([
        "n": .init(number), "names": [.init("name \(number)"), ["last": .init("last \(number % 100)")]],
        "date": .init(Date(timeIntervalSinceReferenceDate: Double(number))),
      ])
    }
    var large = DocumentDictionary()
    for number in 0..<1500 { large["key\(number)"] = .init(number + 1000) }
    try users.insert(.init(large))
    try users.insert(["long": .init(String(repeating: "x", count: 5000) + "1")])
    try store.saveChanges()
    func check() throws {
      #expect(try users.find(anyValue: "last 7").count == 5)
      #expect(try users.find(anyValue: 3).count == 1)
      #expect(try users.find(anyValue: 3.0).count == 1)
      #expect(try users.find(anyValue: 2400).count == 1)
      #expect(try users.find(anyValue: ["last": "last 7"]).count == 5)
      #expect(try users.find(anyValue: Date(timeIntervalSinceReferenceDate: 8)).count == 1)
      #expect(try users.find(anyValue: String(repeating: "x", count: 5000) + "2").isEmpty)
      #expect(try users.find(anyValue: String(repeating: "x", count: 5000) + "1").count == 1)
      #expect(try users.count("[**.last] = 'last 7'") == 5)
      #expect(try users.count("[**.last] > 'last 97'") == 10)
      #expect(try users.count("[**.key7] = 1007") == 1)
      #expect(try users.count("[**.names[*]] = 'name 8'") == 1)
      #expect(try users.count("[**.names] = 'name 8'") == 0)
      #expect(try users.count("NOT [**.last] = 'last 7'") == 497)
      #expect(try users.count("[**.missing] = 1") == 0)
    }
    try check()
    try users.indexEverything()
    try check()
    #expect(try users.explain("[**.last] = 'last 7'").description.contains("all values by name"))
    try users.indexEverything()
    try users.update(where: "[n] = 3") { value throws(DocumentError) in try value.set("last 7", at: "new.deep") }
    #expect(throws: DocumentError.self) {
      try users.update(where: "[n] = 3") { value throws(DocumentError) in try value.set(1, at: "n.deep") }
    }
    #expect(try users.find(anyValue: "last 7").count == 6)
    store.discardChanges()
    #expect(try users.find(anyValue: "last 7").count == 5)
    try users.update(where: "[n] = 3") { value throws(DocumentError) in try value.set("last 7", at: "new.deep") }
    try store.saveChanges()
    #expect(try users.find(anyValue: "last 7").count == 6)
    #expect(try users.count("[**.deep] = 'last 7'") == 1)
    #expect(try store.verify().isSound)
    try users.removeIndexOfEverything()
    #expect(try users.find(anyValue: "last 7").count == 6)
  }

  @Test func `a configuration makes collections and adds indexes`() throws {
    let json = """
      {"collections": {"users": {"indexes": ["[last_name], [age] DESC"], "uniqueIndexes": ["[email]"],
        "defaults": {"active": true}, "aliases": {"country": "[address.country]"}, "cacheSize": 3},
       "logs": {"indexesEverything": true}}}
      """
    let configuration = try DocumentConfiguration(json: Data(json.utf8))
    let store = try makeStore()
    let collections = try store.apply(configuration)
    #expect(try store.documentCollectionNames() == ["logs", "users"])
    let users = try #require(collections["users"])
    #expect(users.cacheSize == 3)
    #expect(try users.indexes == ["[last_name], [age] DESC", "[email]"])
    #expect(users.defaults == ["active": true])
    try users.insert(["address": ["country": "US"]])
    #expect(try users.count("[active] AND country = 'US'") == 1)
    try store.saveChanges()
    try store.apply(configuration)
    #expect(try users.indexes.count == 2)
    #expect(try DocumentConfiguration(json: Data(configuration.json().utf8)) == configuration)
    #expect(throws: DocumentError.self) { try DocumentConfiguration(json: Data("{}".utf8)) }
    var wrong = DocumentConfiguration.Collection()
    wrong.indexes = ["last_name"]
    #expect(throws: DocumentError.self) { try store.apply(DocumentConfiguration(collections: ["users": wrong])) }
    #expect(try users.indexes.count == 2)
  }

  @Test func `the configuration of a store makes equal collections in another one`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    try users.addIndex("[a] DESC, [b][c]")
    try users.addIndex("[c]", unique: true)
    try users.addTextIndex("notes[*]")
    try users.setMetadata(["at": .init(Date(timeIntervalSinceReferenceDate: 5))], for: "import")
    try users.setDocumentByteLimit(1000)
    users.defaults = ["active": true]
    users.aliases = ["isOld": "[age] > 60"]
    users.cacheSize = 7
    try store.documents("empty").indexEverything()
    let configuration = try store.documentConfiguration()
    #expect(configuration.collections["users"]?.indexes == ["[a] DESC, [b][c]"])
    // Each object of a collection has a cache of its own.
    #expect(configuration.collections["users"]?.cacheSize == nil)
    #expect(try users.configuration.cacheSize == 7)
    let copy = try makeStore()
    try copy.apply(DocumentConfiguration(json: Data(configuration.json().utf8)))
    #expect(try copy.documentConfiguration() == configuration)
    #expect(try copy.documents("users").metadata("import") == users.metadata("import"))
    var wrong = DocumentConfiguration.Collection()
    wrong.documentByteLimit = 0
    #expect(throws: DocumentError.self) { try copy.apply(DocumentConfiguration(collections: ["users": wrong])) }
  }

  @Test func `a store keeps metadata`() throws {
    let store = try makeStore()
    #expect(try store.metadata("window") == nil)
    try store.setMetadata(["x": 1, "open": [true, nil]], for: "window")
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [])
    #expect(try other.metadata("window") == ["x": 1, "open": [true, nil]])
    try other.setMetadata(nil, for: "window")
    #expect(try other.metadata("window") == nil)
    try other.saveChanges()
  }

  @Test func `a collection keeps the documents that were used last`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    var keys: [UUID] = []
    for number in 0..<10 { keys.append(try users.insert(["n": .init(number)]).key) }
    try store.saveChanges()
    users.cacheSize = 3
    weak let kept = try users.document(for: keys[0])
    #expect(kept != nil)
    for key in keys[1..<3] { _ = try users.document(for: key) }
    _ = try users.document(for: keys[0])
    for key in keys[3..<5] { _ = try users.document(for: key) }
    #expect(kept != nil)
    _ = try users.find("[n] > 6")
    #expect(kept == nil)
    weak let last = try users.document(for: keys[9])
    #expect(last != nil)
    users.flushCache()
    #expect(last == nil)
    users.cacheSize = -1
    weak let unkept = try users.document(for: keys[9])
    #expect(unkept == nil)
  }

  @Test(arguments: EveryBackend.allCases) func `texts are searched, with and without an index`(
    kind: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let store = try Store(backend: kind.open(in: directory), classes: [])
    let books = try store.documents("books")
    let titles = ["Blue Note", "Kind of Blue", "Écoute", "東京物語", "Blues and the abstract truth", "Note"]
    for title in titles {
      try books.insert(["title": .init(title), "chapters": [["name": .init("On " + title)], ["name": 5]]])
    }
    func check() throws {
      #expect(try books.search("blue note", at: "title").map { $0["title"]?.string } == ["Blue Note"])
      #expect(try books.find { $0["title"].matches("ecoute") }.count == 1)
      #expect(try books.find { $0["title"].matches("東京") }.count == 1)
      #expect(try books.find { $0["chapters[*].name"].matches("truth") }.count == 1)
      #expect(Set(try books.search("note", at: "title").compactMap { $0["title"]?.string }) == ["Blue Note", "Note"])
    }
    try check()
    try store.saveChanges()
    try books.addTextIndex("title")
    try books.addTextIndex("chapters[*].name")
    try books.addTextIndex("title")
    #expect(try books.textIndexes == ["title", "chapters[*].name"])
    try check()
    try store.buildIndexes()
    try check()
    try books.update(where: "[title] = 'Note'") { value throws(DocumentError) in try value.set("Blue Note", at: "title")
    }
    try store.saveChanges()
    #expect(try books.search("blue note", at: "title").count == 2)
    #expect(try store.verify().isSound)
    #expect(try books.removeTextIndex("title"))
    #expect(try !books.removeTextIndex("title"))
    #expect(try books.search("blue note", at: "title").count == 2)
  }

  @Test func `the size of documents is limited`() throws {
    let store = try makeStore()
    let users = try store.documents("users")
    #expect(try users.documentByteLimit == 16 << 20)
    let large: DocumentValue = ["text": .init(String(repeating: "x", count: 17 << 20))]
    let error = #expect(throws: DocumentError.self) { try users.insert(large) }
    #expect(error?.code == .tooLarge)
    try users.setDocumentByteLimit(20 << 20)
    let document = try users.insert(large)
    try store.saveChanges()
    try users.setDocumentByteLimit(100)
    #expect(throws: DocumentError.self) { try users.insert(["text": .init(String(repeating: "x", count: 100))]) }
    let small = try users.insert(["text": "x"])
    small["text"] = .init(String(repeating: "x", count: 100))
    let refusal = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(refusal?.code == .cannotEncode)
    store.discardChanges()
    #expect(try Store(backend: store.backend, classes: []).documents("users").documentByteLimit == 100)
    #expect(document["text"]?.string?.utf8.count == 17 << 20)
    #expect(throws: DocumentError.self) { try users.setDocumentByteLimit(0) }
    #expect(throws: DocumentError.self) { try users.setDocumentByteLimit(1 << 31) }
  }
}
