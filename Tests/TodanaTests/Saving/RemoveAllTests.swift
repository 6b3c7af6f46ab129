import TestSupport
import Testing
import Todana

private class Person: StoredObject {
  var name = ""
  override func readContent(from buffer: inout DataBuffer) throws { name = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(name) }
  override func prepareForDelete(in store: Store) throws { Issue.record("prepareForDelete was called") }
}

private final class Employee: Person {}

@Suite(.plainAndEncrypted) struct RemoveAllTests {
  let store: Store

  init() throws {
    store = try Store(backend: FaultyBackend(), classes: [Person.self, Employee.self, IndexedSong.self, Song.self])
    for number in 0..<50 {
      try store.insert(number.isMultiple(of: 2) ? Person() : Employee())
      let song = IndexedSong()
      song.title = "\(number)"
      try store.insert(song)
      try store.insert(Song("\(number)"))
    }
    try store.saveChanges()
  }

  @Test func `all objects of exactly the class are deleted with the next save`() throws {
    #expect(try store.removeAll(Person.self) == 25)
    #expect(try store.count(Person.self) == 0)
    #expect(try store.count(Person.self, includingPending: false) == 25)
    try store.saveChanges()
    #expect(try store.count(Person.self, includingPending: false) == 0)
    #expect(try store.count(Employee.self) == 25)
    #expect(try store.count(Song.self) == 50)
  }

  @Test func `subclasses are included on request`() throws {
    #expect(try store.removeAll(Person.self, includingSubclasses: true) == 50)
    try store.saveChanges()
    #expect(try store.count(Employee.self) == 0)
  }

  @Test func `pending inserts and changes go, and a discarded delete returns`() throws {
    let songs = try store.fetch(Song.self)
    try store.update(songs[3]) { $0.title = "changed" }
    try store.insert(Song("new"))
    try store.delete(songs[4])
    #expect(try store.removeAll(Song.self) == 50)
    #expect(try store.count(Song.self) == 0)
    store.discardChanges()
    #expect(try store.count(Song.self) == 50)
    #expect(songs[3].title == "3")
  }

  @Test func `index entries go with their objects`() throws {
    #expect(try store.removeAll(IndexedSong.self) == 50)
    try store.saveChanges()
    #expect(try store.verify().problems.isEmpty)
    let song = IndexedSong()
    song.title = "7"
    try store.insert(song)
    try store.saveChanges()
    #expect(try store.ids(IndexedSong.where { $0.title == "7" }) == [song.id])
  }

  @Test func `records that cannot be read are deleted, too`() throws {
    let backend = store.backend
    try store.saveChanges()
    let newer = try Store(backend: backend, classes: [NewerSong.self])
    try newer.insert(NewerSong())
    try newer.saveChanges()
    #expect(throws: StoreError.self) { try store.fetch(Song.self) }
    #expect(try store.removeAll(Song.self) == 51)
    try store.saveChanges()
    #expect(try store.fetch(Song.self).isEmpty)
  }
}

/// A song of a version that the other class does not know.
private final class NewerSong: StoredObject {
  override class var storedName: String { "Song" }
  override class var version: UInt8 { 9 }
}
