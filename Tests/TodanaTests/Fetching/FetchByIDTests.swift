// Fetching by identities: optional ones, and several of any classes.
import TestSupport
import Testing
import Todana

struct FetchByIDTests {
  private let store: Store

  init() throws { store = try Store(.inMemory, classes: [Song.self, Playlist.self]) }

  @Test("The id of an object that was never inserted is nil, and finds no object")
  func optionalID() throws {
    let song = Song()
    #expect(try store.fetch(song.id) == nil)
    try store.insert(song)
    #expect(try store.fetch(song.id) === song)
    #expect(try store.fetch(song.id, includingPending: false) == nil)
  }

  @Test("Identities of several classes give their objects in the same order, and nil for a missing one")
  func mixedClasses() throws {
    let song = Song()
    let playlist = Playlist()
    let gone = Song()
    try store.insert(contentsOf: [song, playlist, gone] as [StoredObject])
    try store.saveChanges()
    let ids = try [gone, playlist, song, playlist].map { (object: StoredObject) in try #require(object.anyID) }
    try store.delete(gone)
    try store.saveChanges()
    #expect(try store.fetch(ids) == [nil, playlist, song, playlist])
  }

  @Test("Errors tell the identity of a class that was never saved from that of an unregistered class")
  func neverSaved() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var store = try Store(.directory(path), classes: [Song.self, Playlist.self])
    let saved = try store.insert(Song())
    try store.saveChanges()
    let unsaved = try store.insert(Playlist())
    try store.close(discarding: true)
    store = try Store(.directory(path), classes: [Playlist.self])
    let missing = #expect(throws: StoreError.self) { try store.fetch(unsaved) }
    #expect(missing?.code == .unknownClass && missing?.className == nil)
    #expect(missing?.message.contains("the store has no class of this number") == true)
    let unregistered = #expect(throws: StoreError.self) { try store.fetch(saved.untyped) }
    #expect(unregistered?.code == .unknownClass && unregistered?.className == "Song")
    #expect(unregistered?.message.contains("list it in `classes`") == true)
    try store.close()
  }
}
