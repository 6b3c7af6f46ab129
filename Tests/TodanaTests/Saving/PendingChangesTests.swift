import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct PendingChangesTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Playlist.self]) }

  @Test func `a pending insert is in every fetch, count and stream, and can be left out`() throws {
    let song = Song("new")
    let id = try store.insert(song)
    #expect(try store.fetch(Song.self).map(\.title) == ["new"])
    #expect(try store.fetch(id) === song)
    #expect(try store.fetch([id]).first ?? nil === song)
    #expect(try store.count(Song.self) == 1)
    #expect(try titles() == ["new"])
    #expect(try store.fetch(Song.self, includingPending: false).isEmpty)
    #expect(try store.fetch(id, includingPending: false) == nil)
    #expect(try store.fetch([id], includingPending: false).compactMap(\.self).isEmpty)
    #expect(try store.count(Song.self, includingPending: false) == 0)
    #expect(try titles(includingPending: false) == [])
  }

  @Test func `a pending delete is in no fetch, count or stream, unless the saved state is asked for`() throws {
    let song = Song("old")
    let id = try store.insert(song)
    try store.saveChanges()
    try store.delete(song)
    #expect(song.id == id)
    #expect(try store.fetch(Song.self).isEmpty)
    #expect(try store.fetch(id) == nil)
    #expect(try store.fetch([id]).compactMap(\.self).isEmpty)
    #expect(try store.count(Song.self) == 0)
    #expect(try titles() == [])
    #expect(try store.fetch(Song.self, includingPending: false).count == 1)
    #expect(try store.fetch(id, includingPending: false) === song)
    #expect(try store.count(Song.self, includingPending: false) == 1)
    #expect(try titles(includingPending: false) == ["old"])
    try store.saveChanges()
    #expect(song.id == nil)
    #expect(song.store == nil)
    #expect(song.title == "old")
  }

  @Test func `deleting an unsaved insert forgets it`() throws {
    let song = Song("new")
    try store.insert(song)
    try store.delete(song)
    #expect(song.id == nil)
    #expect(!store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(backend.commitCount == 0)
    // The object can be inserted again.
    try store.insert(song)
    try store.saveChanges()
    #expect(try store.count(Song.self) == 1)
  }

  @Test func `inserting an object whose delete is pending keeps it`() throws {
    let song = Song("old")
    let id = try store.insert(song)
    try store.saveChanges()
    try store.delete(song)
    song.title = "kept"
    #expect(try store.insert(song) == id)
    try store.saveChanges()
    #expect(try savedTitles() == ["kept"])
  }

  @Test func `an update is saved, and one that throws changes nothing`() throws {
    let song = Song("a", seconds: 1)
    let playlist = Playlist()
    playlist.songs = [song]
    try store.insert(song)
    try store.insert(playlist)
    try store.saveChanges()
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try store.update(playlist) { playlist in
        playlist.title = "changed"
        playlist.songs = [Song("not inserted")]
        throw Refusal()
      }
    }
    #expect(playlist.title == "")
    #expect(playlist.songs.count == 1 && playlist.songs[0] === song)
    #expect(!store.hasUnsavedChanges)

    try store.update(song) { $0.seconds = 2 }
    #expect(throws: Refusal.self) {
      try store.update(song) { song in
        song.seconds = 3
        throw Refusal()
      }
    }
    #expect(song.seconds == 2)
    #expect(store.hasUnsavedChanges)
    let seconds = try store.update(song) { song in
      song.title = "b"
      return song.seconds
    }
    #expect(seconds == 2)
    try store.saveChanges()
    #expect(try savedTitles() == ["b"])
  }

  @Test func `an update loads a fault first`() throws {
    let id = try store.insert(Song("title", seconds: 1))
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(try other.fault(id)) { $0.seconds = 2 }
    try other.saveChanges()
    #expect(try savedTitles() == ["title"])
  }

  @Test func `discarding restores updated and deleted objects, and removes inserted ones`() throws {
    let updated = Song("updated")
    let deleted = Song("deleted")
    let both = Song("both")
    for song in [updated, deleted, both] { try store.insert(song) }
    try store.saveChanges()
    let inserted = Song("inserted")
    try store.insert(inserted)
    try store.update(updated) { $0.title = "x" }
    try store.delete(deleted)
    try store.update(both) { $0.title = "y" }
    try store.delete(both)
    try store.writeNamedBuffer("b") { $0.writeString("x") }
    store.discardChanges()
    #expect(!store.hasUnsavedChanges)
    #expect([updated, deleted, both, inserted].map(\.title) == ["updated", "deleted", "both", "inserted"])
    #expect(inserted.id == nil && inserted.store == nil)
    #expect(try store.fetch(Song.self).map(\.title) == ["updated", "deleted", "both"])
    #expect(try store.namedBufferNames() == [])
    try store.saveChanges()
    #expect(backend.commitCount == 1)
  }

  @Test func `fetching all gives objects in the order of their row ids`() throws {
    for index in 0..<500 { try store.insert(Song("\(index)")) }
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    try other.insert(Song("pending"))
    #expect(try other.fetch(Song.self).map(\.title) == (0..<500).map(String.init) + ["pending"])
  }

  @Test func `sparse row ids are put in order too`() throws {
    var titles: [String] = []
    for index in 0..<50 {
      try store.insert(Song("\(index)"))
      titles.append("\(index)")
      if let keyspace = try store.catalog[Song.self]?.id { _ = try backend.reserveRowIDs(100_000, in: keyspace) }
      try store.saveChanges()
    }
    let other = try Store(backend: backend, classes: [Song.self])
    #expect(try other.fetch(Song.self).map(\.title) == titles)
  }

  private func titles(includingPending: Bool = true) throws -> [String] {
    var titles: [String] = []
    try store.forEach(Song.self, includingPending: includingPending) { song, _ in titles.append(song.title) }
    return titles
  }

  private func savedTitles() throws -> [String] {
    try Store(backend: backend, classes: [Song.self, Playlist.self]).fetch(Song.self).map(\.title)
  }
}
