// Examples of the documentation, with a backend instead of a location; FirstPageTests has those of the first page.
import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct ExamplesTests {
  let backend = FaultyBackend()

  @Test func `a second store shares the backend, and an actor wraps one`() async throws {
    let library = try StoreActor(backend: backend, classes: [Song.self, Playlist.self])
    try await library.perform { store in
      try store.insert(Song("So What"))
      try store.saveChanges()
    }
    let titles = try await library.perform { store in try store.fetch(Song.self).map(\.title) }
    #expect(titles == ["So What"])
    let second = try Store(backend: library.backend, classes: [Song.self, Playlist.self])
    #expect(try second.count(Song.self) == 1)
  }

  // An asynchronous overload of any of these functions would require `await` here.
  @Test func `synchronous calls need no await in an asynchronous function`() async throws {
    let open = StoreConfiguration(encryption: .none)
    let store = try Store(.inMemory, classes: [Song.self, Playlist.self], configuration: open)
    let library = try StoreActor(.inMemory, classes: [Song.self, Playlist.self])
    let id = try store.insert(Song("So What", seconds: 565))
    try store.saveChanges()
    try store.saveChanges(durability: .relaxed)
    let song = try #require(try store.fetch(id))
    try store.update(song) { $0.seconds = 564 }
    #expect(try store.fetch(Song.self).map(\.seconds) == [564])
    try store.forEach(Song.self) { song, stop in stop = song.seconds > 600 }
    #expect(try store.count(Song.self) == 1)
    #expect(try store.withSnapshot { try store.count(Song.self) } == 1)
    store.discardChanges()
    #expect(song.seconds == 565)
    #expect(await library.perform { store in store.hasUnsavedChanges } == false)
    let secret = StoreConfiguration(encryption: .passphrase("correct horse battery staple"))
    try Store(.inMemory, classes: [Song.self], configuration: secret).close()
    try store.close()
  }

  @Test func `an actor takes over a store`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let library = StoreActor(store)
    let count = try await library.perform { store in try store.count(Song.self) }
    #expect(count == 0)
  }

  @Test func `songs of a playlist come back as faults in order and load together`() throws {
    let store = try Store(backend: backend, classes: [Song.self, Playlist.self])
    let playlist = Playlist()
    playlist.songs = ["c", "a", "b"].map { Song($0) }
    for song in playlist.songs { try store.insert(song) }
    try store.insert(playlist)
    try store.saveChanges()

    let other = try Store(backend: backend, classes: [Playlist.self, Song.self])
    let read = try #require(try other.fetch(Playlist.self).first)
    #expect(read.songs.filter(\.isFault).count == 3)
    #expect(read.songs.map(\.title) == ["", "", ""])
    let readsBefore = backend.readCallCount
    try other.load(read.songs)
    #expect(backend.readCallCount == readsBefore + 1)
    #expect(read.songs.map(\.title) == ["c", "a", "b"])

    let third = try Store(backend: backend, classes: [Playlist.self, Song.self])
    let loaded = try third.fetch(Playlist.self, loading: \.songs)
    #expect(loaded[0].songs.map(\.title) == ["c", "a", "b"])
  }

  @Test func `deleting a playlist deletes its songs`() throws {
    let store = try Store(backend: backend, classes: [Song.self, Playlist.self])
    let playlist = Playlist()
    playlist.songs = [Song("a"), Song("b")]
    for song in playlist.songs { try store.insert(song) }
    let id = try store.insert(playlist)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self, Playlist.self])
    // A fault, whose songs must be loaded before its rule can delete them.
    try other.delete(try other.fault(id))
    try other.saveChanges()
    #expect(try other.count(Song.self) == 0)
    #expect(try other.count(Playlist.self) == 0)
  }
}
