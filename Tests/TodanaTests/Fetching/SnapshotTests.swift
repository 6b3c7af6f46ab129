import Synchronization
import TestSupport
import Testing
import Todana

/// Several reads of one commit with `withSnapshot`.
@Suite struct SnapshotTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Makes two stores over one backend with three saved songs, "0" to "2", and a named buffer "list" of 1.
  private func stores(_ kind: EveryBackend) throws -> (mine: Store, theirs: Store, ids: [ObjectID<Song>]) {
    let backend = try kind.open(in: directory)
    let theirs = try Store(backend: backend, classes: [Song.self, Node.self])
    let ids = try (0..<3).map { try theirs.insert(Song("\($0)")) }
    try theirs.writeNamedBuffer("list") { $0.writeUInt32(1) }
    try theirs.saveChanges()
    return (try Store(backend: backend, classes: [Song.self, Node.self]), theirs, ids)
  }

  /// Renames song 0, deletes song 1, inserts a song and the first node, and changes and adds named buffers.
  private func changeEverything(_ store: Store, _ ids: [ObjectID<Song>]) throws {
    let first = try #require(try store.fetch(ids[0]))
    try store.update(first) { $0.title = "renamed" }
    try store.delete(try #require(try store.fetch(ids[1])))
    try store.insert(Song("new"))
    try store.insert(Node())
    try store.writeNamedBuffer("list") { $0.writeUInt32(2) }
    try store.writeNamedBuffer("another") { $0.writeUInt32(3) }
    try store.saveChanges()
  }

  @Test(arguments: EveryBackend.allCases)
  func `every read in the closure has the state at its start`(_ kind: EveryBackend) throws {
    let (mine, theirs, ids) = try stores(kind)
    let newID = ObjectID<Song>(unchecked: AnyObjectID(classID: ids[0].classID, rowID: ids[2].rowID + 1))
    try mine.withSnapshot {
      try changeEverything(theirs, ids)
      #expect(try mine.count(Song.self) == 3)
      #expect(try mine.fetch(ids[0])?.title == "0")
      #expect(try mine.fetch(ids + [newID]).map { $0?.title } == ["0", "1", "2", nil])
      #expect(try mine.fetch(newID) == nil)
      #expect(try mine.fetch(Song.self).map(\.title) == ["0", "1", "2"])
      #expect(try mine.fetch(Node.self).isEmpty)
      #expect(try mine.count(Node.self) == 0)
      var streamed: Set<String> = []
      try mine.forEach(Song.self) { song, _ in streamed.insert(song.title) }
      #expect(streamed == ["0", "1", "2"])
      let fault = try mine.fault(ids[1])
      try fault.loadContent()
      #expect(fault.title == "1")
      #expect(try mine.readNamedBuffer("list") { try $0.readUInt32() } == 1)
      #expect(try mine.readNamedBuffer("another") { try $0.readUInt32() } == nil)
      #expect(try mine.namedBufferNames() == ["list"])
      var rawCount = 0
      try mine.rawRecords(ofClassNamed: "Song") { _, _ in rawCount += 1 }
      #expect(rawCount == 3)
      #expect(try mine.catalog[Song.self]?.recordCount == 3)
      #expect(try mine.catalog[Node.self]?.recordCount == 0)
    }
    #expect(try mine.fetch(Song.self).map(\.title) == ["renamed", "2", "new"])
    #expect(try mine.count(Node.self) == 1)
    #expect(try mine.readNamedBuffer("list") { try $0.readUInt32() } == 2)
    #expect(try mine.namedBufferNames() == ["another", "list"])
  }

  @Test(arguments: EveryBackend.allCases)
  func `pending changes are visible within a snapshot`(_ kind: EveryBackend) throws {
    let (mine, theirs, ids) = try stores(kind)
    let victim = try #require(try mine.fetch(ids[2]))
    try mine.withSnapshot {
      try theirs.insert(Song("theirs"))
      try theirs.saveChanges()
      try mine.insert(Song("pending"))
      try mine.delete(victim)
      #expect(try mine.fetch(Song.self).map(\.title) == ["0", "1", "pending"])
      #expect(try mine.count(Song.self) == 3)
      #expect(try mine.fetch(Song.self, includingPending: false).map(\.title) == ["0", "1", "2"])
      #expect(try mine.count(Song.self, includingPending: false) == 3)
    }
    #expect(try mine.fetch(Song.self).map(\.title) == ["0", "1", "theirs", "pending"])
  }

  @Test(arguments: EveryBackend.allCases)
  func `loaded objects keep their content, and refresh brings them to the snapshot`(_ kind: EveryBackend) throws {
    let (mine, theirs, ids) = try stores(kind)
    let song = try #require(try mine.fetch(ids[0]))
    let theirSong = try #require(try theirs.fetch(ids[0]))
    try theirs.update(theirSong) { $0.title = "second" }
    try theirs.saveChanges()
    try mine.withSnapshot {
      try theirs.update(theirSong) { $0.title = "third" }
      try theirs.saveChanges()
      #expect(try mine.fetch(ids[0])?.title == "0")
      #expect(try mine.fetch(Song.self).first === song)
      try mine.refresh()
      #expect(song.isFault)
      #expect(try mine.fetch(ids[0])?.title == "second")
    }
    #expect(song.title == "second")
    try mine.refresh()
    #expect(try mine.fetch(ids[0]) === song)
    #expect(song.title == "third")
  }

  @Test(arguments: EveryBackend.allCases, [true, false])
  func `saving an object that changed since the snapshot is a conflict`(_ kind: EveryBackend, isInside: Bool) throws {
    let (mine, theirs, ids) = try stores(kind)
    let song = try mine.withSnapshot {
      try changeEverything(theirs, ids)
      let song = try #require(try mine.fetch(ids[0]))
      let unchanged = try #require(try mine.fetch(ids[2]))
      #expect(song.title == "0")
      try mine.update(song) { $0.title = "mine" }
      try mine.update(unchanged) { $0.title = "mine too" }
      _ = try mine.readNamedBuffer("list") { _ in }
      try mine.writeNamedBuffer("list") { $0.writeUInt32(4) }
      if isInside {
        let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
        #expect(conflict?.objectIDs == [ids[0].untyped])
      }
      return song
    }
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == [ids[0].untyped])
    #expect(conflict?.bufferNames == ["list"])
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    try theirs.refresh()
    #expect(try theirs.fetch(ids[0])?.title == "mine")
    #expect(try theirs.fetch(ids[2])?.title == "mine too")
    #expect(song.title == "mine")
  }

  @Test(arguments: EveryBackend.allCases)
  func `a save of the store itself moves the closure to a state with this save`(_ kind: EveryBackend) throws {
    let (mine, theirs, ids) = try stores(kind)
    try mine.withSnapshot {
      let id = try mine.insert(Song("saved within"))
      try mine.delete(try #require(try mine.fetch(ids[0])))
      try mine.saveChanges()
      #expect(try mine.fetch(Song.self).map(\.title) == ["1", "2", "saved within"])
      #expect(try mine.count(Song.self) == 3)
      #expect(try mine.fetch(id)?.title == "saved within")
      // From here on, reads see the state after this save.
      try theirs.insert(Song("theirs"))
      try theirs.saveChanges()
      #expect(try mine.count(Song.self) == 3)
    }
    #expect(try mine.count(Song.self) == 4)
  }

  @Test(arguments: EveryBackend.allCases)
  func `a nested snapshot has the state of the outer one`(_ kind: EveryBackend) throws {
    let (mine, theirs, ids) = try stores(kind)
    try mine.withSnapshot {
      try changeEverything(theirs, ids)
      let count = try mine.withSnapshot { try mine.count(Node.self) }
      #expect(count == 0)
      // The end of the inner snapshot must not end the outer one.
      #expect(try mine.count(Node.self) == 0)
      #expect(try mine.fetch(ids[0])?.title == "0")
    }
    #expect(try mine.count(Node.self) == 1)
  }

  @Test(.plainAndEncrypted) func `the snapshot is released at the end, also if the closure throws`() throws {
    struct Refusal: Error {}
    let backend = FaultyBackend()
    let store = try Store(backend: backend, classes: [Song.self])
    try store.insert(Song("a"))
    try store.saveChanges()
    try store.withSnapshot { #expect(backend.openSnapshotCount == 1) }
    #expect(backend.openSnapshotCount == 0)
    #expect(throws: Refusal.self) {
      try store.withSnapshot {
        #expect(try store.count(Song.self) == 1)
        throw Refusal()
      }
    }
    #expect(backend.openSnapshotCount == 0)
    let other = try Store(backend: backend, classes: [Song.self])
    try other.insert(Song("b"))
    try other.saveChanges()
    #expect(try store.count(Song.self) == 2)
  }

  @Test func `reopening or closing within the closure ends its reads`() throws {
    let backend = try KyotoBackend(.inMemory)
    let store = try Store(backend: backend, classes: [Song.self])
    try store.withSnapshot {
      try store.close()
      let error = #expect(throws: StoreError.self) { try store.count(Song.self) }
      #expect(error?.code == .closed)
    }
    let path = directory.path("Store.todana")
    let reopened = try Store(.directory(path), classes: [Song.self])
    try reopened.insert(Song("a"))
    try reopened.saveChanges()
    try reopened.withSnapshot {
      #expect(try reopened.count(Song.self) == 1)
      try reopened.backend.reopen()
      let error = #expect(throws: StoreError.self) { try reopened.count(Song.self) }
      #expect(error?.backendError?.code == .snapshotEnded)
    }
    #expect(try reopened.count(Song.self) == 1)
    try backend.close()
  }

  // Guards against reading each class from its own snapshot.
  @Test(.plainAndEncrypted) func `a fetch with subclasses reads one state`() throws {
    let backend = FaultyBackend()
    let writer = try Store(backend: backend, classes: [Track.self, LiveTrack.self])
    let damaged = try writer.insert(Track())
    try writer.insert(LiveTrack())
    try writer.saveChanges()
    backend.damage(damaged.rowID, of: damaged.classID)
    let reader = try Store(backend: backend, classes: [Track.self, LiveTrack.self])
    var reports = 0
    let policy = DamagePolicy.report { _ in
      // Called between the two classes: saves one more object of the second class.
      reports += 1
      _ = try? writer.insert(LiveTrack())
      try? writer.saveChanges()
    }
    let tracks = try reader.fetch(Track.self, includingSubclasses: true, onDamage: policy)
    #expect(reports == 1)
    #expect(tracks.count == 1)
    #expect(try reader.count(Track.self, includingSubclasses: true) == 3)
  }

  // Guards against reading the songs from a newer commit than the playlists, in which some songs are gone.
  @Test(.plainAndEncrypted) func `objects and the objects they refer to are fetched in one state`() throws {
    let backend = FaultyBackend()
    let writer = try Store(backend: backend, classes: [HookedList.self, Song.self])
    let list = HookedList()
    list.songs = [Song("a"), Song("b")]
    for song in list.songs { try writer.insert(song) }
    try writer.insert(list)
    try writer.saveChanges()
    let songIDs = list.songs.compactMap(\.id)
    let reader = try Store(backend: backend, classes: [HookedList.self, Song.self])
    let hook: @Sendable () -> Void = {
      let other = try? Store(backend: backend, classes: [HookedList.self, Song.self])
      for id in songIDs { if let song = try? other?.fetch(id) { try? other?.delete(song) } }
      try? other?.saveChanges()
    }
    HookedList.whenRead.withLock { $0 = hook }
    defer { HookedList.whenRead.withLock { $0 = nil } }
    let lists = try reader.fetch(HookedList.self, loading: \.songs)
    #expect(lists.first?.songs.map(\.title) == ["a", "b"])
    #expect(try writer.count(Song.self) == 0)
  }
}

private class Track: StoredObject {}
private final class LiveTrack: Track {}

/// A playlist that calls a closure when it is read.
private final class HookedList: StoredObject {
  // Used by one test at a time. A task-local value would crash optimized tests (Swift 6.3).
  static let whenRead = Mutex<(@Sendable () -> Void)?>(nil)
  var songs: [Song] = []

  override func readContent(from buffer: inout DataBuffer) throws {
    songs = try buffer.readReferences(Song.self)
    // Take the closure before the call, because the closure reads lists as well.
    Self.whenRead.withLock { $0.take() }?()
  }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeReferences(songs) }
}
