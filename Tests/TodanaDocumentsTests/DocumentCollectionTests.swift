import Foundation
import TestSupport
import Testing
import TodanaDocuments

@testable import Todana

@Suite struct DocumentCollectionTests {
  private func makeStore(_ kind: EveryBackend = .inMemory, _ directory: TemporaryDirectory) throws -> Store {
    try Store(backend: kind.open(in: directory), classes: [])
  }

  private static let people: [DocumentValue] = [
    ["last_name": "Doe", "emails": ["jdoe@foo.com", "john@foo.com"], "address": ["country": "US"], "age": 41],
    ["last_name": "Smith", "emails": [], "address": ["country": "FR", "city": "Nice"], "age": 20],
    ["last_name": "doe", "emails": "jane@foo.com", "age": 33.5, "isAdmin": true],
    ["last_name": nil, "age": "unknown", "address": ["country": "US", "country code": 1]],
    [:],
  ]

  @Test(arguments: EveryBackend.allCases) func `documents are inserted, found, changed and deleted`(
    kind: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [])
    let users = try store.documents("users")
    #expect(try users.count() == 0)
    #expect(try users.find("[age] > 1").isEmpty)
    #expect(try !users.exists)
    let user = try users.insert(Self.people[0])
    let id = try #require(user.id)
    user["address.city"] = "Boston"
    try store.saveChanges()
    #expect(user.savedAt.map { abs($0.timeIntervalSinceNow) < 60 } == true)

    let other = try Store(backend: backend, classes: [])
    let copy = try #require(try other.documents("users").document(for: user.key))
    #expect(copy.id == id)
    #expect(copy.key == user.key)
    #expect(copy["address.city"] == "Boston")
    #expect(copy.value == user.value)
    copy["age"] = 42
    try copy.change { value throws(DocumentError) in try value.append("j@foo.com", at: "emails") }
    try other.saveChanges()
    try store.refresh()
    #expect(user["age"]?.int == 42)
    #expect(user["emails[2]"] == "j@foo.com")
    #expect(try store.documentCollectionNames() == ["users"])
    #expect(try users.delete(where: "[age] > ?", 3) == 1)
    try store.saveChanges()
    #expect(try users.count() == 0)
    try other.refresh()
    #expect(try other.documents("users").document(for: copy.key) == nil)
  }

  @Test func `keys are kept, unique, and lead to their documents`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    let given = UUID()
    let first = try users.insert(["n": 1])
    let second = try users.insert(["n": 2], key: given)
    #expect(second.key == given)
    #expect(throws: DocumentError.self) { try users.insert(["n": 3], key: given) }
    #expect(throws: DocumentError.self) { try users.insert(["n": 3], key: first.key) }
    try store.saveChanges()
    #expect(throws: DocumentError.self) { try users.insert(["n": 3], key: given) }
    let key = first.key
    #expect(try users.documents(for: [given, UUID(), key]) == [second, nil, first])
    // A document keeps its key when it is inserted again.
    try store.delete(first)
    try store.saveChanges()
    #expect(try users.document(for: key) == nil)
    #expect(first.key == key)
    try users.insert(first)
    try store.saveChanges()
    #expect(first.key == key)
    #expect(try users.document(for: key) === first)
    // Two stores cannot give the same key.
    let other = try Store(backend: store.backend, classes: [])
    let same = UUID()
    try users.insert(["n": 4], key: same)
    try other.documents("users").insert(["n": 5], key: same)
    try store.saveChanges()
    #expect(throws: UniqueViolation.self) { try other.saveChanges() }
    // A key that was read before the insert stays.
    let loose = try Document(["n": 6])
    let looseKey = loose.key
    try users.insert(loose)
    #expect(loose.key == looseKey)
  }

  @Test(
    arguments: [
      ("[age] > 20", [0, 2]), ("[age] >= 20", [0, 1, 2]), ("[age] < 'z'", [3]), ("[age] = 33.5", [2]),
      ("[address.country] = 'US'", [0, 3]), ("[address.country] != 'US'", [1, 2, 4]), ("[last_name] IS NULL", [3, 4]),
      ("[last_name] EXISTS", [0, 1, 2, 3]), ("[last_name] NOT EXISTS", [4]), ("[age] IS STRING", [3]),
      ("[emails] IS ARRAY", [0, 1]), ("[age] IS NOT NUMBER", [3, 4]), ("[emails] CONTAINS 'jdoe@foo.com'", [0]),
      ("[emails] CONTAINS 'jane'", [2]), ("[emails] CONTAINS 'jdoe'", []), ("[emails[*]] = 'john@foo.com'", [0]),
      ("[emails[*]] = 'jane@foo.com'", [2]), ("[emails[1]] = 'john@foo.com'", [0]), ("[last_name] =[c] 'DOE'", [0, 2]),
      ("[last_name] BEGINSWITH[i] 'd'", [0, 2]), ("[last_name] LIKE '%o%'", [0, 2]), ("[last_name] MATCHES 'S.*'", [1]),
      ("[last_name] ENDSWITH 'th'", [1]), ("[isAdmin]", [2]), ("NOT [isAdmin]", [0, 1, 3, 4]),
      ("[age] BETWEEN 20 AND 33.5", [1, 2]), ("[age] IN (20, 41, 'unknown')", [0, 1, 3]), ("[**.country] = 'FR'", [1]),
      ("[**] = 'US'", [0, 3]), ("[address.country code] = 1", [3]), ("[last_name] IN (NULL, 'Smith')", [1, 3, 4]),
      ("[**.last_name] CONTAINS[i] 'DO'", [0, 2]), ("[**.country] BEGINSWITH 'U'", [0, 3]),
      ("[**] ENDSWITH[i] 'OM'", [0, 2]),
      ("[emails[*]] LIKE 'j%@%'", [0, 2]), ("[emails[*]] MATCHES 'j.*e@.*'", [0, 2]), ("[**.city] =[c] 'NÎCE'", [1]),
      ("[emails] CONTAINS[i] 'JDOE@FOO.COM'", [0]), ("[emails] CONTAINS[i] 'JDOE'", []),
      ("[emails] CONTAINS[i] 'JANE'", [2]),
      ("[**.country] !=[i] 'us'", [1, 2, 4]), ("[**.country] IN[i] ('FR', NULL)", [1]),
      ("[**.last_name] =[i] NULL", [3]),
      ("[**.country] <[i] 'US'", [1]), ("[**.country] >=[i] 'us'", [0, 3]), ("[**.country] >[i] NULL", []),
      ("([age] = 20 OR [age] = 41) AND [emails] CONTAINS 'john@foo.com'", [0]), ("TRUE", [0, 1, 2, 3, 4]),
    ] as [(String, [Int])])
  func `texts of queries find documents, with and without indexes`(text: String, expected: [Int]) throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    let documents = try users.insert(contentsOf: Self.people)
    let positions = Dictionary(uniqueKeysWithValues: documents.enumerated().map { ($1.key, $0) })
    func found() throws -> [Int] { try users.find(text).compactMap { positions[$0.key] } }
    #expect(try found() == expected)
    try store.saveChanges()
    #expect(try found() == expected)
    for index in ["[age]", "[address.country] DESC, [age]", "[emails[*]]", "[last_name][c]", "[last_name]"] {
      try users.addIndex(index)
    }
    #expect(try found() == expected)
    #expect(try users.count(text) == expected.count)
    #expect(try store.verify().isSound)
  }

  @Test func `closures find documents`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    let documents = try users.insert(contentsOf: Self.people)
    let (minimum, country) = (20, "US")
    #expect(try users.find { $0["age"] > minimum && $0["address.country"] == country } == [documents[0]])
    #expect(
      try users.find { $0["emails"].contains("john@foo.com") || $0["age"] == 20 } == [documents[0], documents[1]])
    #expect(try users.find { $0["last_name"].text.folded == "doe" } == [documents[0], documents[2]])
    #expect(try users.find { !$0["address"].exists } == [documents[2], documents[4]])
    #expect(try users.find { $0["age"].isIn([20, "unknown"]) } == [documents[1], documents[3]])
  }

  @Test func `results are sorted by the order of all kinds, and cut`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    let documents = try users.insert(contentsOf: Self.people)
    func found(_ orderBy: String, limit: Int? = nil, offset: Int = 0) throws -> [Int] {
      try users.find("TRUE", orderBy: orderBy, limit: limit, offset: offset).compactMap { documents.firstIndex(of: $0) }
    }
    for _ in 0..<2 {
      #expect(try found("[age]") == [4, 1, 2, 0, 3])
      #expect(try found("[age] DESC") == [3, 0, 2, 1, 4])
      #expect(try found("[last_name][c], [age] DESC") == [3, 4, 0, 2, 1])
      #expect(try found("[age]", limit: 2, offset: 1) == [1, 2])
      try store.saveChanges()
      try users.addIndex("[age]")
    }
    #expect(try users.explain("[age] = 20").description.contains("index"))
  }

  @Test func `indexes are added, found again, and removed`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    try users.addIndex("[last_name] , [address.country] desc")
    try users.addIndex("[last_name], [address.country] DESC")
    try users.addIndex("[isbn]", unique: true)
    #expect(try users.indexes == ["[last_name], [address.country] DESC", "[isbn]"])
    try users.insert(["isbn": 1])
    try users.insert(["isbn": nil])
    try users.insert([:])
    try store.saveChanges()
    var batch: [DocumentValue] = (0..<10_000).map { ["isbn": .init($0 + 10)] }
    batch[7000] = ["isbn": 1.0]
    try users.insert(contentsOf: batch)
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    store.discardChanges()
    #expect(try users.count() == 3)
    #expect(try users.removeIndex("[isbn]", unique: true))
    #expect(try !users.removeIndex("[isbn]", unique: true))
    try users.insert(["isbn": 1])
    try store.saveChanges()
    #expect(try users.count("[isbn] = 1") == 2)
  }

  @Test(arguments: [
    ("[age] >", 7), ("[age", 0), ("age = 1", 0), ("[age] = ?", 8), ("[age] IS TALL", 6), ("[a[*]] MATCHES '('", 15),
    ("[age] LIKE 5", 11), ("[age] = 1 AND", 13), ("[name] MATCHES '('", 15),
  ])
  func `an error in a text has its place`(text: String, position: Int) throws {
    let directory = try TemporaryDirectory()
    let users = try makeStore(.inMemory, directory).documents("users")
    let error = #expect(throws: QueryTextError.self) { try users.find(text) }
    #expect(error?.position == position, "\(String(describing: error))")
  }

  @Test func `wrong arguments and texts of indexes are errors`() throws {
    let directory = try TemporaryDirectory()
    let users = try makeStore(.inMemory, directory).documents("users")
    #expect(throws: QueryTextError.self) { try users.find("[a] = ?", 1, 2) }
    #expect(throws: QueryTextError.self) { try users.find("[a] = ?", Locale.current) }
    #expect(throws: QueryTextError.self) { try users.find("[a] = ?", UInt64.max) }
    #expect(throws: QueryTextError.self) { try users.find("TRUE", orderBy: "[a[*]]") }
    for text in ["", "a", "[a", "[a] UP", "[a],", "[**.a]", "[a[*]] DESC", "[a][c] DESC", "[a][i]"] {
      let error = #expect(throws: DocumentError.self) { try users.addIndex(text) }
      #expect(error?.code == .invalidText, "\(text)")
    }
    #expect(throws: StoreError.self) { try users.addIndex("[a[*]], [b[*]]") }
    #expect(throws: DocumentError.self) { try users.insert([1]) }
    #expect(throws: DocumentError.self) { try users.insert(contentsOf: [[:], 1]) }
    #expect(try users.count() == 0)
  }

  @Test func `documents are updated by queries, in unusual names`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("日本 \u{1F600}/../x")
    try users.insert(contentsOf: [["a.b": 1], ["a.b": 2], ["a.b": 3]])
    #expect(
      try users.update(where: "[a\\.b] > ?", 1) { value throws(DocumentError) in
        try value.increment(at: "a\\.b", by: 10)
      } == 2)
    try store.saveChanges()
    #expect(try users.find("[a\\.b] > 10", orderBy: "[a\\.b] DESC").map { $0["a\\.b"]?.int } == [13, 12])
    #expect(throws: DocumentError.self) {
      try users.update(where: "TRUE") { value throws(DocumentError) in try value.append(1, at: "a\\.b") }
    }
    try users.rename(to: "plain")
    #expect(try store.documentCollectionNames() == ["plain"])
    try users.drop()
    #expect(try store.documentCollectionNames() == [])
  }

  @Test func `a document that is too deep is refused`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    var value: DocumentValue = 1
    for _ in 0..<150 { value = ["a": value] }
    let refusal = #expect(throws: DocumentError.self) { try users.insert(value) }
    #expect(refusal?.code == .tooDeep)
    let document = try users.insert([:])
    document["a"] = value
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .cannotEncode)
  }

  struct Person: Codable, Equatable, DocumentRepresentable {
    var name: String
    var age: Int
  }

  struct Point: DocumentRepresentable {
    var x: Int
    static let documentClassName = "Position"

    init(x: Int) { self.x = x }

    init(documentValue: DocumentValue) throws {
      guard let x = documentValue["x"]?.int else { throw CocoaError(.coderInvalidValue) }
      self.x = x
    }

    func makeDocumentValue() throws -> DocumentValue { ["x": .init(x)] }
  }

  @Test func `values of types come back as themselves, and keep the name of their type`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let mixed = try store.documents("mixed")
    let ann = try mixed.insert(Person(name: "Ann", age: 30))
    let point = try mixed.insert(Point(x: 5))
    try mixed.insert(["name": "plain", "age": 3])
    try store.saveChanges()
    #expect(try mixed.find(Person.self) == [Person(name: "Ann", age: 30)])
    #expect(try mixed.find(Person.self, "[age] > ?", 50) == [])
    #expect(try mixed.find(Point.self, orderBy: "[x]").map(\.x) == [5])
    #expect(try ann.converted(to: Person.self)?.name == "Ann")
    #expect(try ann.converted(to: Point.self) == nil)
    // A program without the type changes the document, and the name stays.
    let other = try Store(backend: store.backend, classes: [])
    let copy = try #require(try other.documents("mixed").document(for: point.key))
    #expect(copy.originalClassName == "Position")
    copy["x"] = 6
    try other.saveChanges()
    try store.refresh()
    #expect(try point.converted(to: Point.self)?.x == 6)
    point["x"] = "no number"
    #expect(throws: CocoaError.self) { try mixed.find(Point.self) }
  }

  @Test func `copies have keys of their own`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let (users, others) = (try store.documents("users"), try store.documents("others"))
    let user = try users.insert(["name": "Doe"], key: UUID())
    let copy = try users.insert(copyOf: user)
    let elsewhere = try others.insert(copyOf: user)
    try store.saveChanges()
    #expect(Set([user.key, copy.key, elsewhere.key]).count == 3)
    #expect(copy.value == user.value)
    #expect(try others.document(for: elsewhere.key) === elsewhere)
    #expect(try others.document(for: user.key) == nil)
    // A plain copy of an object goes to the same collection.
    let plain = try store.copy(copy)
    try store.saveChanges()
    #expect(try users.count() == 3)
    #expect(plain.key != copy.key)
  }

  @Test func `values are projected, distinguished and summed up`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(.inMemory, directory)
    let users = try store.documents("users")
    #expect(try users.summary(of: "age").count == 0)
    try users.insert(contentsOf: Self.people)
    try store.saveChanges()
    #expect(
      try users.values(at: ["last_name", "address.city"], where: "[age] IS NUMBER", orderBy: "[age]", limit: 2)
        == [["Smith", "Nice"], ["doe", nil]])
    #expect(try users.distinctValues(at: "address.country") == ["FR", "US"])
    #expect(try users.distinctValues(at: "emails[*]", where: "[age] > ?", 35) == ["jdoe@foo.com", "john@foo.com"])
    let ages = try users.summary(of: "age")
    #expect(ages.count == 4)
    #expect(ages.sum == 94.5)
    #expect(ages.average == 31.5)
    #expect(ages.minimum == 20)
    #expect(ages.maximum == "unknown")
    #expect(try users.summary(of: "age", where: "[age] IN (20, 41)").sum?.int == 61)
    let groups = try users.summaries(of: "age", groupedBy: "address.country")
    #expect(groups.map(\.group) == [nil, "FR", "US"])
    #expect(groups.map(\.documentCount) == [2, 1, 2])
    #expect(groups.map(\.summary.sum) == [33.5, 20, 41])
    try users.insert(["big": .init(Int64.max)])
    try users.insert(["big": 1])
    #expect(try users.summary(of: "big").sum == nil)
  }
}

/// Stores on several threads that change one collection.
@Suite struct SharedCollectionTests {
  @Test(arguments: [EveryBackend.inMemory, .directory, .encrypted])
  func `indexes change while other stores save`(kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let owner = try Store(backend: backend, classes: [])
    try owner.documents("people").insert(["n": -1])
    try owner.saveChanges()
    try onThreads(3) { thread in
      let store = try Store(backend: backend, classes: [])
      let people = try store.documents("people")
      for step in 0..<40 {
        if thread == 0 {
          try people.addIndex("[n]")
          if step % 3 == 0 { try people.setDefaults(["x": .init(step)]) }
          if step % 2 == 0 { try people.addTextIndex("name") } else { try people.removeTextIndex("name") }
          try people.removeIndex("[n]")
        } else {
          try people.insert(["n": .init(thread * 100 + step), "name": .init("number\(thread * 100 + step)")])
          try store.saveChanges()
          #expect(try people.count("[name] SEARCH ?", "number\(thread * 100 + step)") == 1)
          #expect(try people.count("[n] = ?", thread * 100 + step) == 1)
        }
      }
    }
    let people = try owner.documents("people")
    try people.addIndex("[n]")
    try owner.buildIndexes()
    #expect(try people.count() == 81)
    #expect(try people.count("[n] BETWEEN 100 AND 300") == 80)
    #expect(try owner.verify().isSound)
  }
}
