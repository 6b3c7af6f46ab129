import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct LazyReferencesTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Mix.self]) }

  final class Mix: StoredObject {
    override class var storedName: String { "Playlist" }
    var title = ""
    var songs = LazyReferences<Song>()
    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      songs = try buffer.readLazyReferences()
    }
    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeReferences(songs)
    }
  }

  private func insertMix(_ titles: [String]) throws -> Mix {
    let mix = Mix()
    mix.title = "mix"
    for title in titles {
      let song = Song(title)
      mix.songs.append(song)
      try store.insert(song)
    }
    try store.insert(mix)
    try store.saveChanges()
    return mix
  }

  @Test func `elements are the store's objects, made on access`() throws {
    _ = try insertMix(["a", "b", "c"])
    let other = try Store(backend: backend, classes: [Song.self, Mix.self])
    let mix = try #require(try other.fetch(Mix.self).first)
    #expect(mix.songs.count == 3)
    let first = try #require(mix.songs.first)
    #expect(first.isFault && mix.songs[0] === first)
    let songs = Array(mix.songs)
    try other.load(songs)
    #expect(songs.map(\.title) == ["a", "b", "c"])
    #expect(try other.fetch(Song.self).first === first)
    #expect(zip(mix.songs, songs).allSatisfy { $0 === $1 })
  }

  @Test func `an update makes no objects for rows, also when it is undone`() throws {
    _ = try insertMix(["a", "b", "c"])
    let other = try Store(backend: backend, classes: [Song.self, Mix.self])
    let mix = try #require(try other.fetch(Mix.self).first)
    try other.update(mix) { $0.title = "new" }
    var liveCount = 0
    other.forEachLiveObject { _ in liveCount += 1 }
    #expect(liveCount == 1)
    #expect(throws: CancellationError.self) {
      try other.update(mix) { mix in
        mix.songs.removeFirst()
        throw CancellationError()
      }
    }
    let songs = Array(mix.songs)
    try other.load(songs)
    #expect(songs.map(\.title) == ["a", "b", "c"] && mix.title == "new")
    try other.saveChanges()
  }

  @Test func `a lazy list is stored like an array`() throws {
    _ = try insertMix(["a", "b"])
    let arrays = try Store(backend: backend, classes: [Song.self, Playlist.self])
    let playlist = try #require(try arrays.fetch(Playlist.self, loading: \.songs).first)
    #expect(playlist.songs.map(\.title) == ["a", "b"])
    try arrays.update(playlist) { $0.songs.reverse() }
    try arrays.saveChanges()
    let lists = try Store(backend: backend, classes: [Song.self, Mix.self])
    let songs = Array(try #require(try lists.fetch(Mix.self).first).songs)
    try lists.load(songs)
    #expect(songs.map(\.title) == ["b", "a"])
  }

  @Test func `rows that were never loaded are saved again`() throws {
    _ = try insertMix(["a", "b", "c"])
    let other = try Store(backend: backend, classes: [Song.self, Mix.self])
    let mix = try #require(try other.fetch(Mix.self).first)
    let song = Song("d")
    try other.insert(song)
    try other.update(mix) { mix in
      mix.songs.remove(at: 1)
      mix.songs.append(song)
      mix.songs.swapAt(0, 2)
    }
    try other.saveChanges()
    let third = try Store(backend: backend, classes: [Song.self, Mix.self])
    let songs = Array(try #require(try third.fetch(Mix.self).first).songs)
    try third.load(songs)
    #expect(songs.map(\.title) == ["d", "c", "a"])
  }

  @Test func `a refused or discarded change leaves the list as it was`() throws {
    _ = try insertMix(["a", "b"])
    let other = try Store(backend: backend, classes: [Song.self, Mix.self])
    let mix = try #require(try other.fetch(Mix.self).first)
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try other.update(mix) { mix in
        mix.songs.removeAll()
        throw Refusal()
      }
    }
    #expect(mix.songs.count == 2)
    try other.update(mix) { $0.songs = [] }
    other.discardChanges()
    try mix.loadContent()
    #expect(mix.songs.count == 2)
  }

  @Test func `an element that is being deleted is refused by the save`() throws {
    _ = try insertMix(["a"])
    let other = try Store(backend: backend, classes: [Song.self, Mix.self])
    let mix = try #require(try other.fetch(Mix.self).first)
    try other.delete(mix.songs[0])
    try other.update(mix) { $0.title = "changed" }
    #expect(throws: StoreError.self) { try other.saveChanges() }
  }

  @Test func `a list of a closed store has faults that cannot be loaded`() throws {
    _ = try insertMix(["a"])
    var songs = LazyReferences<Song>()
    do {
      let other = try Store(backend: backend, classes: [Song.self, Mix.self])
      songs = try #require(try other.fetch(Mix.self).first).songs
      try other.close()
      let error = #expect(throws: StoreError.self) { try songs[0].loadContent() }
      #expect(error?.code == .closed)
    }
    let song = songs[0]
    #expect(song.isFault && song.id == nil)
    let error = #expect(throws: StoreError.self) { try song.loadContent() }
    #expect(error?.code == .closed)
  }
}
