// Stores over the storage engine, opened by location.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct LocationTests {
  enum Place: CaseIterable { case directory, temporary, inMemory }

  @Test(arguments: Place.allCases)
  func `the first page's examples work at every location`(place: Place) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Music.todana")
    let location: StoreLocation =
      switch place {
      case .directory: .directory(path)
      case .temporary: .temporary
      case .inMemory: .inMemory
      }
    let store = try Store(location, classes: [Song.self, Playlist.self])
    let playlist = Playlist()
    for index in 0..<1000 {
      let song = Song("\(index)", seconds: UInt32(index))
      try store.insert(song)
      if index.isMultiple(of: 3) { playlist.songs.append(song) }
    }
    let id = try store.insert(playlist)
    try store.writeNamedBuffer("favourites") { $0.writeReferences(playlist.songs) }
    try store.saveChanges()
    try store.update(playlist.songs[1]) { $0.title = "changed" }
    try store.delete(playlist.songs[2])
    try store.update(playlist) { _ = $0.songs.remove(at: 2) }
    try store.saveChanges(durability: .relaxed)

    let other = try Store(backend: store.backend, classes: [Playlist.self, Song.self])
    #expect(try other.count(Song.self) == 999)
    let songs = try other.fetch(Song.self)
    #expect(songs.map(\.seconds) == (0..<1000).filter { $0 != 6 })
    let read = try #require(try other.fetch(id))
    #expect(read.songs.count == 333)
    #expect(read.songs[1].title == "changed")
    let favourites = try other.readNamedBuffer("favourites") { try $0.readReferences(Song.self).count }
    #expect(favourites == 334)
    var visited = 0
    try other.forEach(Song.self) { _, _ in visited += 1 }
    #expect(visited == 999)
    try other.update(songs[0]) { $0.title = "theirs" }
    try other.saveChanges()
    let mine = try #require(try store.fetch(Song.self).first)
    try store.update(mine) { $0.title = "mine" }
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    try store.refresh(keeping: .mine)
    try store.saveChanges()
    try store.close()
    #expect(try other.count(Song.self) == 999)
    try other.close()
    #expect(throws: BackendError.self) { try store.backend.count(of: id.classID) }
    guard place == .directory else { return }
    let again = try Store(location, classes: [Song.self, Playlist.self])
    #expect(try again.fetch(Song.self).first?.title == "mine")
    try again.close()
  }

  @Test func `invalid classes leave no store behind`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Music.todana")
    for classes in [[Song.self, Song.self], [StoredObject.self], [WithoutName.self]] {
      #expect(throws: StoreError.self) { try Store(.directory(path), classes: classes) }
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a directory that is in use, and one that is no store, are errors`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("Music.todana")
    let store = try Store(.directory(path), classes: [Song.self])
    let inUse = #expect(throws: StoreError.self) { try Store(.directory(path), classes: [Song.self]) }
    #expect(inUse?.backendError?.code == .inUse)
    try store.close()
    let duplicate = #expect(throws: StoreError.self) { try Store(.directory(path), classes: [Song.self, Song.self]) }
    #expect(duplicate?.code == .duplicateClassName)
    // The failed opening does not keep the directory in use.
    try Store(.directory(path), classes: [Song.self]).close()
  }

  @Test func `missing directories above a store are created with it`() throws {
    let directory = try TemporaryDirectory()
    let location = StoreLocation.directory(directory.path("Library/Media/Music.todana"))
    let store = try Store(location, classes: [Song.self])
    let id = try store.insert(Song("a"))
    try store.saveChanges()
    try store.close()
    let again = try Store(location, classes: [Song.self])
    #expect(try again.fetch(id)?.title == "a")
    try again.close()
  }
}

/// A class with an index that has no name.
private final class WithoutName: StoredObject {
  var half: Int { 1 }
  override class var indexes: [Index] { [Index(\WithoutName.half)] }
}
