import TestSupport
import Testing
import Todana

/// A class as it was before its relationship was declared.
private final class FormerMix: StoredObject {
  var tracks: [Track] = []

  override class var storedName: String { "Mix" }
  override func readContent(from buffer: inout DataBuffer) throws { tracks = try buffer.readReferences() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeReferences(tracks) }
}

private final class Mix: StoredObject {
  var tracks: [Track] = []

  override class var relationships: [Relationship] { [Relationship(\Mix.tracks)] }
  override func readContent(from buffer: inout DataBuffer) throws { tracks = try buffer.readReferences() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeReferences(tracks) }
}

/// Relationships that are declared for a store that has objects, so that their index has to be built.
@Suite(.overEveryBackend) final class LaterRelationshipTests {
  private let stores: Stores
  private let backend: any StoreBackend

  init() throws {
    stores = try Stores()
    backend = stores.backend
    let store = try Store(backend: backend, classes: [FormerMix.self, Track.self, Genre.self])
    let tracks = (0..<20).map { Track("Track \($0)") }
    try store.insert(contentsOf: tracks)
    for number in 0..<50 {
      let mix = FormerMix()
      mix.tracks = [tracks[number % 20], tracks[(number + 7) % 20]]
      try store.insert(mix)
    }
    try store.saveChanges()
    try store.close()
  }

  private func open(_ configuration: StoreConfiguration) throws -> Store {
    try Store(backend: backend, classes: [Mix.self, Track.self, Genre.self], configuration: configuration)
  }

  private func danglingCount() throws -> Int {
    let store = try open(StoreConfiguration(indexBuilding: .onOpening))
    defer { try? store.close() }
    return try store.verify().problemCount
  }

  @Test func `deletes read all owners until the index is complete`() throws {
    let store = try open(StoreConfiguration(indexBuilding: .manual))
    defer { try? store.close(discarding: true) }
    let track = try #require(try store.fetch(Track.self).first)
    #expect(try track.referrers(\Mix.tracks).count == 5)
    try store.delete(track)
    try store.saveChanges()
    #expect(try store.fetch(Mix.self).map(\.tracks.count).reduce(0, +) == 95)
    try store.buildIndexes()
    let other = try #require(try store.fetch(Track.self).first)
    try store.delete(other)
    try store.saveChanges()
    #expect(try store.fetch(Mix.self).map(\.tracks.count).reduce(0, +) == 90)
    try store.close()
    #expect(try danglingCount() == 0)
  }

  @Test func `deletes are refused if all owners may not be read`() throws {
    let store = try open(StoreConfiguration(indexBuilding: .manual, scans: .refused(above: 10)))
    defer { try? store.close(discarding: true) }
    let track = try #require(try store.fetch(Track.self).first)
    let error = #expect(throws: StoreError.self) { try store.delete(track) }
    #expect(error?.code == .indexNotReady && error?.className == "Mix")
    #expect(throws: StoreError.self) { try store.delete([try #require(track.id)]) }
    #expect(try !store.hasUnsavedChanges && store.count(Track.self) == 20)
    try store.buildIndexes()
    try store.delete(track)
    try store.saveChanges()
    #expect(try store.count(Track.self) == 19)
  }

  @Test func `a reference that another store adds during the building is noticed`() throws {
    let configuration = StoreConfiguration(indexBuilding: .manual)
    let (mine, theirs) = (try open(configuration), try open(configuration))
    defer {
      try? mine.close(discarding: true)
      try? theirs.close(discarding: true)
    }
    let track = try #require(try mine.fetch(Track.self).first)
    try mine.delete(track)
    let mix = Mix()
    mix.tracks = [try theirs.fault(try #require(track.id))]
    try theirs.insert(mix)
    try theirs.saveChanges()
    let conflict = #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    #expect(conflict?.objectIDs == [track.anyID].compactMap(\.self))
    try theirs.buildIndexes()
    #expect(throws: SaveConflict.self) { try mine.saveChanges() }
    try mine.refresh(keeping: .mine)
    try mine.saveChanges()
    #expect(try danglingCount() == 0)
  }

  @Test func `the index is built beside deletes and updates`() throws {
    let (mine, theirs) = (
      try open(StoreConfiguration(indexBuilding: .manual)), try open(StoreConfiguration(indexBuilding: .manual))
    )
    defer {
      try? mine.close(discarding: true)
      try? theirs.close(discarding: true)
    }
    var generator = SeededGenerator(seed: RandomSeeds.next())
    for _ in 0..<12 {
      let tracks = try mine.fetch(Track.self)
      if let track = tracks.randomElement(using: &generator) { try mine.delete(track) }
      for mix in try mine.fetch(Mix.self).shuffled(using: &generator).prefix(3) {
        try mine.update(mix) { $0.tracks.shuffle(using: &generator) }
      }
      try mine.saveChanges()
    }
    try theirs.buildIndexes()
    #expect(try mine.verify().problemCount == 0)
    for track in try mine.fetch(Track.self) {
      let expected = try mine.fetch(Mix.self).filter { $0.tracks.contains(track) }
      #expect(try track.referrers(\Mix.tracks) == expected)
    }
  }

  @Test func `invalid relationships are refused when a store is opened`() throws {
    for type in [Twice.self, Computed.self] as [StoredObject.Type] {
      let error = #expect(throws: StoreError.self) {
        try Store(backend: backend, classes: [type, Track.self, Genre.self])
      }
      #expect(error?.code == .invalidRelationship)
    }
  }
}

private final class Twice: StoredObject {
  var track: Track?
  override class var relationships: [Relationship] { [Relationship(\Twice.track), Relationship(\Twice.track)] }
}

private final class Computed: StoredObject {
  var first: Track?
  var track: Track? {
    get { first }
    set { first = newValue }
  }
  var any: Track? {
    get { nil }
    set {}
  }
  override class var relationships: [Relationship] { [Relationship(\Computed.any)] }
}
