import TestSupport
import Testing
import Todana

@Suite(.overEveryBackend) final class DeleteRuleTests {
  private let stores: Stores
  private let store: Store

  init() throws {
    stores = try Stores()
    store = try stores.open()
  }

  deinit { try? store.close(discarding: true) }

  private func insert(_ objects: StoredObject..., saving: Bool) throws {
    for object in objects { try store.insert(object) }
    if saving { try store.saveChanges() }
  }

  private func ids(_ objects: StoredObject...) -> [AnyObjectID] { objects.compactMap(\.anyID) }

  @Test(arguments: [false, true])
  func `deleting an owner deletes its targets`(isSaved: Bool) throws {
    let tracks = (1...3).map { Track("Track \($0)") }
    let record = Record("Blue", tracks)
    try insert(tracks[0], tracks[1], tracks[2], record, saving: isSaved)
    let other = Track("Other")
    try insert(other, saving: false)
    try store.delete(record)
    #expect(try store.fetch(Track.self).map(\.title) == ["Other"])
    try store.saveChanges()
    #expect(try store.fetch(Track.self).map(\.title) == ["Other"])
    #expect(try store.count(Record.self) == 0)
  }

  @Test(arguments: [false, true], [false, true])
  func `deleting a target removes it from lists`(isSaved: Bool, byID: Bool) throws {
    let tracks = (1...3).map { Track("Track \($0)") }
    let record = Record("Blue", [tracks[0], tracks[1], tracks[0], tracks[2]])
    try insert(tracks[0], tracks[1], tracks[2], record, saving: isSaved)
    if byID {
      #expect(try store.delete([try #require(tracks[0].id)]) == 1)
    } else {
      try store.delete(tracks[0])
    }
    #expect(record.tracks.map(\.title) == ["Track 2", "Track 3"])
    try store.saveChanges()
    let again = try Store(backend: store.backend, classes: libraryClasses)
    let found = try #require(try again.fetch(Record.self).first)
    try again.load(found.tracks)
    #expect(found.tracks.map(\.title) == ["Track 2", "Track 3"])
  }

  @Test func `targets apart are deleted, some of which have references`() throws {
    let tracks = (1...9).map { Track("Track \($0)") }
    for track in tracks { try store.insert(track) }
    try insert(Record("Blue", [tracks[0], tracks[4], tracks[5]]), saving: true)
    try store.delete([tracks[0], tracks[2], tracks[4], tracks[6], tracks[8]])
    try store.saveChanges()
    #expect(try store.fetch(Track.self).map(\.title) == ["Track 2", "Track 4", "Track 6", "Track 8"])
    #expect(try store.fetch(Record.self).map { $0.tracks.map(\.title) } == [["Track 6"]])
    #expect(try store.verify().isSound)
  }

  @Test(arguments: [false, true])
  func `references become nil`(isSaved: Bool) throws {
    let genre = Genre("Jazz")
    let track = Track("So What")
    track.genre = genre
    try insert(genre, track, saving: isSaved)
    #expect(genre.tracks == [track])
    try store.delete(genre)
    #expect(track.genre == nil)
    #expect(try store.count(Genre.self) == 0)
    try store.saveChanges()
    #expect(try store.count(Track.where { $0.genre == nil }) == 1)
  }

  @Test func `owners that are not in memory are changed`() throws {
    let track = Track("So What")
    let others = (1...3).map { Track("Other \($0)") }
    try insert(track, others[0], others[1], others[2], saving: true)
    let ids = try (1...20).map { try store.insert(Record("Record \($0)", [others[0], track, others[$0 % 3]])) }
    try store.saveChanges()
    let second = try Store(backend: store.backend, classes: libraryClasses)
    try second.delete([try #require(track.id)])
    try second.saveChanges()
    let third = try Store(backend: store.backend, classes: libraryClasses)
    for id in ids {
      let record = try #require(try third.fetch(id))
      #expect(record.tracks.count == 2)
    }
    #expect(try third.count(Track.self) == 3)
  }

  @Test(arguments: [false, true])
  func `owners are deleted with their targets`(isSaved: Bool) throws {
    let track = Track("So What")
    let record = Record("Kind of Blue", [track])
    let reviews = ["Good", "Better"].map { Review($0, of: track) }
    try insert(track, record, reviews[0], reviews[1], saving: isSaved)
    #expect(track.reviews == reviews && track.records == [record])
    try store.delete(record)
    #expect(try store.count(Review.self) == 0 && store.count(Track.self) == 0)
    try store.saveChanges()
    #expect(try store.count(Review.self) == 0)
  }

  @Test(arguments: [false, true])
  func `referrers forbid a delete`(isSaved: Bool) throws {
    let (track, record) = (Track("So What"), Record("Kind of Blue"))
    record.tracks = [track]
    let shop = Shop("Records", [record])
    try insert(track, record, shop, saving: isSaved)
    let review = Review("Good", of: track)
    try insert(review, saving: false)
    let error = #expect(throws: StoreError.self) { try store.delete(record) }
    #expect(error?.code == .deleteDenied && error?.objectIDs == ids(shop))
    let other = #expect(throws: StoreError.self) { try store.delete(shop) }
    #expect(other?.code == .deleteDenied && other?.objectIDs == ids(record))
    #expect(throws: StoreError.self) { try store.delete([try #require(record.id)]) }
    #expect(try store.count(Track.self) == 1 && store.count(Review.self) == 1 && record.tracks == [track])
    // Deleted together, nothing is in the way.
    try store.delete([shop, record] as [StoredObject])
    try store.saveChanges()
    for type in libraryClasses { #expect(try store.count(type) == 0) }
  }

  @Test func `a refusal names an object that has targets which stay`() throws {
    let records = [Record("A"), Record("B")]
    let shops = [Shop("First", [records[0]]), Shop("Second", [records[1]])]
    for object in records + shops as [StoredObject] { try store.insert(object) }
    try store.saveChanges()
    // The first shop's record is deleted as well.
    let error = #expect(throws: StoreError.self) {
      try store.delete([shops[0], shops[1], records[0]] as [StoredObject])
    }
    #expect(error?.code == .deleteDenied && error?.rowID == shops[1].id?.rowID)
    #expect(error?.objectIDs == ids(records[1]))
  }

  @Test func `lists of any class and lazy lists lose deleted objects`() throws {
    let (track, genre, note) = (Track("So What"), Genre("Jazz"), Note("Notes"))
    note.others = [track, genre]
    note.lazy = [track]
    note.about = track
    try insert(track, genre, note, saving: true)
    try store.delete(genre)
    #expect(note.others == [track])
    try store.delete(track)
    #expect(note.others.isEmpty && note.lazy.isEmpty)
    try store.saveChanges()
    let again = try Store(backend: store.backend, classes: libraryClasses)
    let found = try #require(try again.fetch(Note.self).first)
    #expect(found.others.isEmpty && found.lazy.isEmpty && found.about == nil)
  }

  @Test func `a savepoint undoes the effects of rules`() throws {
    let tracks = (1...3).map { Track("Track \($0)") }
    let record = Record("Blue", tracks)
    let review = Review("Good", of: tracks[1])
    try insert(tracks[0], tracks[1], tracks[2], record, review, saving: true)
    #expect(throws: CancellationError.self) {
      try store.savepoint {
        try store.delete(tracks[1])
        #expect(record.tracks.count == 2)
        throw CancellationError()
      }
    }
    #expect(record.tracks == tracks && !store.hasUnsavedChanges)
    #expect(try store.count(Review.self) == 1)
    try store.delete(record)
    store.discardChanges()
    #expect(record.tracks == tracks)
    #expect(try store.count(Track.self) == 3 && store.count(Review.self) == 1)
  }

  @Test func `all objects of a class of targets can be deleted only without referrers`() throws {
    let track = Track("So What")
    let record = Record("Kind of Blue", [track])
    try insert(track, record, saving: true)
    let error = #expect(throws: StoreError.self) { try store.removeAll(Track.self) }
    #expect(error?.code == .deleteDenied && error?.objectIDs == ids(record))
    try store.update(record) { $0.tracks = [] }
    #expect(try store.removeAll(Track.self) == 1)
    try store.saveChanges()
    #expect(try store.count(Track.self) == 0)
  }

  @Test func `a store without the owners' class refuses a delete`() throws {
    let (track, free) = (Track("So What"), Track("Free"))
    let record = Record("Kind of Blue", [track])
    try insert(track, free, record, saving: true)
    let second = try Store(backend: store.backend, classes: [Track.self, Genre.self])
    let error = #expect(throws: StoreError.self) { try second.delete([try #require(track.id)]) }
    #expect(error?.code == .unknownClass)
    try second.delete([try #require(free.id)])
    try second.saveChanges()
    #expect(try second.count(Track.self) == 1)
  }

  @Test func `objects that are deleted by rules are not loaded`() throws {
    let tracks = (1...3).map { Track("Track \($0)") }
    let record = Record("Blue", tracks)
    try insert(tracks[0], tracks[1], tracks[2], record, saving: true)
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    let faults = try tracks.map { try second.fault(try #require($0.id)) }
    try second.delete([try #require(record.id)])
    #expect(faults.allSatisfy { $0.isFault })
    #expect(try second.count(Track.self) == 0 && second.count(Record.self) == 0)
    // Another store changes one of the deleted objects first, which is a conflict.
    try store.update(tracks[0]) { $0.title = "Changed" }
    try store.saveChanges()
    #expect(throws: SaveConflict.self) { try second.saveChanges() }
    second.discardChanges()
    try second.delete([try #require(record.id)])
    try second.saveChanges()
    #expect(try store.count(Track.self) == 0)
  }

  @Test func `a kept reference reads as nil, and leads to the object again if that returns`() throws {
    let (track, note) = (Track("So What"), Note("Note"))
    note.about = track
    try insert(track, note, saving: true)
    store.undoStack = UndoStack()
    try store.delete(track)
    try store.saveChanges()
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    #expect(try second.fetch(Note.self).map(\.about) == [nil])
    #expect(try second.fetch(Note.where { $0.about == nil }).count == 1)
    try store.undo()
    try store.saveChanges()
    let third = try stores.open()
    defer { try? third.close(discarding: true) }
    #expect(try third.fetch(Note.self, loading: \.about).map { $0.about?.title } == ["So What"])
    // An owner that is saved without the object loses the reference.
    try store.delete(track)
    try store.update(note) { $0.text = "Other" }
    try store.saveChanges()
    try third.refresh()
    #expect(try third.fetch(Note.self).map(\.about) == [nil])
    #expect(try third.verify().problemCount == 0)
  }

  @Test func `an owner whose record cannot be read takes its targets with it`() throws {
    guard let backend = store.backend as? FaultyBackend else { return }
    let tracks = (1...3).map { Track("Track \($0)") }
    let records = [Record("Blue", [tracks[0], tracks[1]]), Record("Green", [tracks[2]])]
    for object in tracks + records as [StoredObject] { try store.insert(object) }
    try store.saveChanges()
    let ids = records.compactMap(\.id)
    try store.close()
    backend.openAgain()
    backend.damage(ids[0].rowID, of: ids[0].classID)
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    try second.delete([ids[0]])
    try second.saveChanges()
    #expect(try second.fetch(Track.self).map(\.title) == ["Track 3"])
    #expect(try second.fetch(Record.self).map(\.title) == ["Green"])
  }
}
