import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Text indexes with rules for words, `SEARCH` in texts of queries, and the fields without brackets.
@Suite struct DocumentTextSearchTests {
  private func titles(_ found: [Document]) -> Set<String> { Set(found.compactMap { $0["title"]?.string }) }

  @Test(arguments: EveryBackend.allCases)
  func `a text index has a language and stop words`(kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [])
    let books = try store.documents("books")
    for title in ["He runs", "Running away", "The run", "Rust", "東京を走る"] {
      try books.insert(["title": .init(title), "notes": [.init("on " + title), 5]])
    }
    try store.saveChanges()
    func check(stems: Bool) throws {
      let expected: Set<String> = stems ? ["He runs", "Running away", "The run"] : ["Running away"]
      #expect(titles(try books.find("[title] SEARCH ?", "running")) == expected)
      #expect(titles(try books.find { $0["title"].matches("running") }) == expected)
      #expect(titles(try books.search("running ", at: "title")) == expected)
      #expect(titles(try books.find("NOT [title] SEARCH 'running'")).count == 5 - expected.count)
      // The rules of one path do not count for another one.
      #expect(titles(try books.find("[notes[*]] SEARCH 'running'")) == ["Running away"])
      #expect(titles(try books.find("[notes] SEARCH 'running'")) == [])
      #expect(titles(try books.find("[title] SEARCH '東京'")) == ["東京を走る"])
      // A stop word counts for nothing, so that all words of the expression but it must occur.
      #expect(titles(try books.find("[title] SEARCH 'the runs'")).isEmpty == !stems)
    }
    try check(stems: false)
    try books.addTextIndex("title", language: .english, stopWords: ["the"], keepsPositions: false)
    #expect(try books.textIndexes == [.init("title", language: .english, stopWords: ["the"], keepsPositions: false)])
    try check(stems: true)
    try store.buildIndexes()
    try check(stems: true)
    #expect(try store.verify().isSound)
    try books.update(where: "[title] = 'Rust'") { value throws(DocumentError) in try value.set("Ran", at: "title") }
    try check(stems: true)
    try store.saveChanges()
    try check(stems: true)
    try books.rebuildIndexes()
    try check(stems: true)
    // Another store of the backend has the same rules.
    let other = try Store(backend: backend, classes: []).documents("books")
    #expect(try other.count("[title] SEARCH 'running'") == 3)
    // Other rules take the place of these.
    try other.addTextIndex("title")
    #expect(try books.textIndexes == ["title"])
    try check(stems: false)
  }

  @Test func `text indexes with rules have JSON`() throws {
    let plain = DocumentTextIndex("a[*]")
    let rich = DocumentTextIndex(
      "title", language: .german, stopWords: ["und", "der"], keepsPositions: false, findsSubstrings: false)
    var settings = DocumentConfiguration.Collection()
    settings.textIndexes = [plain, rich]
    let configuration = DocumentConfiguration(collections: ["books": settings])
    let json = try configuration.json()
    #expect(
      json == #"{"collections":{"books":{"textIndexes":["a[*]",{"path":"title","language":"german","#
        + #""stopWords":["der","und"],"keepsPositions":false,"findsSubstrings":false}]}}}"#)
    #expect(try DocumentConfiguration(json: Data(json.utf8)) == configuration)
    let store = try Store(.inMemory, classes: [])
    try store.apply(configuration)
    #expect(try store.documents("books").textIndexes == [plain, rich])
    #expect(try store.documentConfiguration().collections["books"]?.textIndexes == [plain, rich])
    let unknown = #"{"collections":{"books":{"textIndexes":[{"path":"a","language":"klingon"}]}}}"#
    let error = #expect(throws: DocumentError.self) { try DocumentConfiguration(json: Data(unknown.utf8)) }
    #expect(error?.message.contains("klingon") == true)
  }

  @Test func `texts of queries have the time of the last save`() throws {
    let store = try Store(.inMemory, classes: [])
    let users = try store.documents("users")
    // A key of the same name is another field.
    for number in 0..<3 { try users.insert(["n": .init(number), "savedAt": "never"]) }
    try store.saveChanges()
    let between = Date()
    try users.addIndex("savedAt DESC, [n]")
    try users.update(where: "[n] = 1") { value throws(DocumentError) in try value.set(true, at: "changed") }
    try users.insert(["n": 3])
    #expect(try users.count("savedAt IS NULL") == 1)
    try store.saveChanges()
    func numbers(_ text: String, _ arguments: [(any Sendable)?] = [], orderBy: String? = "[n]") throws -> [Int] {
      try store.fetch(users.query(text, arguments: arguments, orderBy: orderBy)).compactMap { $0["n"]?.int }
    }
    #expect(try numbers("savedAt > ?", [between]) == [1, 3])
    #expect(try numbers("savedAt <= ?", [between]) == [0, 2])
    #expect(try numbers("savedAt BETWEEN ? AND ?", [Date.distantPast, between]) == [0, 2])
    #expect(try numbers("NOT savedAt > ? AND [savedAt] = 'never'", [between]) == [0, 2])
    #expect(try Set(numbers("TRUE", orderBy: "savedAt DESC").prefix(2)) == [1, 3])
    #expect(try users.indexes == ["savedAt DESC, [n]"])
    users.aliases = ["recent": "(savedAt > '2000-01-01')"]
    #expect(throws: QueryTextError.self) { try users.count("recent") }
    #expect(throws: QueryTextError.self) { try users.count("savedAt CONTAINS ?", between) }
    #expect(throws: QueryTextError.self) { try users.count("savedAt >[c] ?", between) }
    #expect(throws: QueryTextError.self) { try users.count("key = ?", UUID()) }
    #expect(throws: DocumentError.self) { try users.addIndex("saved") }
    #expect(throws: DocumentError.self) { try users.addIndex("savedAt[c]") }
    try users.insert(contentsOf: (0..<1000).map { ["m": .init($0)] })
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try numbers("savedAt < ?", [between]) == [0, 2])
    #expect("\(try users.explain("savedAt < ?", between))".contains("savedAt DESC"))
    #expect(try store.verify().isSound)
  }

  @Test func `texts of queries have the class of the original object`() throws {
    struct Person: Codable, DocumentRepresentable { var name: String }
    let store = try Store(.inMemory, classes: [])
    let things = try store.documents("things")
    try things.insert(["name": "plain"])
    try things.insert(Person(name: "Ann"))
    try store.saveChanges()
    #expect(try things.find("originalClassName = 'Person'").map { $0["name"] } == ["Ann"])
    #expect(try things.find("originalClassName BEGINSWITH[c] 'pérs'").map { $0["name"] } == ["Ann"])
    #expect(try things.find("originalClassName IS NULL").map { $0["name"] } == ["plain"])
    #expect(try things.find("originalClassName IN ?", ["Person", "Car"]).count == 1)
    #expect(try things.find("TRUE", orderBy: "originalClassName DESC").first?["name"] == "Ann")
    #expect(throws: QueryTextError.self) { try things.find("originalClassName = ?", 5) }
  }

  @Test func `SEARCH is refused where there is no text`() throws {
    let users = try Store(.inMemory, classes: []).documents("users")
    for (text, argument) in [
      ("[a] SEARCH ?", 5 as (any Sendable)?), ("[a] SEARCH ?", nil), ("[a] SEARCH[c] ?", "x"),
      ("savedAt SEARCH ?", "x"),
    ] {
      #expect(throws: QueryTextError.self, "\(text)") { try users.query(text, arguments: [argument]) }
    }
  }
}
