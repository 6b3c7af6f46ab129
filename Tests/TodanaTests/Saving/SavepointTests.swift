import Foundation
import Observation
import Synchronization
import TestSupport
import Testing
import Todana

private struct Refused: Error {}

/// A class that deletes its songs with itself, changes itself without `update`, and throws on request.
private final class Album: StoredObject {
  var title = ""
  var songs: [Song] = []
  /// Whether deleting throws; not stored.
  var refusesDelete = false

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    songs = try buffer.readReferences(Song.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(songs)
  }
  override func prepareForDelete(in store: Store) throws {
    for song in songs { try store.delete(song) }
    songs = []
    if refusesDelete { throw Refused() }
  }
}

/// A class whose content cannot be encoded if the amount is NaN.
private final class Invoice: StoredObject {
  struct Money: Codable, Equatable {
    var amount: Decimal

    func encode(to encoder: any Encoder) throws {
      if amount.isNaN { throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "no amount")) }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(amount, forKey: .amount)
    }
  }
  var money = Money(amount: 0)
  var note = ""

  override func readContent(from buffer: inout DataBuffer) throws {
    money = try buffer.readCodable()
    note = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeCodable(money)
    buffer.writeString(note)
  }
}

@Suite(.plainAndEncrypted) struct SavepointTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws {
    store = try Store(backend: backend, classes: [Song.self, Playlist.self, Album.self, Invoice.self])
  }

  /// Returns a song that was saved and has no changes.
  private func saved(_ title: String) throws -> Song {
    let song = Song(title)
    try store.insert(song)
    try store.saveChanges()
    return song
  }

  private func fail(_ body: () throws -> Void) {
    #expect(throws: Refused.self) {
      try store.savepoint {
        try body()
        throw Refused()
      }
    }
  }

  @Test func `a savepoint that succeeds keeps all changes`() throws {
    let song = try saved("a")
    let count = try store.savepoint {
      try store.insert(Song("b"))
      try store.update(song) { $0.title = "changed" }
      return try store.count(Song.self)
    }
    #expect(count == 2)
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["changed", "b"])
  }

  @Test func `clean objects are clean again after a failed savepoint`() throws {
    let (updated, deleted, both) = (try saved("updated"), try saved("deleted"), try saved("both"))
    let inserted = Song("inserted")
    fail {
      try store.update(updated) { $0.title = "x" }
      updated.willUpdate()
      updated.title = "y"
      try store.delete(deleted)
      both.willUpdate()
      both.title = "z"
      try store.delete(both)
      try store.insert(inserted)
      try store.writeNamedBuffer("b") { $0.writeInt(1) }
      #expect(store.hasUnsavedChanges)
    }
    #expect(!store.hasUnsavedChanges)
    #expect([updated, deleted, both, inserted].map(\.title) == ["updated", "deleted", "both", "inserted"])
    #expect(inserted.id == nil && inserted.store == nil)
    #expect(try store.fetch(Song.self).map(\.title) == ["updated", "deleted", "both"])
    #expect(try store.namedBufferNames().isEmpty)
    // The tokens are restored, so all three can be changed and saved.
    for song in [updated, deleted, both] { try store.update(song) { $0.seconds = 7 } }
    try store.insert(inserted)
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.seconds) == [7, 7, 7, 0])
  }

  @Test func `pending changes are pending again after a failed savepoint, with their content`() throws {
    let (updated, deleted, other) = (try saved("updated"), try saved("deleted"), try saved("other"))
    try store.update(updated) { $0.title = "pending" }
    try store.delete(deleted)
    let inserted = Song("inserted")
    let id = try store.insert(inserted)
    let playlist = Playlist()
    playlist.songs = [inserted, other]
    try store.insert(playlist)
    try store.writeNamedBuffer("b") { $0.writeInt(1) }
    fail {
      try store.update(updated) { $0.title = "x" }
      try store.insert(deleted)
      deleted.title = "back"
      try store.update(inserted) { $0.title = "y" }
      try store.update(playlist) { $0.songs = [deleted] }
      try store.delete(inserted)
      #expect(inserted.id == nil)
      try store.delete(updated)
      try store.writeNamedBuffer("b") { $0.writeInt(2) }
      try store.removeNamedBuffer("b")
    }
    #expect(inserted.id == id)
    #expect(updated.title == "pending" && inserted.title == "inserted" && deleted.title == "deleted")
    #expect(playlist.songs.count == 2 && playlist.songs[0] === inserted && playlist.songs[1] === other)
    #expect(try store.fetch(Song.self).map(\.title) == ["pending", "other", "inserted"])
    #expect(try store.readNamedBuffer("b") { try $0.readInt() } == 1)
    try store.saveChanges()
    let reader = try Store(backend: backend, classes: [Song.self])
    #expect(try reader.fetch(Song.self).map(\.title) == ["pending", "other", "inserted"])
  }

  @Test(arguments: [false, true], [false, true])
  func `savepoints nest`(_ innerFails: Bool, _ outerFails: Bool) throws {
    let song = try saved("saved")
    let (first, second) = (Song("first"), Song("second"))
    try? store.savepoint {
      try store.insert(first)
      try store.update(song) { $0.title = "outer" }
      try? store.savepoint {
        try store.update(song) { $0.title = "inner" }
        try store.update(first) { $0.title = "first, changed" }
        try store.insert(second)
        if innerFails { throw Refused() }
      }
      #expect(song.title == (innerFails ? "outer" : "inner"))
      #expect((second.id == nil) == innerFails)
      try store.update(song) { $0.seconds += 1 }
      if outerFails { throw Refused() }
    }
    #expect(song.title == (outerFails ? "saved" : innerFails ? "outer" : "inner"))
    #expect(song.seconds == (outerFails ? 0 : 1))
    #expect(first.title == (outerFails || innerFails ? "first" : "first, changed"))
    #expect((first.id == nil) == outerFails && (second.id == nil) == (outerFails || innerFails))
    #expect(store.hasUnsavedChanges == !outerFails)
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == (outerFails ? 1 : innerFails ? 2 : 3))
  }

  @Test func `changes that were discarded or replaced by another store's are pending again`() throws {
    let (updated, deleted) = (try saved("updated"), try saved("deleted"))
    try store.update(updated) { $0.title = "mine" }
    try store.delete(deleted)
    let inserted = Song("inserted")
    let id = try store.insert(inserted)
    try store.writeNamedBuffer("b") { $0.writeInt(1) }
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(#require(try other.fetch(updated.id ?? id))) { $0.title = "theirs" }
    try other.saveChanges()
    var fault: Song?
    fail {
      try store.refresh(keeping: .theirs)
      #expect(updated.title == "theirs")
      store.discardChanges()
      #expect(!store.hasUnsavedChanges && inserted.id == nil)
      // Make a fault while the inserted object is in no store.
      fault = try store.fault(id)
      #expect(fault !== inserted)
      try store.insert(inserted)
    }
    #expect(fault?.id == nil)
    fault = nil
    #expect(try store.fetch(id) === inserted)
    #expect(inserted.id == id)
    #expect(updated.title == "mine")
    #expect(try store.fetch(Song.self).map(\.title) == ["mine", "inserted"])
    #expect(try store.readNamedBuffer("b") { try $0.readInt() } == 1)
    // The token is the one that was read, so the other store's change is not overwritten silently.
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    try store.refresh(keeping: .mine)
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["mine", "inserted"])
  }

  @Test func `an object that moved to another store stays there, and this store keeps its insert`() throws {
    let song = Song("mine")
    let id = try store.insert(song)
    let other = try Store(backend: FaultyBackend(), classes: [Song.self])
    fail {
      store.discardChanges()
      try other.insert(song)
    }
    #expect(song.store === other)
    #expect(try store.fetch(id)?.title == "mine")
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == 1)
  }

  @Test func `an object that is refreshed within, or becomes a fault, shows its former content again`() throws {
    let song = try saved("old")
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(other.fetch(Song.self)[0]) { $0.title = "new" }
    try other.saveChanges()
    fail {
      #expect(throws: Refused.self) {
        try store.update(song) { song in
          song.title = "x"
          throw Refused()
        }
      }
      try store.update(song) { $0.title = "y" }
      store.discardChanges()
      #expect(song.title == "new")
      try store.turnIntoFault(song)
    }
    #expect(song.title == "old" && !song.isFault)
    try store.refresh()
    #expect(song.isFault)
  }

  @Test func `objects that are pending during a refresh within are refreshed afterwards`() throws {
    let song = try saved("old")
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(other.fetch(Song.self)[0]) { $0.title = "new" }
    try other.saveChanges()
    fail {
      try store.update(song) { $0.title = "x" }
      try store.refresh()
    }
    #expect(song.title == "old" && !song.isFault)
    try store.refresh()
    try song.loadContent()
    #expect(song.title == "new")
  }

  @Test func `a named buffer that is read within is checked against the value read before`() throws {
    let other = try Store(backend: backend, classes: [Song.self])
    try store.writeNamedBuffer("b", immediately: true) { $0.writeInt(1) }
    #expect(try store.readNamedBuffer("b") { try $0.readInt() } == 1)
    try other.writeNamedBuffer("b", immediately: true) { $0.writeInt(2) }
    fail {
      let value = try store.readNamedBuffer("b") { try $0.readInt() }
      #expect(value == 2)
    }
    try store.writeNamedBuffer("b") { $0.writeInt(3) }
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    fail {
      try store.refresh(keeping: .mine)
      try store.removeNamedBuffer("b")
    }
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    #expect(try store.readNamedBuffer("b") { try $0.readInt() } == 3)
  }

  @Test func `a fault that was loaded within stays loaded`() throws {
    let id = try #require(try saved("a").id)
    let other = try Store(backend: backend, classes: [Song.self])
    let song = try other.fault(id)
    #expect(throws: Refused.self) {
      try other.savepoint {
        try other.update(song) { $0.title = "x" }
        throw Refused()
      }
    }
    #expect(!song.isFault && song.title == "a" && !other.hasUnsavedChanges)
  }

  @Test func `saves and other calls that cannot be undone are refused`() throws {
    let song = try saved("a")
    let refused: [() throws -> Void] = [
      { try store.saveChanges() }, { try store.close() }, { try store.close(discarding: true) },
      { try store.reopen() }, { try store.upgradeAll() },
      { try store.writeNamedBuffer("b", immediately: true) { $0.writeInt(1) } },
      { try store.update(song) { _ in try store.saveChanges() } },
    ]
    try store.savepoint {
      for call in refused {
        try store.update(song) { $0.seconds += 1 }
        #expect(#expect(throws: StoreError.self) { try call() }?.code == .withinSavepoint)
      }
    }
    #expect(song.seconds == UInt32(refused.count))
    try store.saveChanges()
    #expect(backend.commitCount == 2)
  }

  @Test func `a failed flush of another store is settled after the savepoint`() async throws {
    let (song, clean) = (try saved("a"), try saved("clean"))
    try store.savepoint {
      try store.update(song) { $0.title = "b" }
      let other = try Store(backend: backend, classes: [Song.self])
      try other.insert(Song("c"))
      backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: true)
      #expect(throws: StoreError.self) { try other.saveChanges() }
      try other.reopen()
      #expect(try store.count(Song.self) == 3)
      #expect(song.title == "b" && !clean.isFault)
    }
    try store.saveChanges()
    #expect(clean.isFault)
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["b", "clean", "c"])
  }

  private final class Recorder: StoreDelegate {
    var calls: [String] = []
    func store(_ store: Store, willUpdate object: StoredObject) { note("update", object) }
    func store(_ store: Store, didChange object: StoredObject) { note("change", object) }
    private func note(_ what: String, _ object: StoredObject) {
      calls.append("\(what) \((object as? Song)?.title ?? "album")\(object.id == nil ? " outside" : "")")
    }
  }

  @Test func `delegate and observers are notified of undone changes once, at the end`() throws {
    let song = try saved("a")
    let recorder = Recorder()
    store.delegate = recorder
    let changes = Mutex(0)
    withObservationTracking {
      _ = store.hasUnsavedChanges
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    fail {
      try store.update(song) { $0.title = "b" }
      try store.update(song) { $0.title = "c" }
      try store.insert(Song("new"))
    }
    #expect(recorder.calls == ["update a", "change a", "change new outside"])
    #expect(changes.withLock { $0 } == 1)
    // The song is pending before and after the savepoint, so there is no notification.
    try store.update(song) { $0.title = "b" }
    withObservationTracking {
      _ = store.hasUnsavedChanges
    } onChange: {
      changes.withLock { $0 += 1 }
    }
    fail { try store.update(song) { $0.title = "c" } }
    #expect(changes.withLock { $0 } == 1)
    #expect(song.title == "b")
  }

  @Test func `content that no save accepts is restored all the same`() throws {
    let invoice = Invoice()
    invoice.money.amount = .nan
    invoice.note = "kept"
    try store.insert(invoice)
    fail {
      try store.update(invoice) { invoice in
        invoice.money.amount = 5
        invoice.note = "changed"
      }
    }
    #expect(invoice.money.amount.isNaN && invoice.note == "kept")
    #expect(#expect(throws: StoreError.self) { try store.saveChanges() }?.code == .cannotEncode)
    try store.update(invoice) { $0.money.amount = 5 }
    try store.saveChanges()
  }

  @Test func `a deferred error of a fault ends a savepoint`() throws {
    let song = LoadedSong()
    let store = try Store(backend: backend, classes: [LoadedSong.self])
    let id = try store.insert(song)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [LoadedSong.self])
    let fault = try other.fault(id)
    try store.delete(song)
    try store.saveChanges()
    let inserted = LoadedSong()
    #expect(
      #expect(throws: StoreError.self) {
        try other.savepoint {
          try other.insert(inserted)
          inserted.title = fault.title
        }
      }?.code == .rowNotFound)
    #expect(inserted.id == nil && !other.hasUnsavedChanges)
  }

  private final class LoadedSong: StoredObject {
    @Loaded var title = ""
    override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
  }
}

/// Calls that change many objects, one of which fails.
@Suite(.plainAndEncrypted) struct AllOrNothingTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Playlist.self, Album.self]) }

  private func savedAlbum(_ title: String, refusesDelete: Bool) throws -> Album {
    let album = Album()
    album.title = title
    album.songs = [Song("\(title) 1"), Song("\(title) 2")]
    album.refusesDelete = refusesDelete
    for song in album.songs { try store.insert(song) }
    try store.insert(album)
    try store.saveChanges()
    return album
  }

  @Test func `a delete whose prepareForDelete throws leaves the children`() throws {
    let album = try savedAlbum("a", refusesDelete: true)
    #expect(throws: Refused.self) { try store.delete(album) }
    #expect(!store.hasUnsavedChanges)
    // The list that the object emptied without `update` is restored.
    #expect(album.songs.map(\.title) == ["a 1", "a 2"])
    #expect(try store.count(Song.self) == 2)
    try store.update(album) { $0.title = "b" }
    #expect(throws: Refused.self) { try store.delete(album) }
    #expect(album.songs.count == 2 && album.title == "b")
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).count(Song.self) == 2)
  }

  @Test(arguments: ["objects", "query", "faults"])
  func `a delete of many that fails deletes none`(_ way: String) throws {
    let albums = try [
      savedAlbum("a", refusesDelete: false), savedAlbum("b", refusesDelete: false),
      savedAlbum("c", refusesDelete: true),
    ]
    if way == "faults" { try store.turnCleanObjectsIntoFaults() }
    try store.insert(Song("pending"))
    #expect(throws: Refused.self) {
      if way == "query" {
        try store.delete(Album.all.sorted(by: \.title))
      } else {
        try store.delete(albums)
      }
    }
    #expect(albums.map(\.songs.count) == [2, 2, 2])
    #expect(try store.count(Album.self) == 3 && store.count(Song.self) == 7)
    albums[2].refusesDelete = false
    try store.delete(albums)
    try store.saveChanges()
    #expect(try store.fetch(Song.self).map(\.title) == ["pending"])
    #expect(try Store(backend: backend, classes: [Album.self]).count(Album.self) == 0)
  }

  @Test func `a delete by ids that fails deletes none, and one that is undone restores its objects`() throws {
    let songs = [Song("a"), Song("b"), Song("c")]
    let ids = try store.insert(contentsOf: songs)
    try store.saveChanges()
    let album = Album()
    let albumID = try store.insert(album)
    let inserted = try store.insert(Song("d"))
    try store.turnIntoFault(songs[0])
    let mixed =
      [ids[0], inserted, ids[1]].map { AnyObjectID($0) } + [AnyObjectID(classID: KeyspaceID(rawValue: 999), rowID: 1)]
    #expect(throws: StoreError.self) { try store.delete(mixed) }
    #expect(songs[0].isFault)
    #expect(try store.fetch(Song.self).map(\.title) == ["a", "b", "c", "d"])
    // A delete by id ignores changes by another store, even if a savepoint that cancelled the delete was undone.
    #expect(try store.delete([ids[0]]) == 1)
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(#require(try other.fetch(ids[0]))) { $0.title = "theirs" }
    try other.saveChanges()
    #expect(throws: Refused.self) {
      try store.savepoint {
        try store.insert(songs[0])
        #expect(try store.delete([ids[1]]) == 1)
        throw Refused()
      }
    }
    #expect(try store.fetch(Song.self).map(\.title) == ["b", "c", "d"])
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["b", "c", "d"])
    #expect(album.id == albumID)
  }

  @Test func `an update of a query that fails changes nothing`() throws {
    for index in 0..<5 { try store.insert(Song("\(index)", seconds: 1)) }
    try store.saveChanges()
    try store.update(store.fetch(Song.self)[1]) { $0.seconds = 2 }
    let query = Song.all.sorted(by: \.title)
    #expect(throws: Refused.self) {
      try store.update(query) { song in
        song.seconds += 10
        try store.insert(Song("for \(song.title)"))
        if song.title == "3" { throw Refused() }
      }
    }
    #expect(try store.fetch(query).map(\.seconds) == [1, 2, 1, 1, 1])
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(query).map(\.seconds) == [1, 2, 1, 1, 1])
    #expect(try store.update(query) { $0.seconds += 10 }.count == 5)
    #expect(try store.fetch(query).map(\.seconds) == [11, 12, 11, 11, 11])
  }

  @Test func `an upsert whose merge fails changes nothing`() throws {
    let existing = Song("a", seconds: 1)
    existing.isrc = "x"
    try store.insert(existing)
    try store.saveChanges()
    let imported = Song("b", seconds: 2)
    imported.isrc = "x"
    #expect(throws: Refused.self) {
      try store.upsert(imported, by: \.isrc) { existing, new in
        existing.title = new.title
        try store.insert(Song("aside"))
        throw Refused()
      }
    }
    #expect(existing.title == "a" && imported.id == nil && !store.hasUnsavedChanges)
    #expect(try store.upsert(imported, by: \.isrc) === existing)
    #expect(existing.title == "b" && existing.seconds == 2)
  }

  @Test func `conflicts whose merge fails are not resolved`() throws {
    let songs = [Song("a"), Song("b")]
    try store.insert(contentsOf: songs)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    for song in try other.fetch(Song.self) { try other.update(song) { $0.title += " theirs" } }
    try other.saveChanges()
    for song in songs { try store.update(song) { $0.title += " mine" } }
    var count = 0
    #expect(throws: Refused.self) {
      try store.refresh { mine, theirs in
        count += 1
        (mine as? Song)?.title = "merged"
        if count == 2 { throw Refused() }
      }
    }
    #expect(songs.map(\.title) == ["a mine", "b mine"])
    #expect(#expect(throws: SaveConflict.self) { try store.saveChanges() }?.objectIDs.count == 2)
  }

  @Test func `an insert of many that fails inserts none`() throws {
    let other = try Store(backend: backend, classes: [Song.self])
    let theirs = Song("theirs")
    try other.insert(theirs)
    let mine = Song("mine")
    let id = try store.insert(mine)
    let songs = [Song("a"), mine, Song("b"), theirs, Song("c")]
    let error = #expect(throws: StoreError.self) { try store.insert(contentsOf: songs) }
    #expect(error?.code == .objectOfOtherStore)
    #expect(songs.map { $0.store === store } == [false, true, false, false, false])
    #expect(try store.count(Song.self) == 1)
    let ids = try store.insert(contentsOf: songs.filter { $0 !== theirs }.lazy)
    #expect(ids.count == 4 && ids[1] == id)
    try store.saveChanges()
    #expect(try store.fetch(ids).map { $0?.title } == ["a", "mine", "b", "c"])
  }
}
