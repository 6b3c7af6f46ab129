import TestSupport
import Testing
import Todana

/// Relationships that two stores change at the same time.
@Suite(.overEveryBackend) final class OtherStoreTests {
  private let stores: Stores
  private let mine: Store
  private let theirs: Store

  init() throws {
    stores = try Stores()
    mine = try stores.open()
    theirs = try stores.open()
  }

  deinit {
    try? mine.close(discarding: true)
    try? theirs.close(discarding: true)
  }

  private func ids(_ objects: StoredObject...) -> [AnyObjectID] { objects.compactMap(\.anyID) }

  @Test func `a new reference to an object that another store deleted is a conflict`() throws {
    let track = Track("So What")
    let record = Record("Kind of Blue")
    try mine.insert(track)
    try mine.insert(record)
    try mine.saveChanges()
    try mine.update(record) { $0.tracks = [track] }
    try theirs.delete([try #require(track.id)])
    try theirs.saveChanges()
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == ids(track))
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(try theirs.verify().isSound)
    let third = try stores.open()
    defer { try? third.close() }
    let found = try #require(try third.fetch(Record.self).first)
    for track in found.tracks { try track.loadContent() }
  }

  @Test func `a delete of an object to which another store added a reference is a conflict`() throws {
    let track = Track("So What")
    try mine.insert(track)
    try mine.saveChanges()
    try mine.delete(track)
    let fault = try theirs.fault(try #require(track.id))
    try theirs.insert(Record("Kind of Blue", [fault]))
    try theirs.saveChanges()
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == ids(track))
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    let third = try stores.open()
    defer { try? third.close() }
    #expect(try third.fetch(Record.self).map(\.tracks.count) == [0])
    #expect(try third.count(Track.self) == 0)
  }

  @Test func `the other store's reference keeps an object alive`() throws {
    let track = Track("So What")
    try mine.insert(track)
    try mine.saveChanges()
    try mine.delete(track)
    try theirs.insert(Record("Kind of Blue", [try theirs.fault(try #require(track.id))]))
    try theirs.saveChanges()
    #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    try mine.refresh(keeping: .theirs)
    try mine.saveChanges()
    #expect(try mine.count(Track.self) == 1 && mine.fetch(Record.self).map(\.tracks) == [[track]])
  }

  @Test func `saves that add references to the same object do not conflict`() throws {
    let track = Track("So What")
    try mine.insert(track)
    try mine.saveChanges()
    try mine.insert(Record("One", [track]))
    try theirs.insert(Record("Two", [try theirs.fault(try #require(track.id))]))
    try mine.saveChanges()
    try theirs.saveChanges()
    #expect(try track.referrers(\Record.tracks).map(\.title) == ["One", "Two"])
  }

  @Test func `a delete that removes all references goes through`() throws {
    let tracks = (1...10).map { Track("Track \($0)") }
    for track in tracks { try mine.insert(track) }
    for number in 0..<10 { try mine.insert(Record("\(number)", Array(tracks[number...]))) }
    try mine.saveChanges()
    try theirs.insert(Record("Other", [try theirs.fault(try #require(tracks[9].id))]))
    try theirs.saveChanges()
    try mine.delete(tracks[2...6])
    try mine.saveChanges()
    #expect(try theirs.fetch(Track.self).count == 5)
    let third = try stores.open()
    defer { try? third.close() }
    for record in try third.fetch(Record.self) {
      for track in record.tracks { try track.loadContent() }
    }
  }

  @Test func `a rule changes the newest state of an owner`() throws {
    let (track, note) = (Track("So What"), Note("Note"))
    (note.about, note.lazy) = (nil, [track])
    note.others = [track]
    try mine.insert(track)
    try mine.insert(note)
    try mine.saveChanges()
    let stale = try #require(try theirs.fetch(Note.self).first)
    try mine.update(note) { $0.others = [] }
    try mine.saveChanges()
    try theirs.delete(try theirs.fault(try #require(track.id)))
    #expect(stale.others.isEmpty && stale.lazy.isEmpty)
    try theirs.saveChanges()
    #expect(try theirs.verify().problemCount == 0)
  }

  @Test func `one refresh resolves a conflict with a stale owner`() throws {
    let (track, record) = (Track("So What"), Record("Blue"))
    try mine.insert(track)
    try mine.insert(record)
    try mine.saveChanges()
    try mine.delete(track)
    try theirs.update(try #require(try theirs.fetch(Record.self).first)) {
      $0.tracks = [try theirs.fault(try #require(track.id))]
    }
    try theirs.saveChanges()
    #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(record.tracks.isEmpty)
  }

  @Test(arguments: [ConflictResolution.mine, .theirs])
  func `an insert that is made again meets a row that is there again`(side: ConflictResolution) throws {
    mine.undoStack = UndoStack()
    let track = Track("So What")
    try mine.insert(track)
    try mine.saveChanges()
    let other = try #require(try theirs.fetch(Track.self).first)
    try mine.undo()
    try mine.saveChanges()
    try theirs.update(other) { $0.title = "Nardis" }
    #expect(throws: SaveConflict.self) { try theirs.saveChanges() }
    try theirs.refresh(keeping: .mine)
    try theirs.saveChanges()
    try mine.redo()
    #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    try mine.refresh(keeping: side)
    try mine.saveChanges()
    let third = try stores.open()
    defer { try? third.close() }
    #expect(try third.fetch(Track.self).map(\.title) == [side == .mine ? "So What" : "Nardis"])
  }
}
