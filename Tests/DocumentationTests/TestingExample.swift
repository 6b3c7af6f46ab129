import Foundation
import Synchronization
import Testing
import Todana

final class Song: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var isrc: String?

  override class var version: UInt8 { 2 }
  override class var indexes: [Index] { [Index(\Song.seconds), Index(\Song.isrc, unique: true)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
    isrc = buffer.version >= 2 ? try buffer.readOptionalString() : nil
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
    buffer.writeOptionalString(isrc)
  }

  convenience init(_ title: String, seconds: UInt32 = 0, isrc: String? = nil) {
    self.init()
    self.title = title
    self.seconds = seconds
    self.isrc = isrc
  }
}

/// The songs that version 1 of the program wrote.
final class SongV1: StoredObject {
  var title = ""
  var seconds: UInt32 = 0

  override class var storedName: String { "Song" }

  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    seconds = try buffer.readUInt32()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeUInt32(seconds)
  }
}

/// Fails the test if a saved record, an index or a reference is wrong.
func expectSound(_ store: Store, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let report = try store.verify()
  #expect(report.problems.isEmpty, "\(report.problems)", sourceLocation: sourceLocation)
}

/// Tests with an empty store in memory for each test.
@Suite struct SongTests {
  let store: Store

  init() throws { store = try Store(.inMemory, classes: [Song.self]) }

  @Test func `long songs are found, the longest first`() throws {
    try store.insert(contentsOf: [
      Song("Blue in Green", seconds: 337), Song("So What", seconds: 565), Song("Interlude", seconds: 20),
    ])
    try store.saveChanges()
    let songs = try store.fetch(Song.where { $0.seconds > 300 }.sorted(by: \.seconds, .descending))
    #expect(songs.map(\.title) == ["So What", "Blue in Green"])
    try expectSound(store)
  }

  @Test func `a second song with one ISRC is refused, and its insert stays pending`() throws {
    try store.insert(Song("So What", isrc: "US1"))
    try store.saveChanges()
    try store.insert(Song("Blue in Green", isrc: "US1"))
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    #expect(store.hasUnsavedChanges)
    store.discardChanges()
    #expect(try store.count(Song.self) == 1)
    try expectSound(store)
  }

  @Test func `the second of two changes to a song is a conflict`() throws {
    let song = Song("So What")
    let id = try store.insert(song)
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [Song.self])
    let otherSong = try #require(try other.fetch(id))
    try other.update(otherSong) { $0.seconds = 565 }
    try other.saveChanges()
    try store.update(song) { $0.seconds = 566 }
    #expect(throws: SaveConflict.self) { try store.saveChanges() }
    try store.refresh(keeping: .theirs)
    #expect(song.seconds == 565)
    try other.close()
  }

  @Test func `ten tasks add songs to one store`() async throws {
    let library = try StoreActor(.inMemory, classes: [Song.self])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask {
          try await library.perform { store in
            try store.insert(Song("\(number)"))
            try store.saveChanges()
          }
        }
      }
      try await group.waitForAll()
    }
    let count = try await library.perform { store in try store.count(Song.self) }
    #expect(count == 10)
  }

  @Test func `a save that finds the disk full can be tried again`() throws {
    let backend = try FailingBackend()
    let store = try Store(backend: backend, classes: [Song.self])
    try store.insert(Song("So What"))
    backend.failNextCommit(with: BackendError(.noSpace, "The disk is full."))
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.backendError?.code == .noSpace)
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == 1)
    try store.close()
    try backend.close()
  }
}

/// Tests with a directory for each test.
@Suite struct SongFileTests {
  let directory: ScratchDirectory
  var location: StoreLocation { .directory(directory.path + "/Music.todana") }

  init() throws { directory = try ScratchDirectory() }

  @Test func `a song is there when the store is opened again`() throws {
    let store = try Store(location, classes: [Song.self])
    let id = try store.insert(Song("So What"))
    try store.saveChanges()
    try store.close()
    let again = try Store(location, classes: [Song.self])
    #expect(try again.fetch(id)?.title == "So What")
    try expectSound(again)
    try again.close()
  }

  @Test func `songs of version 1 are read and upgraded`() throws {
    let old = try Store(location, classes: [SongV1.self])
    let oldSong = SongV1()
    oldSong.title = "So What"
    oldSong.seconds = 565
    try old.insert(oldSong)
    try old.saveChanges()
    try old.close()
    let store = try Store(location, classes: [Song.self])
    let song = try #require(try store.fetch(Song.self).first)
    #expect(song.title == "So What" && song.seconds == 565 && song.isrc == nil)
    #expect(try store.upgrade(Song.self).upgradedCount == 1)
    try expectSound(store)
    try store.close()
  }

  @Test func `a store that is open cannot be opened again`() throws {
    let store = try Store(location, classes: [Song.self])
    let error = #expect(throws: StoreError.self) { try Store(location, classes: [Song.self]) }
    #expect(error?.backendError?.code == .inUse)
    try store.close()
  }
}

/// A new directory, which is removed with the object.
final class ScratchDirectory {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A backend in memory whose next commit can be made to fail; all other calls are passed on.
final class FailingBackend: StoreBackend {
  private let base: KyotoBackend
  private let failure = Mutex<BackendError?>(nil)

  init() throws(BackendError) { base = try KyotoBackend(.inMemory) }

  /// Makes the next commit throw the error and change nothing.
  func failNextCommit(with error: BackendError) { failure.withLock { $0 = error } }

  func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    if let error = failure.withLock({ $0.take() }) { throw error }
    return try base.commit(batch, durability: durability)
  }

  var storeID: StoreID { base.storeID }
  var openReport: OpenReport { base.openReport }
  var limits: BackendLimits { base.limits }

  func keyspaces() throws(BackendError) -> [Keyspace] { try base.keyspaces() }

  func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    try base.keyspaceID(of: kind, named: name)
  }

  func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID> {
    try base.reserveRowIDs(count, in: keyspace)
  }

  func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? { try base.outcome(of: batch) }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try base.count(of: keyspace) }

  func read(rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try base.read(rows: rows, of: keyspace, into: chunk)
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try base.read(key: key, of: keyspace, into: chunk)
  }

  func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    try base.loadKeyspace(of: kind, named: name, expecting: count)
  }

  func snapshot() throws(BackendError) -> any BackendSnapshot { try base.snapshot() }

  func reopen() throws(BackendError) { try base.reopen() }

  func close() throws(BackendError) { try base.close() }
}
