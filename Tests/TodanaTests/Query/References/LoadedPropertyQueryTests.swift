// Queries over `@Loaded` properties: every key path is followed as one over plain properties is.
import Foundation
import TestSupport
import Testing
import Todana

private struct Room: Codable, Equatable {
  var floor = 0
  var name = ""
}

private final class House: StoredObject {
  @Loaded var name = ""
  @Loaded var owner: Owner?
  @Loaded var rooms: [String] = []
  @Loaded var hall = Room()
  var plainOwner: Owner?
  /// A computed property, which may read anything.
  var ownerName: String? { owner?.name }

  override class var fields: [Field] { [Field("owner.town.name", \House.owner?.town?.name)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    owner = try buffer.readReference()
    rooms = try buffer.readCodable()
    hall = try buffer.readCodable()
    plainOwner = owner
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeReference(owner)
    buffer.writeCodable(rooms)
    buffer.writeCodable(hall)
  }
}

private final class Owner: StoredObject {
  @Loaded var name = ""
  @Loaded var town: Town?
  @Loaded var houses: [House] = []

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    town = try buffer.readReference()
    houses = try buffer.readReferences(House.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeReference(town)
    buffer.writeReferences(houses)
  }
}

private final class Town: StoredObject {
  @Loaded var name = ""
  var population = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try buffer.readString()
    population = try buffer.readInt()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(name)
    buffer.writeInt(population)
  }
}

struct LoadedPropertyQueryTests {
  private let store: Store

  /// Three houses whose order by their own name, their owner's and their town's differs.
  init() throws {
    let classes: [StoredObject.Type] = [House.self, Owner.self, Town.self]
    let first = try Store(.inMemory, classes: classes)
    for (number, (house, owner, town)) in [("a", "z", "m"), ("b", "x", "o"), ("c", "y", "n")].enumerated() {
      let (house, owner, town) = (House().named(house), Owner().named(owner), Town().named(town))
      (house.owner, owner.town, owner.houses, town.population) = (owner, town, [house], number)
      house.rooms = Array(repeating: "room", count: number)
      house.hall = Room(floor: 2 - number, name: "hall")
      try first.insert(contentsOf: [house, owner, town] as [StoredObject])
    }
    try first.saveChanges()
    store = try Store(backend: first.backend, classes: classes)
    try first.close()
  }

  @Test func `sorts, values and groups follow references through the properties`() throws {
    #expect(try store.fetch(House.all.sorted(by: \.owner?.name)).map(\.name) == ["b", "c", "a"])
    #expect(try store.fetch(House.all.sorted(by: \.owner?.town?.name)).map(\.name) == ["a", "c", "b"])
    #expect(try store.fetch(House.all.sorted(by: \.plainOwner?.town?.name)).map(\.name) == ["a", "c", "b"])
    #expect(try store.values(House.all, of: \.owner?.town?.population) == [0, 1, 2])
    #expect(try store.groups(House.all, by: \.owner?.town?.name).map(\.key) == ["m", "n", "o"])
    #expect(try store.sum(House.all, of: \.owner?.town?.population) == 3)
    #expect(try store.fetch(House.where("owner.town.name = ?", "n")).map(\.name) == ["c"])
  }

  @Test func `conditions and sorts read parts of the properties' values`() throws {
    #expect(try store.fetch(House.where { $0.rooms.count > 1 }).map(\.name) == ["c"])
    #expect(try store.fetch(House.where { $0.name.isEmpty }) == [])
    #expect(try store.fetch(House.where { $0.hall.floor == 1 }).map(\.name) == ["b"])
    #expect(try store.fetch(House.all.sorted(by: \.hall.floor)).map(\.name) == ["c", "b", "a"])
    #expect(try store.fetch(House.all.sorted(by: \.rooms.count, .descending)).map(\.name) == ["c", "b", "a"])
    #expect(try store.fetch(House.where { $0.owner.town.name == "o" }).map(\.name) == ["b"])
    #expect(try store.fetch(Owner.where { $0.houses.contains { $0.rooms.count == 1 } }).map(\.name) == ["x"])
  }

  @Test func `a predicate reads parts of the properties' values`() throws {
    #expect(try store.fetch(House.where(#Predicate { $0.rooms.count * 2 == 4 })).map(\.name) == ["c"])
    #expect(try store.fetch(House.where(#Predicate { $0.rooms.isEmpty })).map(\.name) == ["a"])
    #expect(try store.fetch(House.where(#Predicate { $0.hall.floor == 0 })).map(\.name) == ["c"])
    #expect(try store.fetch(House.where(#Predicate { $0.owner?.town?.name == "o" })).map(\.name) == ["b"])
  }

  @Test func `objects are loaded along several references`() throws {
    let houses = try store.fetch(House.all.sorted(by: \.ownerName, loading: \.owner))
    #expect(houses.map(\.name) == ["b", "c", "a"])
    let rows = try store.values(House.all, loading: \.owner?.town) { "\($0.name)\($0.owner?.town?.name ?? "")" }
    #expect(rows == ["am", "bo", "cn"])
    #expect(try store.explain(House.all.sorted(by: \.owner?.town?.name)).description.contains("owner.town.name"))
  }

  @Test func `a computed property is refused`() {
    #expect { try store.fetch(House.all.sorted(by: \.ownerName)) } throws: { error in
      (error as? StoreError)?.code == .invalidQuery && "\(error)".contains("is computed")
    }
    #expect { try store.fetch(House.all.sorted(by: \.ownerName?.count)) } throws: { error in
      (error as? StoreError)?.code == .invalidQuery && "\(error)".contains("`loading:")
    }
  }
}

private protocol Named: AnyObject { var name: String { get set } }

extension Named {
  fileprivate func named(_ name: String) -> Self {
    self.name = name
    return self
  }
}

extension House: Named {}
extension Owner: Named {}
extension Town: Named {}
