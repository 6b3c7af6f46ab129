import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Conditions at paths to several values, unique indexes over existing documents, and keys with special characters.
@Suite struct DocumentFindingTests {
  @Test(arguments: [false, true])
  func `a range at a path to several values needs one value in it`(_ isIndexed: Bool) throws {
    let store = try Store(.inMemory, classes: [])
    let things = try store.documents("things")
    if isIndexed {
      try things.addIndex("[b[*]]")
      try things.indexEverything()
    }
    try things.insert(["n": 0, "b": [1, 20], "t": ["aa", "cc"]])
    try things.insert(["n": 1, "b": [1, 7], "t": ["aa", "BB"]])
    try things.insert(["n": 2, "b": 7, "t": "bb"])
    try things.insert(["n": 3, "b": ["7", nil, true], "t": 5])
    func check() throws {
      func found(_ text: String, _ lower: (any Sendable)?, _ upper: (any Sendable)?) throws -> [Int] {
        try things.find(text, lower, upper, orderBy: "[n]").compactMap { $0["n"]?.int }
      }
      #expect(try found("[b[*]] BETWEEN ? AND ?", 5, 10) == [1, 2])
      #expect(try found("[**.b] BETWEEN ? AND ?", 7, 7) == [2])
      #expect(try found("[**] BETWEEN ? AND ?", 5, 10) == [1, 2, 3])
      #expect(try found("[b[*]] >= ? AND [b[*]] <= ?", 5, 10) == [0, 1, 2])
      #expect(try found("[b[*]] NOT BETWEEN ? AND ?", 5, 10) == [0, 3])
      #expect(try found("[b[*]] BETWEEN ? AND ?", 10, 5) == [])
      #expect(try found("[b[*]] BETWEEN ? AND ?", 5, "x") == [])
      #expect(try found("[b] BETWEEN ? AND ?", 5, 10) == [2])
      #expect(try found("[t[*]] BETWEEN ? AND ?", "b", "bz") == [2])
      #expect(try found("[t[*]] BETWEEN[i] ? AND ?", "b", "bz") == [1, 2])
      #expect(try things.find { $0["b[*]"].isBetween(5, 10) }.count == 2)
    }
    try check()
    try store.saveChanges()
    try check()
    try things.insert(contentsOf: (0..<500).map { ["m": .init($0), "b": [100, .init($0 + 200)]] })
    try store.saveChanges()
    try check()
    #expect(throws: QueryTextError.self) { try things.find("[t[*]] BETWEEN[i] ? AND ?", "b", 5) }
  }

  @Test func `CONTAINS at a path to elements looks into each of them`() throws {
    let store = try Store(.inMemory, classes: [])
    let things = try store.documents("things")
    try things.addIndex("[emails[*]]")
    try things.insert(["emails": ["jdoe@foo.com"], "m": [["a"], "cab"], "s": "hello"])
    try things.insert(["emails": ["foo"], "m": [["b"]], "s": 5])
    try store.saveChanges()
    for (text, count) in [
      ("[emails[*]] CONTAINS 'foo'", 2), ("[emails] CONTAINS 'foo'", 1), ("[m[*]] CONTAINS 'a'", 1),
      ("[m[0]] CONTAINS 'a'", 1), ("[m[*]] CONTAINS[i] 'CA'", 1), ("[s[*]] CONTAINS 'ell'", 1),
      ("[**] CONTAINS 'ell'", 1), ("[emails[*]] CONTAINS 5", 0),
    ] { #expect(try things.count(text) == count, "\(text)") }
    #expect(try things.find { $0["emails[*]"].contains("foo") }.count == 2)
  }

  @Test(arguments: [10, 6000])
  func `a unique index is refused if documents have equal values`(count: Int) throws {
    let store = try Store(.inMemory, classes: [])
    let users = try store.documents("users")
    try users.insert(contentsOf: (0..<count).map { ["e": .init($0)] })
    let double = try users.insert(["e": 1])
    try store.saveChanges()
    let error = #expect(throws: UniqueViolation.self) { try users.addIndex("[e]", unique: true) }
    #expect(error?.values == ["1"])
    #expect(try users.indexes == [])
    var settings = DocumentConfiguration.Collection()
    settings.uniqueIndexes = ["[e]"]
    settings.indexes = ["[f]"]
    #expect(throws: UniqueViolation.self) { try store.apply(.init(collections: ["users": settings])) }
    #expect(try users.indexes == ["[f]"])
    try store.delete(double)
    try store.saveChanges()
    try users.addIndex("[e]", unique: true)
    // It is complete when the call returns.
    try users.insert(["e": 1])
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    store.discardChanges()
    #expect(try users.count() == count)
    #expect(try store.verify().isSound)
  }

  @Test func `elements of a unique index are shown as their values`() throws {
    let store = try Store(.inMemory, classes: [])
    let users = try store.documents("users")
    try users.addIndex("[t[*]]", unique: true)
    try users.insert(["t": [2, 1]])
    try users.insert(["t": [1]])
    let error = #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    #expect(error?.description.contains("DocumentElement") == false)
  }

  @Test func `a collection that was made again is listed once`() throws {
    let store = try Store(.inMemory, classes: [])
    let users = try store.documents("users")
    for _ in 0..<3 {
      try users.insert(["n": 1])
      try store.saveChanges()
      #expect(try store.documentCollectionNames() == ["users"])
      try users.drop()
      #expect(try store.documentCollectionNames() == [])
    }
  }

  @Test(arguments: ["]", "a]b", "[0]", "a[*]", "[*]", "[", "\\", "a.b", "**", "", "x[0]", "\\]", "[[", "]]", "a\\]"])
  func `a key with special characters is found and indexed`(key: String) throws {
    let store = try Store(.inMemory, classes: [])
    let things = try store.documents("things")
    let path = DocumentPath.escaped(key)
    var values = DocumentDictionary()
    values[key] = 5
    try things.insert(.init(values))
    try things.insert(["other": 5])
    try store.saveChanges()
    try things.addIndex("[\(path)], [other] DESC")
    try things.addTextIndex(path)
    #expect(try things.count("[\(path)] = ?", 5) == 1)
    #expect(try things.find { $0[path] == 5 }.first?[path] == 5)
    #expect(try things.values(at: [path], where: "[\(path)] EXISTS") == [[5]])
    #expect(DocumentPath(DocumentPath(path).description) == DocumentPath(path))
    // Its normal form is read again by another store.
    #expect(try Store(backend: store.backend, classes: []).documents("things").count("[\(path)] = 5") == 1)
  }

  @Test func `brackets around the path of a text index do not count`() throws {
    let things = try Store(.inMemory, classes: []).documents("things")
    for path in ["[bio]", "[a.b]", "[0]", "[*]", "bio", "x[0]"] { try things.addTextIndex(path) }
    #expect(try things.textIndexes == ["bio", "a.b", "[0]", "[*]", "x[0]"])
    #expect(try things.removeTextIndex("[bio]"))
  }

  @Test func `unknown settings and reserved aliases are refused`() throws {
    for json in [
      #"{"collections":{"a":{"indexs":["[n]"]}}}"#, #"{"collections":{},"colections":{}}"#,
    ] {
      let error = #expect(throws: DocumentError.self) { try DocumentConfiguration(json: Data(json.utf8)) }
      #expect(error?.code == .invalidText)
    }
    let things = try Store(.inMemory, classes: []).documents("things")
    for word in ["savedAt", "originalClassName", "search"] {
      #expect(throws: DocumentError.self, "\(word)") { try things.setAliases([word: "[a]"]) }
    }
  }

  @Test func `a closure that changes documents may throw any error`() throws {
    struct Refusal: Error {}
    let store = try Store(.inMemory, classes: [])
    let things = try store.documents("things")
    let thing = try things.insert(["emails": ["a"], "age": 70])
    try thing.change { try $0.append("b", at: "emails") }
    #expect(try things.update(where: "[age] > ?", 64) { try $0.set(true, at: "isRetired") } == 1)
    #expect(throws: Refusal.self) { try thing.change { _ in throw Refusal() } }
    #expect(throws: Refusal.self) { try things.update(where: "TRUE") { _ in throw Refusal() } }
    #expect(thing.value == ["emails": ["a", "b"], "age": 70, "isRetired": true])
  }
}
