import TestSupport
import Testing

@testable import Todana

/// Collections: tables of one class with names of their own, made and described at run time.
@Suite struct CollectionTests {
  /// A record whose collection's description is the names of its indexed keys, a "!" after a unique one.
  final class Record: StoredObject {
    var values: [String: Int] = [:]

    init(_ values: [String: Int]) {
      self.values = values
      super.init()
    }

    required init() {}

    override func writeContent(to buffer: inout DataBuffer) { buffer.writeDictionary(values) }
    override func readContent(from buffer: inout DataBuffer) throws { values = try buffer.readDictionary() }
    override class var isInCollections: Bool { true }

    struct Invalid: Error {}

    override class func collectionIndexes(ofCollection name: String, description: [UInt8]) throws -> CollectionIndexes {
      let text = String(decoding: description, as: UTF8.self)
      if text == "?" { throw Invalid() }
      return CollectionIndexes(
        indexes: text.split(separator: ",").map { part in
          Index(
            parts: [.ascending(value(String(part.prefix { $0 != "!" })))], unique: part.hasSuffix("!"),
            name: String(part))
        })
    }

    static func value(_ key: String) -> DerivedProperty<Record, Int?> { DerivedProperty(key) { $0.values[key] } }
    static var all: Query<Record> { Query(where: .always) }
  }

  final class Owner: StoredObject {
    var record: Record?
    var records: [Record] = []
    var lazyRecords = LazyReferences<Record>()

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeReference(record)
      buffer.writeReferences(records)
      buffer.writeReferences(lazyRecords)
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      record = try buffer.readReference()
      records = try buffer.readReferences()
      lazyRecords = try buffer.readLazyReferences()
    }
  }

  private struct Stores {
    let directory: TemporaryDirectory
    let backend: any StoreBackend

    init(_ kind: EveryBackend) throws {
      directory = try TemporaryDirectory()
      backend = try kind.open(in: directory)
    }

    func open(_ configuration: StoreConfiguration = StoreConfiguration()) throws -> Store {
      try Store(backend: backend, classes: [Owner.self], configuration: configuration)
    }
  }

  private func describe(_ store: Store, _ name: String, _ text: String = "") throws {
    try store.describeCollection(named: name, of: Record.self, Array(text.utf8))
  }

  private func usesIndex(_ store: Store, _ query: Query<Record>) throws -> Bool {
    try store.explain(query).description.contains("index")
  }

  @Test(arguments: EveryBackend.allCases) func `collections of one class are tables of their own`(
    kind: EveryBackend
  ) throws {
    let stores = try Stores(kind)
    let store = try stores.open()
    #expect(try store.collectionNames(of: Record.self) == [])
    try describe(store, "users", "age")
    try describe(store, "日本", "age,size")
    let first = Record(["age": 1])
    let id = try store.insert(first, into: "users")
    for age in 0..<50 { try store.insert(Record(["age": age, "size": -age]), into: "日本") }
    try store.saveChanges()
    #expect(try store.collectionNames(of: Record.self) == ["users", "日本"])
    #expect(try store.fetch(Record.all.in(collection: "users")) == [first])
    #expect(try store.count(Record.all.in(collection: "日本")) == 50)
    let query = Query(where: Record.value("age").property == 1)
    #expect(try store.fetch(query.in(collection: "users")) == [first])
    #expect(try store.fetch(query.in(collection: "日本")).map(\.values) == [["age": 1, "size": -1]])
    #expect(try usesIndex(store, query.in(collection: "日本")))
    #expect(try store.fetch(id) === first)
    // Another store finds everything.
    let other = try stores.open()
    #expect(try other.fetch(id)?.values == ["age": 1])
    #expect(try other.collectionNames(of: Record.self) == ["users", "日本"])
    #expect(try other.fetch(query.in(collection: "users")).first?.id == id)
    #expect(try usesIndex(other, query.in(collection: "日本")))
  }

  @Test(arguments: EveryBackend.allCases) func `references to objects in collections carry their table`(
    kind: EveryBackend
  ) throws {
    let stores = try Stores(kind)
    do {
      let store = try stores.open()
      try describe(store, "a")
      try describe(store, "b")
      let (first, second) = (Record(["n": 1]), Record(["n": 2]))
      try store.insert(first, into: "a")
      try store.insert(second, into: "b")
      let owner = Owner()
      owner.record = second
      owner.records = [first, second]
      owner.lazyRecords = [second, first]
      try store.insert(owner)
      try store.insert(Owner())
      try store.saveChanges()
      try store.close()
    }
    // The collections are found when the first reference is read.
    let store = try stores.open()
    let owners = try store.fetch(Owner.self)
    try #require(owners.count == 2)
    let owner = owners[0]
    for record in owner.records { try record.loadContent() }
    #expect(owner.record === owner.records.last)
    #expect(owner.records.map(\.values) == [["n": 1], ["n": 2]])
    #expect(owner.lazyRecords.map(\.values) == [["n": 2], ["n": 1]])
    #expect(owners[1].record == nil)
    let target = try #require(owner.record)
    #expect(try store.fetch(Owner.where { $0.record == target }) == [owner])
  }

  @Test(arguments: EveryBackend.allCases) func `every store uses a new description before it saves`(
    kind: EveryBackend
  ) throws {
    let stores = try Stores(kind)
    let (mine, other) = (try stores.open(), try stores.open())
    try describe(mine, "users")
    for age in 0..<20 { try mine.insert(Record(["age": age]), into: "users") }
    try mine.saveChanges()
    let waiting = Record(["age": 100])
    try other.insert(waiting, into: "users")
    try describe(mine, "users", "age")
    try other.saveChanges()
    let query = Query(where: Record.value("age").property == 100).in(collection: "users")
    #expect(try usesIndex(mine, query))
    #expect(try mine.ids(query) == [waiting.id].compactMap { $0 })
    #expect(try other.fetch(query) == [waiting])
    // A unique index refuses what the other store does not know yet.
    try other.insert(Record(["age": 5]), into: "users")
    try describe(mine, "users", "age!")
    #expect(throws: UniqueViolation.self) { try other.saveChanges() }
    other.discardChanges()
    #expect(try mine.count(Record.all.in(collection: "users")) == 21)
    // An index that is no longer described is dropped.
    try describe(other, "users")
    #expect(try !usesIndex(mine, query))
    #expect(try mine.verify().isSound)
  }

  @Test func `the worked example of the format's document is right`() throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    try describe(store, "users", "age")
    let bytes = try store.readNamedBuffer("todana.collections") { buffer in
      let list = try buffer.readRawBytes(count: 24)
      let revision = try buffer.readUInt64()
      #expect(revision != 0)
      return list
    }
    #expect(
      bytes == [1] + [6] + Array("Record".utf8) + [5] + Array("users".utf8) + [5] + Array("users".utf8) + [3]
        + Array("age".utf8))
  }

  @Test func `a description is refused while the collection has pending changes`() throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    try describe(store, "users")
    try describe(store, "others")
    try store.insert(Record([:]), into: "users")
    let error = #expect(throws: StoreError.self) { try describe(store, "users", "age") }
    #expect(error?.code == .unsavedChanges)
    try describe(store, "others", "age")
    #expect(throws: StoreError.self) { try store.dropCollection(named: "users", of: Record.self) }
    #expect(throws: StoreError.self) { try store.renameCollection(named: "users", of: Record.self, to: "x") }
    try store.savepoint {
      #expect(throws: StoreError.self) { try describe(store, "third") }
    }
    try store.saveChanges()
    try describe(store, "users", "age")
    #expect(throws: SaveConflict.self) {
      try store.describeCollection(named: "users", of: Record.self, [], replacing: Array("size".utf8))
    }
    try store.describeCollection(named: "users", of: Record.self, [], replacing: Array("age".utf8))
  }

  @Test(arguments: EveryBackend.allCases) func `collections are renamed and dropped`(kind: EveryBackend) throws {
    let stores = try Stores(kind)
    let (store, other) = (try stores.open(), try stores.open())
    try describe(store, "users", "age")
    let record = Record(["age": 3])
    let id = try store.insert(record, into: "users")
    try store.saveChanges()
    let copy = try #require(try other.fetch(id))
    try store.renameCollection(named: "users", of: Record.self, to: "people")
    #expect(try other.collectionNames(of: Record.self) == ["people"])
    #expect(try other.fetch(Record.all.in(collection: "people")) == [copy])
    #expect(throws: StoreError.self) { try other.fetch(Record.all.in(collection: "users")) }
    // The old name is free for another collection.
    try describe(other, "users", "age")
    try other.insert(Record(["age": 4]), into: "users")
    try other.saveChanges()
    #expect(try store.fetch(Record.all.in(collection: "users")).map(\.values) == [["age": 4]])
    #expect(try store.fetch(Record.all.in(collection: "people")) == [record])
    try other.update(copy) { $0.values = [:] }
    try store.dropCollection(named: "people", of: Record.self)
    let error = #expect(throws: StoreError.self) { try other.saveChanges() }
    #expect(error?.code == .unknownCollection)
    other.discardChanges()
    #expect(try other.collectionNames(of: Record.self) == ["users"])
    #expect(throws: StoreError.self) { try other.fetch(id) }
    let fault = #expect(throws: StoreError.self) { try copy.loadContent() }
    #expect(fault?.code == .rowNotFound)
    #expect(try store.verify().isSound)
    #expect(throws: StoreError.self) { try store.dropCollection(named: "people", of: Record.self) }
  }

  @Test(arguments: EveryBackend.allCases) func `a collection that was dropped is made again, empty`(
    kind: EveryBackend
  ) throws {
    let stores = try Stores(kind)
    let (store, other) = (try stores.open(), try stores.open())
    try describe(store, "users", "age")
    let record = Record(["age": 3])
    try store.insert(record, into: "users")
    try store.saveChanges()
    #expect(try other.count(Record.all.in(collection: "users")) == 1)
    for round in 0..<3 {
      try store.dropCollection(named: "users", of: Record.self)
      try describe(store, "users", "age!")
      try other.insert(Record(["age": round]), into: "users")
      try other.saveChanges()
      #expect(try store.fetch(Record.all.in(collection: "users")).map(\.values) == [["age": round]])
      #expect(try store.count(Query(where: Record.value("age").property == round).in(collection: "users")) == 1)
    }
    #expect(try other.verify().isSound)
  }

  @Test func `names and classes that cannot be used are refused`() throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    for name in ["", "a\0b", String(repeating: "x", count: 256)] {
      let error = #expect(throws: StoreError.self) { try describe(store, name) }
      #expect(error?.code == .invalidCollection)
    }
    try describe(store, String(repeating: "x", count: 255))
    try describe(store, "Owner")
    try describe(store, "e\u{301}")
    try describe(store, "é")
    #expect(try store.collectionNames(of: Record.self).count == 4)
    #expect(throws: StoreError.self) { try store.describeCollection(named: "a", of: Owner.self, []) }
    #expect(throws: StoreError.self) { try store.insert(Record([:])) }
    #expect(throws: StoreError.self) { try store.insert(Record([:]), into: "missing") }
    #expect(throws: StoreError.self) { try store.fetch(Record.all) }
    #expect(throws: StoreError.self) { try store.count(Record.self) }
    #expect(throws: StoreError.self) { try Store(.inMemory, classes: [Record.self]) }
    try store.insert(Owner())
    try store.insert(Record(["n": 1]), into: "Owner")
    try store.saveChanges()
    #expect(try store.count(Owner.self) == 1)
    #expect(try store.count(Record.all.in(collection: "Owner")) == 1)
    #expect(throws: StoreError.self) { try store.writeNamedBuffer("todana.collections") { $0.writeString("x") } }
    #expect(throws: StoreError.self) { try store.removeNamedBuffer("todana.collections") }
    #expect(try store.namedBufferNames() == [])
  }

  @Test func `a class cannot take the table of a collection`() throws {
    let backend = try EveryBackend.inMemory.open(in: TemporaryDirectory())
    let store = try Store(backend: backend, classes: [])
    try describe(store, "Owner", "age")
    try store.insert(Record(["age": 1]), into: "Owner")
    try store.saveChanges()
    let error = #expect(throws: StoreError.self) { try Store(backend: backend, classes: [Owner.self]) }
    #expect(error?.code == .duplicateClassName)
    #expect(try store.count(Query(where: Record.value("age").property == 1).in(collection: "Owner")) == 1)
    try store.dropCollection(named: "Owner", of: Record.self)
    #expect(try Store(backend: backend, classes: [Owner.self]).count(Owner.self) == 0)
  }

  @Test func `a description that cannot be read hides no other collection`() throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    try describe(store, "good", "age")
    #expect(throws: StoreError.self) { try describe(store, "bad", "?") }
    #expect(throws: StoreError.self) { try describe(store, "good", "age,age") }
    #expect(try store.collectionNames(of: Record.self) == ["good"])
  }

  @Test func `named buffers are saved together with objects in collections`() throws {
    for name in ["a", "z"] {
      let stores = try Stores(.directory)
      let store = try stores.open()
      try describe(store, "users")
      try store.insert(Record(["n": 1]), into: "users")
      try store.writeNamedBuffer(name) { $0.writeString("content") }
      try store.saveChanges()
      let other = try stores.open()
      _ = try other.readNamedBuffer(name) { try $0.readString() }
      try store.writeNamedBuffer(name) { $0.writeString("new") }
      try store.insert(Record(["n": 2]), into: "users")
      try store.saveChanges()
      try other.insert(Record(["n": 3]), into: "users")
      try other.writeNamedBuffer(name) { $0.writeString("conflict") }
      let conflict = #expect(throws: SaveConflict.self) { try other.saveChanges() }
      #expect(conflict?.bufferNames == [name])
      #expect(try store.count(Record.all.in(collection: "users")) == 2)
    }
  }

  @Test func `large collections get their indexes in the background`() throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    try describe(store, "users")
    for number in 0..<12_000 { try store.insert(Record(["n": number % 3000]), into: "users") }
    try store.saveChanges()
    try describe(store, "users", "n")
    try store.insert(Record(["n": 7]), into: "users")
    try store.saveChanges()
    try store.buildIndexes()
    let query = Query(where: Record.value("n").property == 7).in(collection: "users")
    #expect(try usesIndex(store, query))
    #expect(try store.count(query) == 5)
  }

  @Test func `queries over many objects and asynchronous ones read collections`() async throws {
    let stores = try Stores(.inMemory)
    let store = try stores.open()
    try describe(store, "users")
    for number in 0..<20_000 { try store.insert(Record(["n": number]), into: "users") }
    try store.saveChanges()
    try store.insert(Record(["n": 77]), into: "users")
    let query = Query(where: Record.value("n").property == 77).in(collection: "users")
    #expect(try store.count(query) == 2)
    #expect(try await store.fetchAsync(query).count == 2)
    #expect(try await store.countAsync(Record.all.in(collection: "users")) == 20_001)
    #expect(try await store.fetchAsync(Record.all.in(collection: "users")).count == 20_001)
    #expect(
      try store.fetch(Record.all.in(collection: "users").sorted(by: Record.value("n"), .descending).limit(1)).first?
        .values["n"] == 19_999)
  }

  @Test func `live queries follow a collection`() async throws {
    let stores = try Stores(.inMemory)
    let (store, other) = (try stores.open(), try stores.open())
    try describe(store, "users")
    var changes = store.observe(Query(where: Record.value("n").property == 1).in(collection: "users"))
      .makeAsyncIterator()
    #expect(try await changes.next()?.insertions.count == 0)
    try other.insert(Record(["n": 1]), into: "users")
    try other.insert(Record(["n": 2]), into: "users")
    try other.saveChanges()
    #expect(try await changes.next()?.insertions.count == 1)
  }
}
