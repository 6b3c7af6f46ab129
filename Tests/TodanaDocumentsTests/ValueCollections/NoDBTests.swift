import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

// The features of NoDB, each under its name.
@Suite struct NoDBTests {
  struct Address: Codable, Sendable, Equatable {
    var id: Int
    var street: String?
    var city: String?
  }

  struct Person: Codable, Sendable, Identifiable, Equatable {
    var id: Int
    var name: String
    var age: Int?
    var isActive = true
    var home: Address?
    var offices: [Address] = []
    var tags: [String] = []
    /// A property that key paths have no name for.
    var initial: String { String(name.prefix(1)) }
  }

  let store: Store
  let people: ValueCollection<Person>

  init() throws {
    store = try Store(.inMemory, classes: [])
    people = try store.collection(of: Person.self, indexes: [.init(\.age), .init(\.name, unique: true)])
  }

  private func saveSome() throws {
    try people.save(contentsOf: [
      Person(id: 2, name: "Bob", age: 20), Person(id: 1, name: "Ann", age: 30), Person(id: 3, name: "Cid", age: nil),
    ])
  }

  @Test func `D1, D14, D17: values are saved and returned by what was done with them`() throws {
    let first = try people.save(contentsOf: [Person(id: 1, name: "Ann"), Person(id: 2, name: "Bob")])
    #expect(first.inserted.map(\.id) == [1, 2])
    let second = try people.save(contentsOf: [
      Person(id: 1, name: "Ann"), Person(id: 2, name: "Bo"), Person(id: 3, name: "Cid"),
    ])
    #expect(second.unchanged.map(\.id) == [1])
    #expect(second.changed == [Person(id: 2, name: "Bo")])
    #expect(second.inserted.map(\.id) == [3])
    try store.saveChanges()
    #expect(try people.count() == 3)
  }

  @Test func `D2: custom query methods are extensions`() throws {
    try saveSome()
    #expect(try people.adults().map(\.name) == ["Bob", "Ann"])
  }

  @Test(arguments: EveryBackend.allCases)
  func `D3, D20: values come back when the store is opened again`(_ backend: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let store = try Store(backend: backend.open(in: directory), classes: [])
    let people = try store.collection(of: Person.self, indexes: [.init(\.age)])
    try people.save(Person(id: 1, name: "Ann", age: 30, home: Address(id: 5, city: "Boston")))
    try store.saveChanges()
    #expect(try people[1]?.home?.city == "Boston")
    #expect(try people.find { $0.home.city == "Boston" }.count == 1)
    #expect(try people.find { $0.age > 20 }.first?.name == "Ann")
    try store.close()
  }

  @Test func `D4: a new optional is nil, and a record that cannot be decoded hides no other`() throws {
    struct Old: Codable, Sendable, Identifiable { var id: Int }
    struct New: Codable, Sendable, Identifiable, Equatable {
      var id: Int
      var nickname: String?
    }
    struct Strict: Codable, Sendable, Identifiable, Equatable {
      var id: Int
      var name: String
    }
    let directory = try TemporaryDirectory()
    func withStore<Result>(_ body: (Store) throws -> Result) throws -> Result {
      let store = try Store(.directory(directory.path("s")), classes: [])
      defer { try? store.close(discarding: true) }
      return try body(store)
    }
    try withStore { store in
      try store.collection(of: Old.self, named: "people").save(contentsOf: [Old(id: 1), Old(id: 2)])
      try store.saveChanges()
    }
    try withStore { store in
      let people = try store.collection(of: New.self, named: "people").find()
      #expect(people == [New(id: 1), New(id: 2)])
    }
    try withStore { store in
      let people = try store.collection(of: Strict.self, named: "people")
      try people.save(Strict(id: 3, name: "Cid"))
      try store.saveChanges()
      #expect(throws: (any Error).self) { try people.find() }
      var damage: [StoreError] = []
      #expect(try people.find(onDamage: .report { damage.append($0) }) == [Strict(id: 3, name: "Cid")])
      #expect(damage.count == 2)
      #expect(try people[3] != nil)
    }
    try withStore { store in
      // The type can read all records again, and nothing was lost.
      let people = try store.collection(of: New.self, named: "people").find()
      #expect(people.map(\.id) == [1, 2, 3])
    }
  }

  @Test func `D4: missing keys come from the defaults`() throws {
    struct Old: Codable, Sendable, Identifiable { var id: Int }
    struct New: DefaultValues, Sendable, Identifiable, Equatable {
      var id = 0
      var isActive = true
      static var defaults: New { New() }
    }
    let directory = try TemporaryDirectory()
    var store = try Store(.directory(directory.path("s")), classes: [])
    try store.collection(of: Old.self, named: "people").save(Old(id: 1))
    try store.saveChanges()
    try store.close()
    store = try Store(.directory(directory.path("s")), classes: [])
    let people = try store.collection(of: New.self, named: "people")
    #expect(try people.find { $0.isActive } == [New(id: 1, isActive: true)])
    try store.close()
  }

  @Test func `D5: indexes are added and removed by later declarations, and other properties are scanned`() throws {
    try saveSome()
    try store.saveChanges()
    #expect(try people.find { $0.isActive }.count == 3)
    let same = try store.collection(of: Person.self, indexes: [.init(\.initial, name: "initial")])
    #expect(try same.find { $0.age > 20 }.map(\.name) == ["Ann"])
    #expect(try same.explain { $0.age > 20 }.indexNames == [])
    #expect(throws: DocumentError.self) { try store.collection(of: Person.self, indexes: [.init(\.initial)]) }
    // The former index was unique.
    try same.save(Person(id: 9, name: "Ann"))
    try store.saveChanges()
  }

  @Test func `D6: values are found by id, through an index`() throws {
    try saveSome()
    #expect(try people[1]?.name == "Ann")
    try store.saveChanges()
    #expect(try people[1]?.name == "Ann")
    #expect(try people[7] == nil)
    for id in 100..<5000 { try people.save(Person(id: id, name: "P\(id)", age: id % 50)) }
    try store.saveChanges()
    #expect(try people.explain { $0.id == 1 }.indexNames == ["id"])
    #expect(try people.explain { $0.age == 20 }.indexNames == ["age"])
    #expect(try people.explain { $0.isActive == true }.indexNames == [])
    #expect(try people.value(id: "1") == nil)
  }

  @Test func `D7: any property can be the id`() throws {
    struct Country: Codable, Sendable, Equatable {
      struct Code: Hashable, Codable, Sendable { var letters: String, number = 1 }
      var code: Code
      var name: String
    }
    let countries = try store.collection(of: Country.self, id: \.code, named: "countries")
    try countries.save(Country(code: .init(letters: "US"), name: "USA"))
    try countries.save(Country(code: .init(letters: "FR"), name: "France"))
    try store.saveChanges()
    try countries.save(Country(code: .init(letters: "US"), name: "United States"))
    #expect(try countries.count() == 2)
    #expect(try countries.value(id: Country.Code(letters: "US"))?.name == "United States")
    try store.saveChanges()
    #expect(try countries.value(id: Country.Code(letters: "US"))?.name == "United States")
    let byName = try store.collection(of: Country.self, id: \.name, named: "by name")
    try byName.save(Country(code: .init(letters: "US"), name: "USA"))
    #expect(try byName.value(id: "USA") != nil)
  }

  @Test func `D7: ids are compared by type and bytes, saved or not`() throws {
    struct Word: Codable, Sendable, Identifiable { var id: String }
    struct Count: Codable, Sendable, Identifiable { var id: Int64 }
    let words = try store.collection(of: Word.self)
    let counts = try store.collection(of: Count.self)
    // One text in two forms of Unicode is two ids.
    try words.save(contentsOf: [Word(id: "\u{E9}"), Word(id: "e\u{301}")])
    try counts.save(Count(id: 1))
    for _ in 0..<2 {
      #expect(try words.count() == 2)
      #expect(try words["e\u{301}"]?.id.unicodeScalars.count == 2)
      #expect(try words["\u{E9}"]?.id.unicodeScalars.count == 1)
      #expect(try counts.value(id: 1) == nil)
      #expect(try counts.value(id: Int64(1)) != nil)
      try store.saveChanges()
    }
  }

  @Test func `D8, D9: operators, and conditions combined in any way`() throws {
    try saveSome()
    #expect(try people.find { $0.age > 20 }.map(\.id) == [1])
    #expect(try people.find { $0.age >= 20 }.map(\.id) == [2, 1])
    #expect(try people.find { $0.age < 30 }.map(\.id) == [2])
    #expect(try people.find { $0.age <= 30 && $0.name == "Ann" || $0.age == nil }.map(\.id) == [1, 3])
    #expect(try people.find { !($0.name == "Ann") }.map(\.id) == [2, 3])
  }

  @Test func `D10, D12, D23: find gives an array, never nil, also asynchronously`() async throws {
    #expect(try people.find() == [])
    #expect(try await people.findAsync { $0.age > 20 } == [])
    try saveSome()
    try store.saveChanges()
    #expect(try people.find { $0.age > 99 } == [])
    #expect(try await people.findAsync { $0.age > 20 }.map(\.id) == [1])
  }

  @Test func `D11: the first value of a condition`() throws {
    try saveSome()
    #expect(try people.first { $0.name == "Ann" }?.id == 1)
    #expect(try people.first { $0.isActive }?.id == 2)
    #expect(try people.first { $0.name == "Eve" } == nil)
  }

  @Test func `D13: sort, skip and limit`() throws {
    try saveSome()
    #expect(try people.find(orderBy: \.name).map(\.name) == ["Ann", "Bob", "Cid"])
    #expect(try people.find(orderBy: \.name, .descending, limit: 1, offset: 1).map(\.name) == ["Bob"])
    #expect(try people.find(limit: 2, offset: 1).map(\.id) == [1, 3])
  }

  @Test func `D15: a save is merged into the stored value`() throws {
    try people.save(
      Person(
        id: 1, name: "Ann", age: 30, home: Address(id: 5, street: "Main", city: "Boston"),
        offices: [Address(id: 1, city: "Rome"), Address(id: 2, city: "Oslo")], tags: ["a"]))
    let merged = try people.save(
      Person(
        id: 1, name: "Anna", age: nil, home: Address(id: 5, street: "Side"),
        offices: [Address(id: 2, street: "North"), Address(id: 3)], tags: ["b"]))
    #expect(merged.name == "Anna")
    #expect(merged.age == 30)
    #expect(merged.home == Address(id: 5, street: "Side", city: "Boston"))
    #expect(
      merged.offices == [Address(id: 1, city: "Rome"), Address(id: 2, street: "North", city: "Oslo"), Address(id: 3)])
    #expect(merged.tags == ["b"])
    // Another nested id is another value.
    #expect(try people.save(Person(id: 1, name: "Anna", home: Address(id: 6))).home == Address(id: 6))
    #expect(try people.find() == [try #require(try people[1])])
  }

  @Test func `D15: keys that the type does not know are kept`() throws {
    struct Full: Codable, Sendable, Identifiable, Equatable {
      var id: Int
      var name: String
      var email: String
    }
    struct Part: Codable, Sendable, Identifiable {
      var id: Int
      var name: String
    }
    let directory = try TemporaryDirectory()
    func withStore(_ body: (Store) throws -> Void) throws {
      let store = try Store(.directory(directory.path("s")), classes: [])
      try body(store)
      try store.saveChanges()
      try store.close()
    }
    try withStore { try $0.collection(of: Full.self, named: "x").save(Full(id: 1, name: "Ann", email: "a@b.c")) }
    try withStore { try $0.collection(of: Part.self, named: "x").save(Part(id: 1, name: "Anna")) }
    try withStore {
      let people = try $0.collection(of: Full.self, named: "x")
      #expect(try people[1] == Full(id: 1, name: "Anna", email: "a@b.c"))
    }
  }

  @Test func `D16: a save can replace the stored value`() throws {
    try people.save(Person(id: 1, name: "Ann", age: 30, tags: ["a"]))
    let replaced = try people.save(Person(id: 1, name: "Ann"), .replacing)
    #expect(replaced == Person(id: 1, name: "Ann"))
    #expect(try people[1] == Person(id: 1, name: "Ann"))
  }

  @Test func `D18: delete returns the deleted values`() throws {
    try saveSome()
    try store.saveChanges()
    #expect(try people.delete { $0.age > 20 }.map(\.name) == ["Ann"])
    #expect(try people[1] == nil)
    #expect(try people.delete(id: 2)?.name == "Bob")
    // The id can be used again in the same commit.
    try people.save(Person(id: 1, name: "New"))
    try store.saveChanges()
    #expect(try people.find().map(\.name) == ["Cid", "New"])
  }

  @Test func `D19: unsaved changes can be discarded`() throws {
    try saveSome()
    try store.saveChanges()
    try people.save(Person(id: 4, name: "Dan"))
    try people.save(Person(id: 1, name: "Other"))
    store.discardChanges()
    #expect(try people[4] == nil)
    #expect(try people[1]?.name == "Ann")
    try people.save(Person(id: 4, name: "Dan"))
    try store.saveChanges()
    #expect(try people.count() == 4)
  }

  @Test func `D21: a collection can be removed`() throws {
    try saveSome()
    try store.saveChanges()
    try people.drop()
    #expect(try people.find() == [])
    #expect(try !people.exists)
    try saveSome()
    #expect(try people.count() == 3)
  }

  @Test func `D22: collections of one type have names`() throws {
    let old = try store.collection(of: Person.self, named: "old people")
    try old.save(Person(id: 1, name: "Methuselah", age: 969))
    try people.save(Person(id: 1, name: "Ann"))
    try store.saveChanges()
    #expect(try old[1]?.age == 969)
    #expect(try people[1]?.age == nil)
    #expect(people.name == "person")
    try old.rename(to: "elders")
    #expect(try old[1]?.age == 969)
    struct Other: Codable, Sendable, Identifiable { var id: Int }
    #expect(throws: StoreError.self) { try store.collection(of: Other.self, named: "elders") }
  }

  @Test func `a unique index refuses a second value`() throws {
    try people.save(Person(id: 1, name: "Ann"))
    try people.save(Person(id: 2, name: "Ann"))
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    try people.save(Person(id: 2, name: "Bob"))
    try store.saveChanges()
  }

  @Test func `a failed save of several changes nothing`() throws {
    struct Odd: Codable, Sendable, Identifiable {
      var id: Int
      var isBad = false
      func encode(to encoder: any Encoder) throws {
        if isBad { throw EncodingError.invalidValue(id, .init(codingPath: [], debugDescription: "bad")) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(isBad, forKey: .isBad)
      }
    }
    let odd = try store.collection(of: Odd.self)
    #expect(throws: DocumentError.self) { try odd.save(contentsOf: [Odd(id: 1), Odd(id: 2, isBad: true)]) }
    #expect(try odd.count() == 0)
    try odd.save(Odd(id: 1))
    #expect(try odd.count() == 1)
  }
}

extension ValueCollection where Value == NoDBTests.Person {
  fileprivate func adults() throws -> [Value] { try find { $0.age >= 18 } }
}
