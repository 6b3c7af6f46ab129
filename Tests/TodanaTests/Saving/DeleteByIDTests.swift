import TestSupport
import Testing
import Todana

private final class Careful: StoredObject {
  nonisolated(unsafe) static var prepared = 0
  override func prepareForDelete(in store: Store) throws { unsafe Self.prepared += 1 }
}

@Suite(.plainAndEncrypted) struct DeleteByIDTests {
  @Test(arguments: Flaw.allCases, [false, true])
  func `unreadable objects can be deleted`(_ flaw: Flaw, isIndexed: Bool) throws {
    // A newer version has other indexes.
    if isIndexed, flaw == .newerVersion { return }
    let melodies = try Melodies(
      300, unreadable: 12, flaw, writtenBy: isIndexed ? FormerIndexedMelody.self : FormerMelody.self)
    let type: AnyMelody.Type = isIndexed ? IndexedMelody.self : Melody.self
    let store = try Store(backend: melodies.backend, classes: [type])
    let untyped = melodies.unreadable.map { AnyObjectID(classID: melodies.classID, rowID: $0) }
    // Discarding the deletion restores the previous state.
    #expect(try store.delete(untyped) == 12)
    #expect(try store.count(type) == 288)
    store.discardChanges()
    #expect(try store.count(type) == 300)
    #expect(throws: StoreError.self) { try store.fetch(type) }

    let readable = try #require(melodies.readable.first)
    let ids = melodies.ids(melodies.unreadable.sorted() + [readable.rowID, readable.rowID, 9999])
    #expect(try store.delete(ids) == 13)
    #expect(try store.delete(ids) == 0)
    #expect(try store.count(type) == 287)
    try store.saveChanges()
    #expect(try store.count(type) == 287)
    #expect(try store.fetch(type).count == 287)
    let report = try store.verify()
    #expect(report.isSound && report.problems.isEmpty)
    #expect(try store.indexes.allSatisfy { $0.entryCount == 287 })
    #expect(try store.delete(ids) == 0 && !store.hasUnsavedChanges)
    // The unique values of the deleted objects are free again.
    for rowID in melodies.unreadable.union([readable.rowID]) {
      let again = type.init()
      again.title = try #require(melodies.all[rowID]?.title)
      try store.insert(again)
    }
    try store.saveChanges()
    #expect(try store.count(type) == 300)
    #expect(try store.indexes.allSatisfy { $0.entryCount == 300 })
  }

  @Test func `an object that was deleted without being loaded is not fetched`() throws {
    let backend = FaultyBackend()
    let writer = try Store(backend: backend, classes: [Song.self])
    let songs = (0..<3).map { Song("\($0)") }
    for song in songs { try writer.insert(song) }
    try writer.saveChanges()
    let ids = try songs.map { try #require($0.id) }
    let store = try Store(backend: backend, classes: [Song.self])
    #expect(try store.delete([ids[1]]) == 1)
    #expect(try store.fetch(ids[1]) == nil)
    #expect(try store.fetch(ids).map { $0?.title } == ["0", nil, "2"])
    #expect(try store.fetch(ids[1], includingPending: false)?.title == "1")
    store.discardChanges()
    #expect(try store.fetch(ids[1])?.title == "1")
  }

  @Test func `an object in memory is deleted by id without a call of prepareForDelete`() throws {
    unsafe Careful.prepared = 0
    let backend = FaultyBackend()
    let store = try Store(backend: backend, classes: [Careful.self, Song.self])
    let careful = Careful()
    try store.insert(careful)
    let loaded = Song("loaded"), changed = Song("changed")
    try store.insert(loaded)
    try store.insert(changed)
    try store.saveChanges()
    let pending = Song("pending")
    let pendingID = try store.insert(pending)
    let savedIDs = try [#require(loaded.id), #require(changed.id)]
    let carefulID = try #require(careful.anyID)
    try store.update(changed) { $0.title = "changed again" }
    #expect(try store.delete([carefulID]) == 1)
    #expect(try store.delete([pendingID] + savedIDs) == 3)
    #expect(unsafe Careful.prepared == 0)
    #expect(pending.id == nil && pending.title == "pending")
    #expect(
      try store.fetch(savedIDs).allSatisfy { $0 == nil } && store.fetch(carefulID) == nil && loaded.title == "loaded")
    store.discardChanges()
    #expect(try store.fetch(savedIDs).map { $0?.title } == ["loaded", "changed"])
    #expect(try store.delete(savedIDs) == 2)
    try store.saveChanges()
    #expect(loaded.id == nil && loaded.title == "loaded")
    #expect(try store.count(Song.self) == 0 && store.count(Careful.self) == 1)
    // After it is inserted again, deleting the object checks for conflicts again.
    try store.insert(loaded)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    let loadedID = try #require(loaded.id)
    try other.update(#require(try other.fetch(loadedID))) { $0.title = "of the other" }
    try other.saveChanges()
    try store.delete(loaded)
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    // Deletion by id ignores conflicts.
    store.discardChanges()
    #expect(try store.delete([loadedID]) == 1)
    try other.update(#require(try other.fetch(Song.self).first)) { $0.title = "once more" }
    try other.saveChanges()
    try store.saveChanges()
    #expect(try store.count(Song.self) == 0)
  }

  @Test func `a row that others change or delete concurrently is deleted with its entries`() throws {
    let melodies = try Melodies(50, unreadable: 0, .unknownContent, writtenBy: FormerIndexedMelody.self)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    let other = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    let rows = melodies.readable.map(\.rowID)
    #expect(try store.delete(melodies.ids(rows.prefix(3))) == 3)
    try other.update(#require(try other.fetch(melodies.id(rows[0], as: IndexedMelody.self)))) { $0.seconds = 9999 }
    try other.delete(#require(try other.fetch(melodies.id(rows[1], as: IndexedMelody.self))))
    try other.saveChanges()
    try store.saveChanges()
    #expect(try store.count(IndexedMelody.self) == 47)
    #expect(try store.verify().isSound)
  }

  @Test func `a delete by identity survives a failed flush`() throws {
    let melodies = try Melodies(20, unreadable: 2, .unknownContent, writtenBy: FormerIndexedMelody.self)
    let store = try Store(backend: melodies.backend, classes: [IndexedMelody.self])
    #expect(try store.delete(melodies.ids(melodies.unreadable)) == 2)
    melodies.backend.failFlush(isApplied: false)
    #expect(throws: StoreError.self) { try store.saveChanges() }
    try store.reopen()
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try store.count(IndexedMelody.self) == 18)
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases)
  func `an index of any backend skips unreadable rows, which can be deleted`(_ kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    do {
      let former = try Store(backend: backend, classes: [FormerMelody.self])
      for index in 0..<3000 {
        let melody = FormerMelody()
        (melody.title, melody.seconds) = ("melody \(index)", UInt32(index))
        if index % 500 == 7 { melody.mood = 2 }
        try former.insert(melody)
      }
      try former.saveChanges()
    }
    let store = try Store(backend: backend, classes: [IndexedMelody.self])
    #expect(try store.indexes.allSatisfy { $0.isComplete && $0.skippedRowCount == 6 && $0.entryCount == 2994 })
    var unreadable: [AnyObjectID] = []
    let policy = DamagePolicy.report { error in
      if let id = store.objectID(of: error) { unreadable.append(id) }
    }
    #expect(try store.count(IndexedMelody.where { $0.seconds < 100 }, onDamage: policy) == 99)
    #expect(unreadable.count == 6)
    #expect(try store.indexes.allSatisfy { $0.skippedRows == unreadable.map(\.rowID) })
    #expect(try store.delete(unreadable) == 6)
    try store.saveChanges()
    #expect(try store.count(IndexedMelody.where { $0.seconds < 100 }) == 99)
    #expect(try store.verify().isSound)
    try store.close()
  }

  @Test func `an identity of another class is refused`() throws {
    let melodies = try Melodies(2, unreadable: 0, .unknownContent)
    let store = try Store(backend: melodies.backend, classes: [Melody.self, Song.self])
    let rowID = try #require(melodies.readable.first?.rowID)
    let wrong = ObjectID<Song>(unchecked: AnyObjectID(classID: melodies.classID, rowID: rowID))
    #expect(throws: StoreError.self) { try store.delete([wrong]) }
    #expect(throws: StoreError.self) { try store.delete([AnyObjectID(classID: KeyspaceID(rawValue: 77), rowID: 1)]) }
    #expect(!store.hasUnsavedChanges)
  }
}
