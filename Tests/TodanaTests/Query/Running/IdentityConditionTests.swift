import TestSupport
import Testing
import Todana

/// A class with an `id` of its own.
private final class Customer: StoredObject {
  var id = 0
  var name = ""
  override func readContent(from buffer: inout DataBuffer) throws {
    id = try buffer.readInt()
    name = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(id)
    buffer.writeString(name)
  }
}

@Suite(.plainAndEncrypted) struct IdentityConditionTests {
  let store: Store
  let ids: [ObjectID<Song>]

  init() throws {
    store = try Store(backend: FaultyBackend(), classes: [Song.self, Customer.self, IndexedSong.self])
    ids = try store.insert(contentsOf: (0..<100).map { Song("\($0)", seconds: UInt32($0 % 7)) })
    try store.saveChanges()
  }

  @Test func `an identity in a condition reads that object only`() throws {
    let query = Song.where { $0.id == ids[42] }
    #expect(try store.fetch(query).map(\.title) == ["42"])
    let plan = try store.explain(query)
    #expect(plan.access == .identities)
    #expect(plan.expectedCount == 1)
    #expect(plan.description == "Read the object with the given identities.")
    #expect(try store.count(query) == 1)
    #expect(try store.ids(query) == [ids[42]])
    #expect(try store.exists(query))
  }

  @Test func `identities combine with other conditions, orders and limits`() throws {
    let some = [ids[3], ids[10], ids[17], ids[20], ids[99]]
    func titles(_ query: Query<Song>) throws -> [String] { try store.fetch(query).map(\.title) }
    #expect(try titles(Song.where { $0.id.isIn(some) && $0.seconds == 3 }) == ["3", "10", "17"])
    #expect(try titles(Song.where { $0.id.isIn(some) }.sorted(by: \.title)) == ["10", "17", "20", "3", "99"])
    #expect(try titles(Song.where { $0.id.isIn(some) }.offset(1).limit(2)) == ["10", "17"])
    #expect(try titles(Song.where { !$0.id.isIn(some) && $0.seconds == 3 }).count == 11)
    #expect(try titles(Song.where { $0.id == ids[5] || $0.title == "7" }) == ["5", "7"])
    #expect(try titles(Song.where { $0.id != ids[3] && $0.title.hasPrefix("3") }).count == 10)
    #expect(try titles(Song.where { $0.id.isIn(some) && $0.id.isIn([ids[99], ids[4]]) }) == ["99"])
    #expect(try store.values(Song.where { $0.id.isIn(some) }, of: \.seconds) == [3, 3, 3, 6, 1])
    #expect(try store.sum(Song.where { $0.id.isIn(some) }, of: \.seconds) == 16)
  }

  @Test func `missing rows, other classes and nil are not found`() throws {
    let missing = ObjectID<Song>(unchecked: AnyObjectID(classID: ids[0].classID, rowID: 1 << 40))
    let customer = try store.insert(Customer())
    let other = ObjectID<Song>(unchecked: customer.untyped)
    for query in [
      Song.where { $0.id == missing }, Song.where { $0.id == other }, Song.where { $0.id == nil },
      Song.where { $0.id.isIn([]) }, Song.where { $0.id == missing && $0.title == "3" },
    ] {
      #expect(try store.fetch(query).isEmpty)
      #expect(try store.count(query) == 0)
      #expect(try store.ids(query).isEmpty)
    }
    #expect(try store.count(Song.where { $0.id != nil }) == 100)
    #expect(try store.count(Song.where { $0.id != missing }) == 100)
    #expect(try store.count(Song.where { $0.id.isIn([ids[1], missing, other]) }) == 1)
  }

  @Test func `pending objects are found by their identities`() throws {
    let inserted = try store.insert(Song("new", seconds: 9))
    try store.update(try #require(try store.fetch(ids[1]))) { $0.seconds = 9 }
    try store.delete([ids[2]])
    let query = Song.where { $0.id.isIn([inserted, ids[1], ids[2], ids[3]]) && $0.seconds > 2 }
    #expect(try store.fetch(query).map(\.title).sorted() == ["1", "3", "new"])
    #expect(try store.fetch(query, includingPending: false).map(\.title) == ["3"])
  }

  @Test func `a live query follows one object`() async throws {
    let observation = store.observe(Song.where { $0.id == ids[8] })
    var iterator = observation.makeAsyncIterator()
    #expect(try await iterator.next()?.count == 1)
    try store.update(try #require(try store.fetch(ids[9]))) { $0.title = "other" }
    try store.update(try #require(try store.fetch(ids[8]))) { $0.title = "changed" }
    try store.saveChanges()
    let change = try #require(try await iterator.next())
    #expect(change.updates == [0])
    #expect(try change.objects().map(\.title) == ["changed"])
  }

  @Test func `a class's own id is compared like any property`() throws {
    for number in 0..<5 {
      let customer = Customer()
      customer.id = number
      customer.name = "\(number)"
      try store.insert(customer)
    }
    try store.saveChanges()
    #expect(try store.fetch(Customer.where { $0.id == 3 }).map(\.name) == ["3"])
    #expect(try store.fetch(Customer.where { $0.id > 3 || $0.id.isIn([0, 1]) }).map(\.name) == ["0", "1", "4"])
  }

  @Test func `an index cannot depend on identities`() throws {
    final class Refused: StoredObject {
      var title = ""
      override class var indexes: [Index] {
        [
          Index(
            \Refused.title, name: "x",
            where: {
              $0.id == ObjectID<Refused>(unchecked: AnyObjectID(classID: KeyspaceID(rawValue: 1), rowID: 1))
            })
        ]
      }
    }
    let error = #expect(throws: StoreError.self) { try Store(.inMemory, classes: [Refused.self]) }
    #expect(error?.code == .invalidIndex)
  }
}
