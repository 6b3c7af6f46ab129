// The examples of the documentation's first page, run with a store in a directory.
import Foundation
import TestSupport
import Testing
import Todana

/// A class whose content is loaded on first access.
private final class Lyrics: StoredObject {
  @Loaded var title = ""
  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
}

@Suite struct FirstPageTests {
  let directory: TemporaryDirectory
  var location: StoreLocation { .directory(directory.path("Music.todana")) }

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a store's first examples work as written`() throws {
    let store = try Store(location, classes: [Song.self, Playlist.self])
    let song = Song()
    song.title = "Blue in Green"
    song.seconds = 327
    #expect(song.id == nil && song.store == nil)
    let id = try store.insert(song)
    try store.update(song) { $0.seconds = 337 }
    song.willUpdate()
    song.seconds = 338
    try store.saveChanges()
    try store.delete(song)
    store.discardChanges()
    let typed: ObjectID<Song>? = song.id
    #expect(typed == id && song.store === store)

    let other = Song()
    let otherID = try store.insert(other)
    #expect(try store.fetch(Song.self).count == 2)
    #expect(try store.fetch(Song.self, includingPending: false).count == 1)
    #expect(try store.fetch(id) === song)
    #expect(try store.fetch([id, otherID]).map { $0 === song } == [true, false])
    #expect(try store.count(Song.self) == 2)
    try store.forEach(Song.self) { song, stop in
      if song.seconds > 600 { stop = true }
    }
    #expect(store.hasUnsavedChanges)
    store.discardChanges()
    #expect(other.id == nil && other.store == nil)
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try store.update(song) {
        $0.seconds = 1
        throw Refused()
      }
    }
    #expect(song.seconds == 338)
    try store.close()
  }

  @Test func `named buffers work as written`() throws {
    let store = try Store(location, classes: [Song.self])
    let favourites = [Song("a"), Song("b")]
    for song in favourites { try store.insert(song) }
    try store.writeNamedBuffer("favourites") { buffer in buffer.writeReferences(favourites) }
    try store.saveChanges(durability: .relaxed)
    try store.close()
    let other = try Store(location, classes: [Song.self])
    let count = try other.readNamedBuffer("favourites") { buffer in try buffer.readReferences(Song.self).count }
    #expect(count == 2)
    #expect(try other.readNamedBuffer("other") { _ in 1 } == nil)
    try other.removeNamedBuffer("favourites")
    let names: [String] = try other.namedBufferNames()
    #expect(names.isEmpty)
    try other.close(discarding: true)
  }

  @Test func `faults load on request, together, with a fetch, or on access`() throws {
    let store = try Store(location, classes: [Song.self, Playlist.self, Lyrics.self])
    let playlist = Playlist()
    playlist.songs = [Song("c"), Song("a"), Song("b")]
    for song in playlist.songs { try store.insert(song) }
    try store.insert(playlist)
    let lyrics = Lyrics()
    lyrics.title = "words"
    let lyricsID = try store.insert(lyrics)
    try store.saveChanges()
    try store.close()

    let other = try Store(location, classes: [Song.self, Playlist.self, Lyrics.self])
    let read = try #require(try other.fetch(Playlist.self).first)
    #expect(read.songs.map(\.title) == ["", "", ""] && read.songs.allSatisfy(\.isFault))
    try read.songs[0].loadContent()
    #expect(read.songs.map(\.title) == ["c", "", ""])
    try other.load(read.songs)
    #expect(read.songs.map(\.title) == ["c", "a", "b"])
    #expect(try other.fetch(Playlist.self, loading: \.songs).first === read)
    #expect(try other.fault(lyricsID).title == "words")
    try other.delete(read)
    try other.saveChanges()
    #expect(try other.count(Song.self) == 0)
    try other.close()
  }

  @Test func `an actor and a second store work as written`() async throws {
    let library = try StoreActor(location, classes: [Song.self, Playlist.self])
    try await library.perform { store in
      try store.insert(Song("So What"))
      try store.saveChanges()
    }
    let titles = try await library.perform { store in try store.fetch(Song.self).map(\.title) }
    #expect(titles == ["So What"])
    let second = try Store(backend: library.backend, classes: [Song.self, Playlist.self])
    #expect(try second.count(Song.self) == 1)
  }

  @Test func `a store with a passphrase does not open without it`() throws {
    let secret = StoreConfiguration(encryption: .passphrase("correct horse battery staple"))
    let store = try Store(location, classes: [Song.self], configuration: secret)
    try store.insert(Song("So What"))
    try store.saveChanges(durability: .relaxed)
    try store.close()
    #expect(throws: StoreError.self) { try Store(location, classes: [Song.self]) }
    let again = try Store(location, classes: [Song.self], configuration: secret)
    #expect(try again.fetch(Song.self).map(\.title) == ["So What"])
    try again.close()
  }

  @Test func `a store that was closed, and an object of another one, are refused`() throws {
    let store = try Store(location, classes: [Song.self])
    let elsewhere = try Store(.directory(directory.path("Other.todana")), classes: [Song.self])
    let song = Song("a")
    try store.insert(song)
    let error = #expect(throws: StoreError.self) { try elsewhere.insert(song) }
    #expect(error?.code == .objectOfOtherStore && error?.className == "Song" && error?.rowID != nil)
    #expect(#expect(throws: StoreError.self) { try elsewhere.delete(song) }?.code == .objectOfOtherStore)
    try store.saveChanges()
    try store.close()
    #expect(#expect(throws: StoreError.self) { try store.fetch(Song.self) }?.code == .closed)
    #expect(#expect(throws: StoreError.self) { try store.saveChanges() }?.code == .closed)
    #expect(#expect(throws: StoreError.self) { try store.insert(Song()) }?.code == .closed)
    let again = try Store(location, classes: [Song.self])
    #expect(try again.fetch(Song.self).map(\.title) == ["a"])
    #expect(#expect(throws: StoreError.self) { try again.fetch(Node.self) }?.code == .unknownClass)
    try again.close()
    try elsewhere.close()
  }
}
