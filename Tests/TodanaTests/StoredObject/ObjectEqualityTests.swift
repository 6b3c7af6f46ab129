import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct ObjectEqualityTests {
  let store: Store

  init() throws { store = try Store(backend: FaultyBackend(), classes: [Song.self, Playlist.self]) }

  @Test func `equality is identity, also of objects with equal content`() throws {
    let (first, second) = (Song("a"), Song("a"))
    #expect(first == first)
    #expect(first != second)
    #expect([first, second].firstIndex(of: second) == 1)
    #expect(![first].contains(second))
  }

  @Test func `a set finds an object before and after it is inserted, saved, faulted and deleted`() throws {
    let song = Song("a")
    let songs: Set<Song> = [song]
    try store.insert(song)
    #expect(songs.contains(song))
    try store.saveChanges()
    #expect(songs.contains(song))
    try store.turnIntoFault(song)
    #expect(songs.contains(song))
    #expect(song.isFault)
    try store.delete(song)
    try store.saveChanges()
    #expect(songs.contains(song))
  }

  @Test func `fetching a row twice gives equal objects`() throws {
    let id = try store.insert(Song("a"))
    try store.saveChanges()
    #expect(try store.fetch(id) == store.fetch(Song.self).first)
  }

  @Test func `objects are removed from a list of references by equality`() throws {
    let playlist = Playlist()
    playlist.songs = [Song("a"), Song("b"), Song("a")]
    let last = playlist.songs[2]
    playlist.songs.removeAll { $0 == last }
    #expect(playlist.songs.map(\.title) == ["a", "b"])
  }

  @Test func `an identifiable object has its typed id, which is nil before the insert`() throws {
    func identity<Object: Identifiable>(of object: Object) -> Object.ID { object.id }
    let song = Song("a")
    #expect(identity(of: song) == nil)
    let id = try store.insert(song)
    #expect(identity(of: song)?.untyped == id.untyped)
    #expect(song.id == id)
  }
}
