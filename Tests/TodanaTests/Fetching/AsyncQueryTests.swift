// Asynchronous queries answer as the synchronous ones, and do not block the caller's actor.
import Dispatch
import Synchronization
import TestSupport
import Testing
import Todana

private final class Track: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var disc: Release?

  override class var indexes: [Index] { [Index(\Track.seconds)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    genre = try buffer.readOptionalString()
    disc = try buffer.readReference()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(genre)
    buffer.writeReference(disc)
  }
}

private final class Release: StoredObject {
  var title = ""
  var tracks: [Track] = []
  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    tracks = try buffer.readReferences()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeReferences(tracks)
  }
}

@Suite(.timeLimit(.minutes(10)), .plainAndEncrypted) struct AsyncQueryTests {
  private let backend = FaultyBackend()
  private let store: Store

  init() throws {
    let writer = try Store(backend: backend, classes: [Track.self, Release.self])
    for number in 0..<12 {
      let disc = Release()
      disc.title = "d\(number)"
      try writer.insert(disc)
      for place in 0..<25 {
        let track = Track()
        track.title = "t\(number)-\(place)"
        track.seconds = UInt32(number * 31 + place * 17) % 100
        track.genre = place.isMultiple(of: 4) ? nil : ["Jazz", "Rock", "Pop"][place % 3]
        track.disc = disc
        disc.tracks.append(track)
        try writer.insert(track)
      }
    }
    try writer.saveChanges()
    store = try Store(backend: backend, classes: [Track.self, Release.self])
  }

  private static let queries: [Query<Track>] = [
    Track.all, Track.where { $0.seconds > 50 }, Track.where { $0.genre == nil }.sorted(by: \.title, .descending),
    Track.where { $0.disc.title == "d3" }.sorted(by: \.seconds).offset(3).limit(9), Track.where { _ in .never },
    Track.all.sorted(by: \.disc?.title).limit(40),
  ]

  /// Compares every asynchronous call with its synchronous counterpart.
  private func compareAll() async throws {
    for query in Self.queries {
      let ids = try store.ids(query)
      #expect(try await store.idsAsync(query) == ids)
      #expect(try await store.fetchAsync(query).map(\.id) == ids)
      #expect(try await store.firstAsync(query)?.id == ids.first)
      #expect(try await store.countAsync(query) == ids.count)
      #expect(try await store.existsAsync(query) == !ids.isEmpty)
      #expect(try await store.valuesAsync(query, of: \.title) == store.values(query, of: \.title))
      #expect(try await store.valuesAsync(query) { $0.seconds } == store.values(query) { $0.seconds })
      #expect(try await store.valuesAsync(query, of: \.disc?.title) == store.values(query, of: \.disc?.title))
      #expect(try await store.distinctValuesAsync(query, of: \.genre) == store.distinctValues(query, of: \.genre))
      #expect(try await store.sumAsync(query, of: \.seconds) == store.sum(query, of: \.seconds))
      #expect(try await store.averageAsync(query, of: \.seconds) == store.average(query, of: \.seconds))
      #expect(try await store.minimumAsync(query, of: \.seconds) == store.minimum(query, of: \.seconds))
      #expect(try await store.maximumAsync(query, of: \.seconds) == store.maximum(query, of: \.seconds))
      let groups = try await store.groupsAsync(query, by: \.genre)
      #expect(groups.map(\.key) == (try store.groups(query, by: \.genre).map(\.key)))
      #expect(groups.map(\.count) == (try store.groups(query, by: \.genre).map(\.count)))
      let sums = try await store.groupsAsync(query, by: \.genre, of: \.seconds).map(\.summary.sum)
      #expect(sums == (try store.groups(query, by: \.genre, of: \.seconds).map(\.summary.sum)))
    }
  }

  @Test func `asynchronous queries answer as the synchronous ones`() async throws { try await compareAll() }

  @Test func `pending changes are part of the answers`() async throws {
    let tracks = try store.fetch(Track.all.limit(40))
    for (number, track) in tracks.enumerated() {
      switch number % 4 {
      case 0: try store.update(track) { $0.seconds = 99 }
      case 1: try store.delete(track)
      case 2: try store.update(track) { $0.genre = "Soul" }
      default: break
      }
    }
    try store.delete([try #require(tracks[3].id)])
    let disc = Release()
    disc.title = "a new disc"
    try store.insert(disc)
    let inserted = Track()
    inserted.title = "new"
    inserted.seconds = 77
    inserted.disc = disc
    try store.insert(inserted)
    try store.update(try #require(try store.first(Release.where { $0.title == "d3" }))) { $0.title = "renamed" }
    try await compareAll()
    #expect(try await store.fetchAsync(Track.where { $0.disc.title == "a new disc" }) == [inserted])
    let saved = try await store.countAsync(Track.all, includingPending: false)
    #expect(saved == 300)
  }

  @Test func `a pending object that cannot be written does not prevent a query`() async throws {
    let track = Track()
    track.title = "unwritable"
    track.disc = Release()
    try store.insert(track)
    #expect(try await store.fetchAsync(Track.where { $0.title == "unwritable" }) == [track])
    #expect(try await store.countAsync(Track.all) == 301)
  }

  @Test func `objects are fetched and loaded by their identities`() async throws {
    let ids = try store.ids(Track.where { $0.disc.title == "d5" })
    let live = try #require(try store.fetch(ids[3]))
    try store.delete(try #require(try store.fetch(ids[4])))
    let missing = ObjectID<Track>(unchecked: AnyObjectID(classID: ids[0].classID, rowID: 1 << 40))
    let objects = try await store.fetchAsync([ids[0], missing, ids[3], ids[4], ids[0]])
    #expect(objects[0]?.id == ids[0] && objects[1] == nil && objects[2] === live && objects[3] == nil)
    #expect(objects[4] === objects[0])
    #expect(try await store.fetchAsync(ids[9])?.isFault == false)
    let discs = try await store.fetchAsync(Release.where { $0.title == "d8" }, loading: \.tracks)
    #expect(discs.flatMap(\.tracks).allSatisfy { !$0.isFault })
    let disc = try #require(try store.first(Release.where { $0.title == "d9" }))
    #expect(disc.tracks.allSatisfy { $0.isFault })
    try await store.loadAsync(disc.tracks[2])
    #expect(disc.tracks[2].title == "t9-2")
    try await store.loadAsync(disc.tracks)
    #expect(disc.tracks.allSatisfy { !$0.isFault })
    let all = try await store.fetchAsync(Track.self)
    #expect(all.count == 299)
  }

  @Test func `objects of a query are updated and deleted`() async throws {
    let updated = try await store.updateAsync(Track.where { $0.seconds > 90 }) { $0.genre = "Long" }
    #expect(!updated.isEmpty)
    #expect(try store.count(Track.where { $0.genre == "Long" }) == updated.count)
    let deleted = try await store.deleteAsync(Track.where { $0.genre == "Long" })
    #expect(deleted.count == updated.count)
    try store.saveChanges()
    #expect(try store.count(Track.all) == 300 - deleted.count)
    let fault = try store.fault(try #require(try store.ids(Track.all).first))
    try await store.updateAsync(fault) { $0.title = "changed" }
    try await store.deleteAsync([try store.fault(try #require(try store.ids(Track.all).last))])
    try store.saveChanges()
    #expect(try store.count(Track.where { $0.title == "changed" }) == 1)
    #expect(try store.verify().isSound)
  }

  @Test func `a cancelled task gets a typed error`() async throws {
    let backend = backend
    let error = await Task { () -> StoreError? in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do throws(StoreError) {
        let store = try Store(backend: backend, classes: [Track.self, Release.self])
        _ = try await store.countAsync(Track.where { $0.title == "x" })
        return nil
      } catch {
        return error
      }
    }.value
    #expect(error?.code == .cancelled)
  }

  @Test func `unreadable records are thrown or reported in the caller's domain`() async throws {
    let newer = try Store(backend: backend, classes: [NewerRelease.self])
    try newer.insert(NewerRelease())
    try newer.saveChanges()
    let query = Release.where { $0.title.hasPrefix("d") }
    let error = await #expect(throws: StoreError.self) { _ = try await store.fetchAsync(query) }
    #expect(error?.code == .newerVersion)
    var reported: [StoreError] = []
    let count = try await store.countAsync(query, onDamage: .report { reported.append($0) })
    #expect(count == 12)
    #expect(reported.map(\.code) == [.newerVersion])
    let objects = try await store.fetchAsync(query, onDamage: .report { reported.append($0) })
    #expect(objects.count == 12)
  }
}

@Suite(.timeLimit(.minutes(10)), .plainAndEncrypted) struct MainActorQueryTests {
  @MainActor @Test func `the main actor is free while a query runs, which keeps its state`() async throws {
    let backend = FaultyBackend()
    let store = try Store(backend: backend, classes: [Track.self, Release.self])
    for number in 0..<300 {
      let track = Track()
      track.title = "t\(number)"
      track.genre = number.isMultiple(of: 3) ? "Jazz" : nil
      try store.insert(track)
    }
    try store.saveChanges()
    backend.holdScans()
    let query = Track.where { $0.genre == "Jazz" }
    let counting = Task { try await store.countAsync(Track.where { $0.title.hasPrefix("t") }) }
    while backend.waitingScanCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let track = Track()
    track.title = "t-new"
    try store.insert(track)
    try store.saveChanges()
    backend.letScansGo()
    #expect(try await counting.value == 300)
    #expect(try store.count(query) == (try await store.countAsync(query)))
  }
}

/// A release of a version that the other class does not know.
private final class NewerRelease: StoredObject {
  override class var storedName: String { "Release" }
  override class var version: UInt8 { 9 }

  @Test func `cancelling a task ends its query`() async throws {
    let backend = FaultyBackend()
    let writer = try Store(backend: backend, classes: [Track.self, Release.self])
    for number in 0..<40_000 {
      let track = Track()
      track.seconds = UInt32(number)
      try writer.insert(track)
    }
    try writer.saveChanges()
    try writer.close()
    // A scan, and an index.
    for query in [Track.all, Track.where { $0.seconds >= 1 }] {
      let progress = QueryProgress()
      let task = Task {
        let store = try Store(backend: backend, classes: [Track.self, Release.self])
        defer { #expect(throws: Never.self) { try store.close() } }
        return try await store.valuesAsync(query) { track in
          progress.advance()
          return track.seconds
        }
      }
      await progress.waitForBeginning()
      task.cancel()
      progress.goOn()
      let error = await #expect(throws: StoreError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      #expect(progress.count < 20_000, "\(query)")
    }
  }
}

/// Stops a query at its first object until the test lets it go on.
private final class QueryProgress: Sendable {
  private let counter = Atomic(0)
  private let beginning: AsyncStream<Void>
  private let begin: AsyncStream<Void>.Continuation
  private let goesOn = DispatchSemaphore(value: 0)

  init() { (beginning, begin) = AsyncStream.makeStream() }

  var count: Int { counter.load(ordering: .relaxed) }

  func advance() {
    guard counter.add(1, ordering: .relaxed).oldValue == 0 else { return }
    begin.yield()
    goesOn.wait()
  }

  func waitForBeginning() async { for await _ in beginning { return } }

  func goOn() { goesOn.signal() }
}
