import FoundationEssentials
import TestSupport
import Testing
import Todana

@Suite struct ObjectIDTests {
  @Test func `an id prints as class and row, and reads back`() throws {
    let id = AnyObjectID(classID: KeyspaceID(rawValue: 3), rowID: 17)
    #expect(id.description == "3-17")
    #expect(AnyObjectID("3-17") == id)
    #expect(ObjectID<Song>("3-17")?.untyped == id)
    let typed = ObjectID<Song>(unchecked: id)
    let decoded = try JSONDecoder().decode([ObjectID<Song>].self, from: JSONEncoder().encode([typed]))
    #expect(decoded == [typed])
  }

  @Test(arguments: ["", "3", "3-", "-17", "3-17-1", "3-x", "4294967296-1", "3-18446744073709551616"])
  func `invalid texts are not ids`(text: String) {
    #expect(AnyObjectID(text) == nil)
  }

  @Test func `ids are ordered by class, then row`() {
    let ids = [(2, 1), (1, 9), (1, 2)].map { AnyObjectID(classID: KeyspaceID(rawValue: $0.0), rowID: $0.1) }
    #expect(ids.sorted().map(\.description) == ["1-2", "1-9", "2-1"])
  }

  // Uses a plain backend only, because no record is saved.
  @Test func `an object has an id of its own type, from insert on`() throws {
    let store = try Store(backend: FaultyBackend(), classes: [Song.self])
    let song = Song()
    #expect(song.id == nil)
    let id: ObjectID<Song> = try store.insert(song)
    #expect(song.id == id)
    let base: StoredObject = song
    let baseID: ObjectID<StoredObject>? = base.id
    #expect(baseID?.untyped == id.untyped)
  }
}
