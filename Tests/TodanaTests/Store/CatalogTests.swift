import TestSupport
import Testing
import Todana

private class Person: StoredObject {
  var name = ""
  override class var storedName: String { "Human" }
  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
}

private class Employee: Person {}

private final class Manager: Employee {}

/// A class whose stored name the test sets.
private final class Named: StoredObject {
  nonisolated(unsafe) static var name = ""
  override class var storedName: String { unsafe name }
}

@Suite(.serialized, .plainAndEncrypted) struct CatalogTests {
  let backend = FaultyBackend()

  @Test func `the order of registration does not matter`() throws {
    let first = try Store(backend: backend, classes: [Song.self, Playlist.self])
    let songID = try first.insert(Song("a"))
    try first.insert(Playlist())
    try first.saveChanges()
    let second = try Store(backend: backend, classes: [Playlist.self, Node.self, Song.self])
    #expect(try second.fetch(songID)?.title == "a")
    #expect(try second.count(Playlist.self) == 1)
  }

  @Test func `a subclass is stored under its own name, and each fetch gives exactly its class`() throws {
    let store = try Store(backend: backend, classes: [Person.self, Employee.self, Manager.self])
    #expect(try store.catalog.map(\.name) == ["Human", "Employee", "Manager"])
    for (index, type) in [Person.self, Employee.self, Manager.self].enumerated() {
      let person = type.init()
      person.name = "\(index)"
      try store.insert(person)
    }
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Manager.self, Person.self, Employee.self])
    #expect(try other.fetch(Person.self).map(\.name) == ["0"])
    #expect(try other.fetch(Employee.self).map(\.name) == ["1"])
    #expect(try other.fetch(Person.self, includingSubclasses: true).map(\.name).sorted() == ["0", "1", "2"])
    #expect(try other.fetch(Employee.self, includingSubclasses: true).map(\.name).sorted() == ["1", "2"])
    #expect(try other.count(Person.self, includingSubclasses: true) == 3)
    var visited: [String] = []
    try other.forEach(Person.self, includingSubclasses: true) { person, _ in
      visited.append("\(type(of: person)) \(person.name)")
    }
    #expect(visited.sorted() == ["Employee 1", "Manager 2", "Person 0"])
  }

  @Test func `the catalog has the versions and next row ids of classes`() throws {
    let kyoto = try KyotoBackend(.inMemory)
    let store = try Store(backend: kyoto, classes: [Song.self, Node.self])
    #expect(try store.catalog[Song.self]?.version == 2)
    #expect(try store.catalog[Node.self]?.version == 1)
    #expect(try store.catalog[Node.self]?.nextRowID == nil)
    let songs = try (0..<3).map { try store.insert(Song("\($0)")) }
    try store.saveChanges()
    let last = try #require(songs.last)
    try store.delete(try #require(try store.fetch(last)))
    try store.saveChanges()
    let other = try Store(backend: kyoto, classes: [Node.self])
    let entry = try #require(try other.catalog[named: "Song"])
    #expect(entry.version == nil)
    // The ids of deleted rows are never used again.
    let next = try #require(entry.nextRowID)
    #expect(next > last.rowID)
    #expect(try store.insert(Song("new")).rowID > last.rowID)
    try kyoto.close()
  }

  @Test func `an id typed as the superclass fetches an object of the subclass`() throws {
    let store = try Store(backend: backend, classes: [Person.self, Employee.self])
    let employee = Employee()
    let id = try store.insert(employee as Person)
    #expect(try store.fetch(id) === employee)
    #expect(try store.fetch([id]).first ?? nil === employee)
  }

  @Test(arguments: [
    ("", StoreError.Code.invalidClassName), ("a\0b", .invalidClassName),
    (String(repeating: "é", count: 128), .invalidClassName), ("Song", .duplicateClassName),
  ])
  func `invalid names are refused`(name: String, code: StoreError.Code) {
    unsafe Named.name = name
    let error = #expect(throws: StoreError.self) { try Store(backend: backend, classes: [Song.self, Named.self]) }
    #expect(error?.code == code)
  }

  @Test(arguments: ["a/b", "../x", "Ελληνικά 🎺", " ", String(repeating: "x", count: 255)])
  func `valid names of up to 255 bytes are accepted`(name: String) throws {
    unsafe Named.name = name
    let store = try Store(backend: backend, classes: [Named.self])
    try store.insert(Named())
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Named.self]).count(Named.self) == 1)
  }

  @Test func `a class listed twice, and the base class, are refused`() {
    let twice = #expect(throws: StoreError.self) { try Store(backend: backend, classes: [Song.self, Song.self]) }
    #expect(twice?.code == .duplicateClassName)
    let base = #expect(throws: StoreError.self) { try Store(backend: backend, classes: [StoredObject.self]) }
    #expect(base?.code == .invalidClassName)
  }

  @Test func `a class that is not registered is an error that says what to do`() throws {
    let store = try Store(backend: backend, classes: [Song.self])
    #expect(#expect(throws: StoreError.self) { try store.fetch(Node.self) }?.code == .unknownClass)
    #expect(#expect(throws: StoreError.self) { try store.insert(Node()) }?.code == .unknownClass)
  }

  @Test func `records of a class that a program does not know are kept, and can be read raw`() throws {
    let writer = try Store(backend: backend, classes: [Song.self, Playlist.self])
    let id = try writer.insert(Song("a", seconds: 7))
    try writer.saveChanges()
    let stranger = try Store(backend: backend, classes: [Playlist.self])
    try stranger.insert(Playlist())
    try stranger.saveChanges()
    let entry = try #require(try stranger.catalog[named: "Song"])
    #expect(entry.type == nil && entry.recordCount == 1)
    var records: [RawRecord] = []
    try stranger.rawRecords(ofClassNamed: "Song") { record, _ in records.append(record) }
    #expect(records.map(\.rowID) == [id.rowID])
    #expect(records.map(\.version) == [2])
    var buffer = DataBuffer(reading: records[0].content)
    #expect(try buffer.readString() == "a")
    #expect(throws: StoreError.self) { try stranger.rawRecords(ofClassNamed: "None") { _, _ in } }
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(id)?.title == "a")
  }

  @Test func `ten thousand classes open without requests to the backend for unused ones`() throws {
    let classes = ManyClasses.list(10_000)
    #expect(classes.count == 10_000)
    for type in [classes[0], classes[5000], classes[9999]] {
      let store = try Store(backend: backend, classes: [type])
      _ = try store.insert(type.init())
      try store.saveChanges()
    }
    let clock = ContinuousClock()
    var store: Store?
    let duration = try clock.measure { store = try Store(backend: backend, classes: classes) }
    print("10,000 classes open in \(duration)")
    #expect(try store?.count(classes[5000]) == 1)
    // The backend got no requests for unused classes.
    #expect(try RecordSealing(backend).keyspaces().count == 3)
  }

  @Test func `a class that another store used first is found`() throws {
    let first = try Store(backend: backend, classes: [Song.self])
    let second = try Store(backend: backend, classes: [Song.self])
    #expect(try second.fetch(Song.self).isEmpty)
    let id = try first.insert(Song("a"))
    try first.saveChanges()
    #expect(try second.fetch(id)?.title == "a")
    let third = try Store(backend: backend, classes: [Song.self])
    #expect(try third.count(Song.self) == 1)
    #expect(try third.catalog[Song.self]?.id == id.classID)
  }
}
