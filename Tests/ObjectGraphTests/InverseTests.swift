import TestSupport
import Testing
import Todana

@Suite(.overEveryBackend) final class InverseTests {
  private let stores: Stores
  private let store: Store
  private let tracks = (1...5).map { Track("Track \($0)") }
  private let records: [Record]

  init() throws {
    stores = try Stores()
    store = try stores.open()
    records = [
      Record("A", [tracks[0], tracks[1], tracks[0]]), Record("B", [tracks[1], tracks[2]]), Record("C", [tracks[1]]),
      Record("D"),
    ]
    for object in tracks + records as [StoredObject] { try store.insert(object) }
    try store.saveChanges()
  }

  deinit { try? store.close(discarding: true) }

  private func titles(
    in store: Store? = nil, includingPending: Bool = true, _ condition: (Properties<Track>) -> Condition<Track>
  ) throws -> [Int] {
    let query = Track.where { condition($0) }
    let found = try (store ?? self.store).fetch(query, includingPending: includingPending)
    let numbers = found.compactMap { Int($0.title.suffix(1)) }
    #expect(try (store ?? self.store).count(query) == numbers.count || !includingPending)
    return numbers
  }

  @Test func `conditions test the objects that refer to one`() throws {
    let second = try stores.open()
    defer { try? second.close() }
    for store in [store, second] {
      #expect(try titles(in: store) { $0.records.count > 1 } == [2])
      #expect(try titles(in: store) { $0.records.count == 1 } == [1, 3])
      #expect(try titles(in: store) { $0.records.isEmpty == true } == [4, 5])
      #expect(try titles(in: store) { $0.records.contains { $0.title == "B" } } == [2, 3])
      #expect(try titles(in: store) { !$0.records.contains { $0.title < "C" } } == [4, 5])
      #expect(try titles(in: store) { $0.title > "Track 1" && $0.records.contains { $0.title == "A" } } == [2])
    }
    // The references of other objects are followed from there on.
    let query = Record.where { $0.tracks.contains { $0.records.count > 2 } }
    #expect(try second.fetch(query).map(\.title) == ["A", "B", "C"])
  }

  @Test func `pending changes count`() throws {
    try store.update(records[3]) { $0.tracks = [tracks[4], tracks[0]] }
    try store.update(records[2]) { $0.tracks = [] }
    let new = Record("E", [tracks[4]])
    try store.insert(new)
    #expect(tracks[4].records == [records[3], new] && tracks[1].records == [records[0], records[1]])
    #expect(try titles { $0.records.count > 1 } == [1, 2, 5])
    #expect(try titles { $0.records.contains { $0.title == "E" } } == [5])
    #expect(try titles { $0.records.contains { $0.title == "C" } } == [])
    try store.update(tracks[3]) { $0.title = "Track 4" }
    try store.update(records[0]) { $0.tracks = [tracks[3]] }
    #expect(try titles { $0.records.contains { $0.title == "A" } } == [4])
    try store.saveChanges()
    #expect(try titles { $0.records.contains { $0.title == "A" } } == [4])
    #expect(try titles { $0.records.count > 1 } == [5])
  }

  @Test func `an inverse needs no relationship, but an index is faster`() throws {
    for number in 1...3 {
      let shop = Shop("Shop \(number)")
      shop.favourite = tracks[number % 2]
      try store.insert(shop)
    }
    for isSaved in [false, true] {
      if isSaved { try store.saveChanges() }
      #expect(tracks[1].notes.map(\.name) == ["Shop 1", "Shop 3"])
      #expect(try titles { $0.notes.count > 1 } == [2])
    }
    #expect(try tracks[0].referrers(\Note.about) == [])
    // The number of referring objects cannot be sorted by, because it is not known when a query is planned.
    #expect(throws: StoreError.self) { try store.fetch(Track.all.sorted(by: \.records.count)) }
  }

  @Test func `live results follow the referring objects`() async throws {
    let query = Track.where { $0.records.count > 1 }
    var changes = store.observe(query).makeAsyncIterator()
    #expect(try await changes.next()?.objects().map(\.title) == ["Track 2"])
    try store.update(records[3]) { $0.tracks = [tracks[2]] }
    try store.saveChanges()
    #expect(try await changes.next()?.objects().map(\.title) == ["Track 2", "Track 3"])
  }

  @Test func `a description leaves inverses out`() throws {
    #expect(!tracks[0].description.contains("records"))
  }

  @Test func `all kinds of references have an inverse`() throws {
    let (genre, track) = (Genre("Jazz"), tracks[0])
    let review = Review("Good", of: track)
    try store.insert(genre)
    try store.insert(review)
    try store.update(track) { $0.genre = genre }
    let shop = Shop("Shop", [records[0]])
    let note = Note("Note")
    note.lazy = [track]
    note.others = [track, genre]
    try store.insert(shop)
    try store.insert(note)
    for isSaved in [false, true] {
      if isSaved { try store.saveChanges() }
      #expect(track.reviews == [review] && genre.tracks == [track])
      #expect(try records[0].referrers(\Shop.stock) == [shop] && track.referrers(\Note.lazy) == [note])
      #expect(try (genre as StoredObject).referrers(\Note.others) == [note])
      #expect(try titles { $0.reviews.count == 1 } == [1])
    }
  }
}
