import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// The features of NanoStore (https://github.com/tciuro/NanoStore), each with the calls that take its place.
@Suite struct NanoStoreTests {
  private func makeStore() throws -> Store { try Store(.inMemory, classes: []) }

  /// A store with four people, of whom some have nested values.
  private func makePeople() throws -> DocumentCollection {
    let people = try makeStore().documents("people")
    try people.insert(contentsOf: [
      ["n": 0, "LastName": "Doe", "Age": 41, "Phones": ["555-1234", ["Work": "555-9876"]], "Born": Self.date(0)],
      ["n": 1, "LastName": "Smith", "Age": 33, "Nick": nil, "Born": Self.date(100)],
      ["n": 2, "LastName": "doe", "Spouse": ["LastName": "McDoe", "Age": 9_007_199_254_740_993]],
      ["n": 3, "LastName": "Zhang", "Age": -7, "Phones": [], "Born": Self.date(200)],
    ])
    try people.store.saveChanges()
    return people
  }

  private static func date(_ seconds: Double) -> DocumentValue {
    DocumentValue(Date(timeIntervalSinceReferenceDate: seconds))
  }

  private func found(
    _ people: DocumentCollection, _ text: String, _ arguments: (any Sendable)?..., orderBy: String? = "[n]"
  ) throws -> [Int] {
    try people.store.fetch(people.query(text, arguments: arguments, orderBy: orderBy)).compactMap { $0["n"]?.int }
  }

  // MARK: Objects

  @Test func `objects: a dictionary, a key that is given or made, and flags of unsaved changes`() throws {
    let store = try makeStore()
    let people = try store.documents("people")
    let key = UUID()
    let given = try people.insert(["a": 1], key: key)
    let made = try people.insert([:])
    #expect(given.key == key)
    #expect(made.key != key)
    #expect(made.value == [:])
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(!store.hasUnsavedChanges)
    given["a"] = 2
    #expect(store.hasUnsavedChanges)
  }

  @Test func `objects: entries are added, set and removed`() throws {
    let people = try makeStore().documents("people")
    let object = try people.insert(["a": 1, "b": 2])
    try object.change { value throws(DocumentError) in
      try value.merge(["b": 3, "c": 4])
      try value.set(nil, at: "a")
    }
    #expect(object.value == ["b": 3, "c": 4])
    object.value = [:]
    #expect(object.value == [:])
  }

  @Test func `objects: texts, numbers, dates, bytes, null, URLs, arrays and dictionaries keep their types`() throws {
    let people = try makeStore().documents("people")
    let bytes = Data([0, 255])
    let value: DocumentValue = [
      "text": "a", "number": 1, "fraction": 0.5, "date": Self.date(0.25), "data": .init(bytes), "null": nil,
      "url": .init("https://example.org"), "nested": [[["a": nil]]],
    ]
    let object = try people.insert(value)
    try people.store.saveChanges()
    let copy = try Store(backend: people.store.backend, classes: []).documents("people").document(for: object.key)
    #expect(copy?.value == value)
    #expect(copy?["date"]?.date == Date(timeIntervalSinceReferenceDate: 0.25))
    #expect(copy?["data"]?.bytes == bytes)
  }

  @Test func `objects: keys of any text, also with dots`() throws {
    let people = try makeStore().documents("people")
    let object = try people.insert(["a.b": 1, "": 2, "戸棚 [0]": 3])
    #expect(object["a\\.b"] == 1)
    #expect(try people.count("[a\\.b] = 1 AND [] = 2") == 1)
    #expect(try people.find { $0[DocumentPath.escaped("戸棚 [0]")] == 3 } == [object])
  }

  @Test func `objects: equal contents, whatever the keys`() throws {
    let people = try makeStore().documents("people")
    let (one, other) = (try people.insert(["a": 1, "b": 2]), try people.insert(["b": 2, "a": 1]))
    #expect(one.value == other.value)
    #expect(one.key != other.key)
  }

  @Test func `objects: an object of an unknown class keeps the name of its class when it is changed and saved`() throws
  {
    struct Car: Codable, DocumentRepresentable { var wheels = 4 }
    let store = try makeStore()
    let car = try store.documents("things").insert(Car())
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [])
    let copy = try #require(try other.documents("things").document(for: car.key))
    copy["wheels"] = 3
    try other.saveChanges()
    try store.refresh()
    #expect(try car.converted(to: Car.self)?.wheels == 3)
  }

  // MARK: Stores

  @Test func `stores: in memory, temporary, and in a directory`() throws {
    let directory = try TemporaryDirectory()
    for location in [StoreLocation.inMemory, .temporary, .directory(directory.path("people"))] {
      let store = try Store(location, classes: [])
      try store.documents("people").insert(["a": 1])
      try store.saveChanges()
      #expect(try store.documents("people").count() == 1)
      try store.close()
    }
    let again = try Store(.directory(directory.path("people")), classes: [])
    #expect(try again.documents("people").count() == 1)
  }

  @Test func `stores: saving, discarding, and a transaction within a transaction`() throws {
    let people = try makePeople()
    try people.insert(["n": 4])
    people.store.discardChanges()
    #expect(try people.count() == 4)
    try people.store.savepoint {
      try people.insert(["n": 4])
      #expect(throws: CancellationError.self) {
        try people.store.savepoint {
          try people.insert(["n": 5])
          throw CancellationError()
        }
      }
    }
    try people.store.saveChanges()
    #expect(try found(people, "[n] > 3") == [4])
  }

  @Test func `stores: adding nothing, and removing by object, key and condition`() throws {
    let people = try makePeople()
    #expect(try people.insert(contentsOf: []).isEmpty)
    let all = try people.find("TRUE", orderBy: "[n]")
    try people.store.delete(all[0])
    for document in try people.documents(for: [all[1].key, UUID()]) {
      if let document { try people.store.delete(document) }
    }
    #expect(try people.delete(where: "[n] = ?", 2) == 1)
    try people.store.saveChanges()
    #expect(try found(people, "TRUE") == [3])
    try people.drop()
    #expect(try people.count() == 0)
  }

  @Test func `stores: objects by keys, and by classes`() throws {
    let store = try makeStore()
    let (cars, people) = (try store.documents("cars"), try store.documents("people"))
    let car = try cars.insert(["wheels": 4])
    let person = try people.insert(["name": "Doe"])
    try store.saveChanges()
    #expect(try store.documentCollectionNames() == ["cars", "people"])
    let keys = [person.key, car.key]
    let found = try [cars, people].flatMap { try $0.documents(for: keys).compactMap(\.self) }
    #expect(Set(found) == [car, person])
    #expect(try cars.count() == 1)
  }

  // MARK: Searches

  @Test(
    arguments: [
      ("[LastName] = 'Doe'", [0]), ("[LastName] BEGINSWITH 'D'", [0]), ("[LastName] CONTAINS 'oe'", [0, 2]),
      ("[LastName] ENDSWITH 'th'", [1]), ("[LastName] =[i] 'DOE'", [0, 2]), ("[LastName] BEGINSWITH[i] 'D'", [0, 2]),
      ("[LastName] CONTAINS[i] 'OE'", [0, 2]), ("[LastName] ENDSWITH[i] 'OE'", [0, 2]),
      ("[LastName] > 'Smith'", [2, 3]),
      ("[LastName] < 'Smith'", [0]), ("[LastName] != 'Doe'", [1, 2, 3]),
    ] as [(String, [Int])])
  func `searches: eleven matches`(text: String, expected: [Int]) throws {
    let people = try makePeople()
    #expect(try found(people, text) == expected)
    try people.addIndex("[LastName]")
    #expect(try found(people, text) == expected)
  }

  @Test(arguments: [false, true])
  func `searches: attributes at any depth, attributes alone, and values alone`(indexed: Bool) throws {
    let people = try makePeople()
    if indexed { try people.indexEverything() }
    #expect(try found(people, "[**.LastName] CONTAINS[i] 'DOE'") == [0, 2])
    #expect(try found(people, "[**.LastName] = 'McDoe'") == [2])
    #expect(try found(people, "[Spouse.LastName] ENDSWITH 'Doe'") == [2])
    #expect(try found(people, "[**.Work] EXISTS") == [0])
    #expect(try found(people, "[Nick] EXISTS") == [1])
    #expect(try people.find(anyValue: "555-9876").compactMap { $0["n"]?.int } == [0])
    #expect(try found(people, "[**] BEGINSWITH '555'") == [0])
    #expect(try found(people, "[**] = 33") == [1])
  }

  @Test func `searches: numbers are compared as numbers`() throws {
    let people = try makePeople()
    #expect(try found(people, "[Age] > 4") == [0, 1])
    #expect(try found(people, "[Age] < 0") == [3])
    #expect(try found(people, "[**.Age] = ?", 9_007_199_254_740_993) == [2])
    #expect(try found(people, "[**.Age] = ?", 9_007_199_254_740_992) == [])
  }

  @Test func `searches: lists, null, all objects, and expressions with parentheses`() throws {
    let people = try makePeople()
    #expect(try found(people, "[LastName] IN ?", ["Doe", "Zhang"]) == [0, 3])
    #expect(try found(people, "[Nick] IS NULL AND [Nick] EXISTS") == [1])
    #expect(try found(people, "[Age] IS NOT NULL") == [0, 1, 3])
    #expect(try people.store.fetch(people.all).count == 4)
    #expect(try found(people, "[Age] > 40 OR [Age] < 0 AND [LastName] = 'Smith'") == [0])
    #expect(try found(people, "([Age] > 40 OR [Age] < 0) AND [LastName] != 'Doe'") == [3])
  }

  @Test func `searches: objects, keys, parts of objects, distinct values and groups`() throws {
    let people = try makePeople()
    let keys = try people.find("[Age] > 0", orderBy: "[n]").map(\.key)
    #expect(try people.documents(for: keys).map { $0?["n"]?.int } == [0, 1])
    #expect(try people.values(at: ["LastName", "Spouse.LastName"], where: "[n] = 2") == [["doe", "McDoe"]])
    #expect(try people.distinctValues(at: "Phones[*]", where: "[n] = 0").count == 2)
    let groups = try people.summaries(of: "Age", groupedBy: "LastName")
    #expect(groups.count == 4)
  }

  @Test func `searches: sorted first, then cut, by several keys`() throws {
    let people = try makePeople()
    #expect(try found(people, "TRUE", orderBy: "[LastName][c], [n] DESC") == [2, 0, 1, 3])
    let page = try people.find("TRUE", orderBy: "[Age] DESC", limit: 2, offset: 1)
    #expect(page.compactMap { $0["n"]?.int } == [1, 3])
  }

  @Test func `searches: average, count, least, greatest and total`() throws {
    let ages = try makePeople().summary(of: "Age")
    #expect(ages.count == 3)
    #expect(ages.average == 67.0 / 3)
  }

  @Test func `searches: by the time of the last save, and by ranges of dates`() throws {
    let people = try makePeople()
    let start = Date()
    let smith = try #require(try people.find("[n] = 1").first)
    smith["Age"] = 34
    try people.store.saveChanges()
    #expect(try people.find { $0.savedAt >= start } == [smith])
    #expect(try people.find { $0.savedAt < start }.count == 3)
    let (from, to) = (Date(timeIntervalSinceReferenceDate: 50), Date(timeIntervalSinceReferenceDate: 200))
    #expect(try found(people, "[Born] BETWEEN ? AND ?", from, to) == [1, 3])
  }

  @Test func `searches: explained`() throws {
    let people = try makePeople()
    #expect(try !people.explain("[Age] = 33").description.contains("index"))
    try people.addIndex("[Age]")
    #expect(try people.explain("[Age] = 33").description.contains("index"))
  }

  // MARK: The rest

  @Test func `results: as JSON and as a property list`() throws {
    let people = try makePeople()
    let rows = try people.values(at: ["LastName", "Age"], orderBy: "[n]", limit: 2)
    let table = DocumentValue(rows.map { row in DocumentValue(row.map { $0 ?? .null }) })
    #expect(try table.json() == #"[["Doe",41],["Smith",33]]"#)
    #expect(try DocumentValue(propertyList: table.propertyList()) == table)
    #expect(try people.store.documentConfiguration().json().hasPrefix(#"{"collections":{"people":{"#))
  }

  @Test func `upkeep: indexes, compaction, a backup, verification and values of the program's own`() throws {
    let directory = try TemporaryDirectory()
    let store = try Store(.directory(directory.path("store")), classes: [])
    let people = try store.documents("people")
    try people.addIndex("[n]")
    for n in 0..<1000 { try people.insert(["n": .init(n)]) }
    try store.saveChanges()
    try people.delete(where: "[n] >= 10")
    try store.setMetadata(["version": 2], for: "schema")
    try store.saveChanges()
    _ = try store.compact()
    try store.backUp(to: directory.path("backup"))
    #expect(try store.verify().isSound)
    let backup = try Store(.directory(directory.path("backup")), classes: [])
    #expect(try backup.documents("people").count("[n] < 5") == 5)
    #expect(try backup.metadata("schema")?["version"] == 2)
    #expect(try people.removeIndex("[n]"))
  }

  @Test func `upkeep: a misused call is a typed error`() throws {
    let people = try makePeople()
    #expect(throws: QueryTextError.self) { try people.find("[Age] >") }
    #expect(throws: QueryTextError.self) { try people.find("[Age] > ?") }
    #expect(throws: DocumentError.self) { try people.insert(["a": 1], key: people.find("[n] = 0")[0].key) }
    #expect(throws: DocumentError.self) { try people.insert(["not a dictionary"]) }
  }

  @Test func `upkeep: full-text search`() throws {
    let people = try makePeople()
    try people.addTextIndex("LastName")
    #expect(try people.search("DOE", at: "LastName").count == 2)
  }
}
