// A new unique index that saved objects violate leaves all other indexes in use.
import TestSupport
import Testing
import Todana

private class AnyMember: StoredObject {
  final var serial = 0
  final var email = ""
  final var name = ""

  override func readContent(from buffer: inout DataBuffer) throws {
    serial = try buffer.readInt()
    email = try buffer.readString()
    name = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(serial)
    buffer.writeString(email)
    buffer.writeString(name)
  }
}

private final class FirstMember: AnyMember {
  override class var storedName: String { "Member" }
}

private final class SecondMember: AnyMember {
  override class var storedName: String { "Member" }
  override class var indexes: [Index] {
    [
      Index(\SecondMember.email, unique: true, name: "email"),
      Index(\SecondMember.serial, unique: true, name: "serial"),
      Index(\SecondMember.name, name: "name"),
    ]
  }
}

/// A class that is built after the other one.
private class AnyBadge: StoredObject {
  final var number = 0

  override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readInt() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(number) }
}

private final class FirstBadge: AnyBadge {
  override class var storedName: String { "Badge" }
}

private final class SecondBadge: AnyBadge {
  override class var storedName: String { "Badge" }
  override class var indexes: [Index] { [Index(\SecondBadge.number, unique: true, name: "number")] }
}

struct ViolatedIndexTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private var path: String { directory.path("store") }

  /// Saves members of which the second and the last have the same email.
  private func fill(_ count: Int) throws {
    let store = try Store(.directory(path), classes: [FirstMember.self, FirstBadge.self])
    for number in 0..<count {
      let member = FirstMember()
      (member.serial, member.name, member.email) = (number, "name", "\(number == count - 1 ? 1 : number)@example.com")
      try store.insert(member)
    }
    try store.insert(FirstBadge())
    try store.saveChanges()
    try store.close()
  }

  private func open(_ time: IndexBuildingTime) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = time
    return try Store(.directory(path), classes: [SecondMember.self, SecondBadge.self], configuration: configuration)
  }

  private func check(_ store: Store, count: Int) throws {
    let indexes = try store.indexes
    #expect(indexes.filter { !$0.isComplete }.map(\.name) == ["email"])
    #expect(indexes.filter { $0.failure is UniqueViolation }.map(\.name) == ["email"])
    // The other unique indexes are in force.
    let member = SecondMember()
    member.serial = 1
    try store.insert(member)
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    store.discardChanges()
    // The remedy completes the index.
    let last = try #require(try store.first(SecondMember.where { $0.serial == count - 1 }))
    try store.update(last) { $0.email = "other@example.com" }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try store.indexes.allSatisfy(\.isComplete))
    #expect(try store.count(SecondMember.where { $0.email == "other@example.com" }) == 1)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test(arguments: [IndexBuildingTime.onOpening, .background])
  func `opening builds all other indexes`(time: IndexBuildingTime) throws {
    try fill(50)
    try check(try open(time), count: 50)
  }

  @Test func `a build that was asked for throws after it built all other indexes`() throws {
    try fill(50)
    let store = try open(.manual)
    let violation = #expect(throws: UniqueViolation.self) { try store.buildIndexes() }
    #expect(violation?.indexName == "email" && violation?.values == ["\"1@example.com\""])
    try check(store, count: 50)
  }

  @Test func `a background build builds all other indexes`() async throws {
    try fill(10_001)
    let store = try open(.background)
    while try store.indexes.contains(where: { !$0.isComplete && $0.failure == nil }) {
      try await Task.sleep(for: .milliseconds(5))
    }
    try check(store, count: 10_001)
  }
}
