import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct ConflictTests {
  let backend = FaultyBackend()
  let mine: Store
  let theirs: Store
  let id: ObjectID<Song>
  let song: Song
  let theirSong: Song

  init() throws {
    mine = try Store(backend: backend, classes: [Song.self])
    theirs = try Store(backend: backend, classes: [Song.self])
    id = try mine.insert(Song("saved", seconds: 1))
    try mine.saveChanges()
    song = try #require(try mine.fetch(id))
    theirSong = try #require(try theirs.fetch(id))
  }

  enum Change: CaseIterable { case update, delete }

  @Test(arguments: Change.allCases, Change.allCases)
  func `a save over another store's change is refused entirely and names the object`(
    ours: Change, others: Change
  ) throws {
    try make(others, in: theirs, to: theirSong)
    try theirs.saveChanges()
    try make(ours, in: mine, to: song)
    let unrelated = Song("unrelated")
    try mine.insert(unrelated)
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == [AnyObjectID(id)])
    #expect(mine.hasUnsavedChanges)
    #expect(try mine.count(Song.self, includingPending: false) == (others == .update ? 1 : 0))
  }

  @Test(arguments: Change.allCases, Change.allCases)
  func `keeping mine overwrites the other store's change`(ours: Change, others: Change) throws {
    try make(others, in: theirs, to: theirSong)
    try theirs.saveChanges()
    try make(ours, in: mine, to: song)
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(try titles() == (ours == .update ? ["changed by \(ObjectIdentifier(mine))"] : []))
    if ours == .update { #expect(song.id == id) }
  }

  @Test(arguments: Change.allCases, Change.allCases)
  func `keeping theirs drops this store's change`(ours: Change, others: Change) throws {
    try make(others, in: theirs, to: theirSong)
    try theirs.saveChanges()
    try make(ours, in: mine, to: song)
    try mine.refresh(keeping: .theirs)
    #expect(!mine.hasUnsavedChanges)
    try mine.saveChanges()
    if others == .update {
      #expect(try mine.fetch(id)?.title == "changed by \(ObjectIdentifier(theirs))")
      #expect(!song.isFault)
    } else {
      #expect(song.isFault)
      let error = #expect(throws: StoreError.self) { try song.loadContent() }
      #expect(error?.code == .rowNotFound)
    }
  }

  @Test func `a merge sees both sides`() throws {
    try theirs.update(theirSong) { $0.title = "theirs" }
    try theirs.saveChanges()
    try mine.update(song) { $0.seconds = 9 }
    try mine.refresh { mine, theirs in
      guard let mine = mine as? Song, let theirs = theirs as? Song else { return }
      #expect(theirs.id == nil)
      mine.title = theirs.title
    }
    try mine.saveChanges()
    let read = try #require(try Store(backend: backend, classes: [Song.self]).fetch(id))
    #expect(read.title == "theirs")
    #expect(read.seconds == 9)
  }

  @Test func `refreshing turns clean objects that others changed into faults`() throws {
    let untouched = Song("untouched")
    try mine.insert(untouched)
    try mine.saveChanges()
    try theirs.update(theirSong) { $0.title = "theirs" }
    try theirs.saveChanges()
    #expect(try mine.fetch(id)?.title == "saved")
    try mine.refresh()
    #expect(song.isFault)
    #expect(!untouched.isFault)
    #expect(try mine.fetch(id)?.title == "theirs")
    let readsBefore = backend.readCallCount
    try mine.refresh()
    #expect(backend.readCallCount == readsBefore + 1)
  }

  @Test func `a named buffer that was read conflicts like an object`() throws {
    try mine.writeNamedBuffer("b", immediately: true) { $0.writeUInt8(1) }
    #expect(try theirs.readNamedBuffer("b") { try $0.readUInt8() } == 1)
    try theirs.writeNamedBuffer("b") { $0.writeUInt8(2) }
    try theirs.saveChanges()
    try mine.writeNamedBuffer("b") { $0.writeUInt8(3) }
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.bufferNames == ["b"])
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(try mine.readNamedBuffer("b") { try $0.readUInt8() } == 3)
    #expect(throws: SaveConflict.self) {
      try theirs.writeNamedBuffer("b", immediately: true) { $0.writeUInt8(4) }
    }
    try theirs.writeNamedBuffer("b") { $0.writeUInt8(4) }
    try theirs.refresh(keeping: .theirs)
    #expect(!theirs.hasUnsavedChanges)
    #expect(try theirs.readNamedBuffer("b") { try $0.readUInt8() } == 3)
  }

  private func make(_ change: Change, in store: Store, to song: Song) throws {
    switch change {
    case .update: try store.update(song) { $0.title = "changed by \(ObjectIdentifier(store))" }
    case .delete: try store.delete(song)
    }
  }

  private func titles() throws -> [String] {
    try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title)
  }
}
