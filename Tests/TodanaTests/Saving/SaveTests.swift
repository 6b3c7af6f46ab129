import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct SaveTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self]) }

  @Test func `one save is one commit over all classes`() throws {
    let song = Song("a")
    try store.insert(song)
    let playlist = Playlist()
    playlist.songs = [song]
    try store.insert(playlist)
    try store.writeNamedBuffer("favourites") { $0.writeReferences([song]) }
    try store.saveChanges()
    #expect(backend.commitCount == 1)
    #expect(!store.hasUnsavedChanges)
  }

  @Test func `a failed save leaves all changes pending, and can be repeated`() throws {
    let song = Song("a")
    try store.insert(song)
    try store.writeNamedBuffer("b") { $0.writeBool(true) }
    backend.failCommit(with: BackendError(.noSpace, "The disk is full."))
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .backend)
    #expect(error?.backendError?.code == .noSpace)
    #expect(store.hasUnsavedChanges)
    #expect(try store.count(Song.self, includingPending: false) == 0)
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == 1)
    #expect(!store.hasUnsavedChanges)
  }

  enum BadReference: CaseIterable { case notInserted, otherStore, pendingDeletion }

  @Test(arguments: BadReference.allCases)
  func `a reference that cannot be saved is an error with class, row and field`(kind: BadReference) throws {
    let song = Song("a")
    let code: DataBufferError.Code
    switch kind {
    case .notInserted: code = .referenceNotInserted
    case .otherStore:
      code = .referenceToOtherStore
      try Store(backend: backend, classes: [Song.self]).insert(song)
    case .pendingDeletion:
      code = .referencePendingDeletion
      try store.insert(song)
      try store.saveChanges()
      try store.delete(song)
    }
    // The other store is kept alive: an object whose store is gone belongs to no store.
    let other = song.store
    let playlist = Playlist()
    playlist.songs = [song]
    let id = try store.insert(playlist)
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .cannotEncode)
    #expect(error?.className == "Playlist")
    #expect(error?.rowID == id.rowID)
    let cause = error?.underlying as? DataBufferError
    #expect(kind == .otherStore ? [code, .referenceNotInserted].contains(cause?.code) : cause?.code == code)
    #expect(cause?.fieldNumber == 2)
    #expect(store.hasUnsavedChanges)
    withExtendedLifetime(other) {}
  }

  @Test func `a failed flush requires reopening, and a save that was applied is no longer pending`() throws {
    let song = Song("a")
    let kept = Song("kept")
    try store.insert(kept)
    try store.saveChanges()
    try store.insert(song)
    backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: true)
    #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(throws: StoreError.self) { try store.count(Song.self) }
    #expect(store.hasUnsavedChanges)
    try store.reopen()
    #expect(!store.hasUnsavedChanges)
    #expect(kept.isFault)
    #expect(try store.fetch(Song.self).map(\.title) == ["kept", "a"])
    try store.update(song) { $0.title = "b" }
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == 2)
  }

  @Test func `a save that a failed flush has lost can be saved again`() throws {
    let song = Song("a")
    try store.insert(song)
    try store.writeNamedBuffer("b") { $0.writeBool(true) }
    backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: false)
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.code == .mustReopen)
    // The store notices that the backend was reopened elsewhere.
    try backend.reopen()
    #expect(try store.count(Song.self) == 1)
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try store.count(Song.self, includingPending: false) == 1)
    #expect(try store.namedBufferNames(includingPending: false) == ["b"])
  }

  @Test func `a change after a failed flush is pending even if the save was applied`() throws {
    let song = Song("a")
    try store.insert(song)
    backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: true)
    #expect(throws: StoreError.self) { try store.saveChanges() }
    song.willUpdate()
    song.title = "b"
    try store.reopen()
    #expect(store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["b"])
  }

  @Test func `another store of the backend turns its clean objects into faults after a failed flush`() throws {
    let id = try store.insert(Song("a"))
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    let song = try #require(try other.fetch(id))
    try store.insert(Song("lost"))
    backend.failCommit(with: BackendError(.mustReopen, "The flush failed."))
    #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(throws: StoreError.self) { try other.count(Song.self) }
    try store.reopen()
    #expect(try other.count(Song.self) == 1)
    #expect(song.isFault)
    #expect(try other.fetch(id)?.title == "a")
  }

  @Test func `writeContent must not change the store`() throws {
    let meddler = Meddler()
    let store = try Store(backend: backend, classes: [Meddler.self])
    try store.insert(meddler)
    meddler.meddle = { try store.insert(Meddler()) }
    try store.saveChanges()
    #expect((meddler.met as? StoreError)?.code == .reentrant)
    #expect(try store.count(Meddler.self) == 1)
  }

  final class Meddler: StoredObject {
    var meddle: () throws -> Void = {}
    var met: (any Error)?
    override func writeContent(to buffer: inout DataBuffer) {
      do { try meddle() } catch { met = error }
    }
  }
}
