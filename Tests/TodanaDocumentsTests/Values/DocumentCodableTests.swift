import Foundation
import TestSupport
import Testing

@testable import TodanaDocuments

@Suite struct DocumentCodableTests {
  struct Address: Codable, Equatable {
    var country: String
    var city: String?
  }

  enum Mood: String, Codable { case calm, wild }

  struct Person: Codable, Equatable {
    var name: String
    var age: UInt8
    var height: Float
    var mood: Mood
    var addresses: [Address]
    var born: Date
    var key: UUID
    var picture: Data
    var site: URL
    var extra: DocumentValue
    var counts: [Int: Double]
    var nickname: String?
  }

  static let person = Person(
    name: "Doe", age: 41, height: 1.8, mood: .wild,
    addresses: [Address(country: "US"), Address(country: "FR", city: "Nice")],
    born: Date(timeIntervalSinceReferenceDate: 12.25), key: UUID(), picture: Data([1, 2]),
    site: URL(filePath: "/a"), extra: ["b": 1, "a": [nil, 1.0]], counts: [3: 0.5])

  @Test func `structures become dictionaries, and back`() throws {
    let value = try DocumentValue(encoding: Self.person)
    #expect(value["addresses[1].city"] == "Nice")
    #expect(value["addresses[0]"]?.fields?.count == 1)
    #expect(value["born"]?.date == Self.person.born)
    #expect(value["key"]?.uuid == Self.person.key)
    #expect(value["picture"]?.bytes == Self.person.picture)
    #expect(value["mood"] == "wild")
    #expect(try isIdentical(value["extra"] ?? nil, Self.person.extra))
    #expect(try value.decode(Person.self) == Self.person)
    #expect(try DocumentValue(encoding: [1, 2]) == [1, 2])
    #expect(try DocumentValue(encoding: "a") == "a")
    #expect(try DocumentValue(encoding: nil as Int?) == nil)
    #expect(try DocumentValue(encoding: [String: Int]()) == [:])
  }

  @Test func `values that do not fit a type are errors`() throws {
    #expect(throws: DocumentError.self) { try DocumentValue(["country": 1]).decode(Address.self) }
    #expect(throws: DocumentError.self) { try DocumentValue(["city": "x"]).decode(Address.self) }
    #expect(throws: DocumentError.self) { try DocumentValue(300).decode(UInt8.self) }
    #expect(throws: DocumentError.self) { try DocumentValue(1.5).decode(Int.self) }
    #expect(throws: DocumentError.self) { try DocumentValue([1]).decode([String].self) }
    #expect(throws: DocumentError.self) { try DocumentValue("x").decode(Mood.self) }
    #expect(throws: DocumentError.self) { try DocumentValue(encoding: UInt64.max) }
    #expect(throws: DocumentError.self) { try DocumentValue(1e300).decode(Float.self) }
    #expect(try DocumentValue(3.0).decode(Int.self) == 3)
  }

  struct Endless: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(Endless())
    }
  }

  @Test func `endless values are refused`() {
    let error = #expect(throws: DocumentError.self) { try DocumentValue(encoding: Endless()) }
    #expect(error?.code == .tooDeep)
  }

  class Animal: Codable {
    var name = "?"
  }

  final class Dog: Animal {
    var breed = "?"
    private enum Keys: String, CodingKey { case breed, list, nested }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      breed = try container.decode(String.self, forKey: .breed)
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decodeNil())
      let inner = try list.nestedContainer(keyedBy: Keys.self)
      #expect(try inner.decode(Bool.self, forKey: .breed))
      #expect(list.isAtEnd)
      #expect(throws: DecodingError.self) { try list.decode(Int.self) }
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(breed, forKey: .breed)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: Keys.self)
      try inner.encode(true, forKey: .breed)
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func `superclasses and nested containers are coded`() throws {
    let dog = Dog()
    (dog.name, dog.breed) = ("Rex", "Collie")
    let value = try DocumentValue(encoding: dog)
    #expect(value == ["breed": "Collie", "list": [1, nil, ["breed": true]], "super": ["name": "Rex"]])
    let copy = try value.decode(Dog.self)
    #expect(copy.name == "Rex")
    #expect(copy.breed == "Collie")
  }

  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 300))
  func `other coders restore values`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<50 {
      let value = random.value()
      let json = try JSONEncoder().encode([value])
      let copy = try JSONDecoder().decode([DocumentValue].self, from: json)
      // Foundation's keys are Swift's, of which those with equal characters are one.
      if try !value.json().unicodeScalars.contains("\u{301}") { #expect(copy == [value]) }
      #expect(try isIdentical(DocumentValue(encoding: value), value))
    }
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func `property lists are written and read`(format: PropertyListSerialization.PropertyListFormat) throws {
    let value: DocumentValue = [
      "a": true, "b": 1, "c": 1.5, "d": "text", "e": .init(Date(timeIntervalSinceReferenceDate: 5)),
      "f": .init(Data([1])), "g": [1, false, ["h": "i"]], "max": .init(Int64.max),
    ]
    let copy = try DocumentValue(propertyList: value.propertyList(format))
    #expect(try isIdentical(copy, value))
    #expect(throws: DocumentError.self) { try DocumentValue(["a": nil]).propertyList(format) }
    #expect(throws: DocumentError.self) { try DocumentValue(1).propertyList(format) }
    #expect(throws: DocumentError.self) { try DocumentValue(propertyList: Data([1, 2, 3])) }
  }
}
