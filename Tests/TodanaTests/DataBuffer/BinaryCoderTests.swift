import Foundation
import TestSupport
import Testing
import Todana

@Suite struct BinaryCoderTests {
  struct Address: Codable, Equatable {
    var city: String
    var zip: Int?
  }

  struct Person: Codable, Equatable {
    var id: Int
    var name: String
    var scores: [Double] = []
    var address: Address?
    var tags: [String: Int] = [:]
    var groups: Set<String> = []
    var ranks: [Int16: UInt64] = [:]
    var birthday: Date?
    var key: UUID?
    var photo: Data?
    var money: Decimal?
    var site: URL?
    var ratio: Float?
  }

  static func person(_ random: inout SeededGenerator) -> Person {
    func text() -> String {
      ["", "Ann", "a longer text than fifteen bytes", "ü", "\0", String(repeating: "x", count: 300)]
        .randomElement(using: &random) ?? ""
    }
    var person = Person(
      id: [0, 63, 64, -1, .max, .min, Int.random(in: -1000...1000, using: &random)].randomElement(using: &random) ?? 0,
      name: text())
    person.scores = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      [0, -0.0, .infinity, .leastNonzeroMagnitude, 1e300].randomElement(using: &random) ?? 0
    }
    if Bool.random(using: &random) {
      person.address = Address(city: text(), zip: Bool.random(using: &random) ? 1 : nil)
    }
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      person.tags[text() + "\(Int.random(in: 0...99, using: &random))"] = 5
    }
    for _ in 0..<Int.random(in: 0...5, using: &random) { person.groups.insert(text()) }
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      person.ranks[Int16.random(in: .min ... .max, using: &random)] = UInt64.random(in: 0...UInt64.max, using: &random)
    }
    if Bool.random(using: &random) {
      person.birthday = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &random))
      person.key = UUID()
      person.photo = Data([0, 255])
      person.money = Decimal(string: "-12.50")
      person.site = URL(string: "https://example.org/ä")
      person.ratio = 0.1
    }
    return person
  }

  @Test(arguments: RandomSeeds.seeds([1, 2, 3, 4, 5], new: 3, long: 200))
  func `values come back, and equal values have equal bytes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let person = Self.person(&random)
      let bytes = try BinaryEncoder().encode(person)
      let read = try BinaryDecoder().decode(Person.self, from: bytes)
      #expect(read == person)
      // Its dictionaries and sets have another order, because their storage has another size.
      var other = read
      other.tags.reserveCapacity(500)
      other.groups.reserveCapacity(100)
      other.ranks.reserveCapacity(100)
      #expect(try BinaryEncoder().encode(other) == bytes)
    }
  }

  @Test(arguments: RandomSeeds.seeds([1, 2, 3, 4, 5], new: 3, long: 500))
  func `damaged bytes are refused or read, without a crash`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try BinaryEncoder().encode(Self.person(&random))
    for _ in 0..<200 {
      var damaged = bytes
      switch Int.random(in: 0...2, using: &random) {
      case 0: damaged[Int.random(in: damaged.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      case 1: damaged.removeLast(Int.random(in: 1...damaged.count, using: &random))
      default:
        damaged.insert(UInt8.random(in: 0...255, using: &random), at: Int.random(in: damaged.indices, using: &random))
      }
      do {
        let read = try BinaryDecoder().decode(Person.self, from: damaged)
        // A value that is read can be written again.
        #expect(try BinaryDecoder().decode(Person.self, from: BinaryEncoder().encode(read)).id == read.id)
      } catch is DecodingError {
      }
    }
  }

  // MARK: Containers

  private struct Flexible: Codable, Equatable {
    var a = 1
    var inner = [2, 3]
    var text = "x"

    enum Key: String, CodingKey { case a, inner, text, b }

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      // Two nested containers are used in turns, and a key is encoded twice: the last value counts.
      var numbers = container.nestedUnkeyedContainer(forKey: .inner)
      var nested = container.nestedContainer(keyedBy: Key.self, forKey: .b)
      try container.encode(0, forKey: .a)
      try numbers.encode(inner[0])
      try nested.encode(text, forKey: .text)
      try numbers.encode(inner[1])
      try container.encode(a, forKey: .a)
      try "super".encode(to: container.superEncoder())
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      let nested = try container.nestedContainer(keyedBy: Key.self, forKey: .b)
      text = try nested.decode(String.self, forKey: .text)
      var numbers = try container.nestedUnkeyedContainer(forKey: .inner)
      inner = [try numbers.decode(Int.self), try numbers.decode(Int.self)]
      a = try container.decode(Int.self, forKey: .a)
      #expect(numbers.isAtEnd)
      #expect(try String(from: container.superDecoder()) == "super")
      #expect(container.contains(.text) == false)
      #expect(container.allKeys == [.inner, .b, .a])
    }
  }

  @Test func `containers are used in any order`() throws {
    var value = Flexible()
    value.a = 7
    value.inner = [100, -5]
    value.text = String(repeating: "long", count: 100)
    #expect(try BinaryDecoder().decode(Flexible.self, from: BinaryEncoder().encode(value)) == value)
    #expect(try BinaryDecoder().decode([Flexible].self, from: BinaryEncoder().encode([value, Flexible()])).count == 2)
  }

  private class Animal: Codable {
    var name = "Rex"
  }

  private final class Dog: Animal {
    var age = 4

    private enum Key: CodingKey { case age }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      age = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .age)
      try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(age, forKey: .age)
      try super.encode(to: encoder)
    }
  }

  @Test func `a class and its superclass share a container`() throws {
    let dog = Dog()
    dog.name = "Laika"
    let read = try BinaryDecoder().decode(Dog.self, from: BinaryEncoder().encode(dog))
    #expect(read.name == "Laika")
    #expect(read.age == 4)
  }

  private indirect enum Chain: Codable {
    case end
    case link(Chain)

    static func of(_ count: Int) -> Chain { (0..<count).reduce(.end) { chain, _ in .link(chain) } }
  }

  @Test func `values nested too deep are refused`() throws {
    let bytes = try BinaryEncoder().encode(Chain.of(40))
    _ = try BinaryDecoder().decode(Chain.self, from: bytes)
    #expect(throws: EncodingError.self) { _ = try BinaryEncoder().encode(Chain.of(2000)) }
  }

  private struct TwoKinds: Encodable {
    func encode(to encoder: any Encoder) throws {
      var first = encoder.unkeyedContainer()
      try first.encode(1)
      var second = encoder.singleValueContainer()
      try second.encode(2)
    }
  }

  @Test func `a value in two kinds of containers is refused`() {
    #expect(throws: EncodingError.self) { _ = try BinaryEncoder().encode(TwoKinds()) }
  }

  // MARK: Missing keys

  private struct Old: Codable {
    var id = 1
  }

  private struct New: Codable, Equatable, DefaultValues {
    var id = 0
    var isActive = true
    var nickname: String? = "none"
    var address = Address(city: "Boston")

    static var defaults: New { New() }
  }

  @Test func `missing keys come from the defaults, except optional ones`() throws {
    let read = try BinaryDecoder().decode(New.self, from: BinaryEncoder().encode(Old()))
    #expect(read == New(id: 1, isActive: true, nickname: nil, address: Address(city: "Boston")))
    // Unknown keys are ignored.
    #expect(try BinaryDecoder().decode(Old.self, from: BinaryEncoder().encode(New(id: 5))).id == 5)
    #expect(throws: DecodingError.self) {
      _ = try BinaryDecoder().decode(Address.self, from: BinaryEncoder().encode(Old()))
    }
  }

  @Test func `errors name the place`() throws {
    let bytes = try BinaryEncoder().encode(["people": [["id": "text"]]])
    struct Group: Decodable { var people: [Old] }
    do {
      _ = try BinaryDecoder().decode(Group.self, from: bytes)
      Issue.record("a text was read as an integer")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["people", "0", "id"])
    }
  }

  @Test func `a decoder that is kept reads nothing after the call`() throws {
    struct Kept: Decodable {
      let decoder: any Decoder
      init(from decoder: any Decoder) throws { self.decoder = decoder }
    }
    let kept = try BinaryDecoder().decode(Kept.self, from: BinaryEncoder().encode(Old()))
    #expect(throws: DecodingError.self) { _ = try Old(from: kept.decoder) }
  }

  @Test func `JSON of earlier versions is read`() throws {
    for (json, expected) in [(#"{"id":59}"#, 59), (#"{"id":-1,"name":"{"}"#, -1)] {
      var buffer = DataBuffer()
      buffer.writeBytes(Array(json.utf8))
      #expect(try buffer.readCodable(Old.self).id == expected)
    }
    for number in [0, 7, 59, 63, 123] {
      var buffer = DataBuffer()
      buffer.writeBytes(Array("\(number)".utf8))
      buffer.writeCodable(number)
      #expect(try buffer.readCodable(Int.self) == number)
      #expect(try buffer.readCodable(Int.self) == number)
    }
  }
}
