import Observation
import Synchronization
import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct ObservationTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Playlist.self]) }

  @Test func `observers are notified when unsaved changes begin and end, and not in between`() throws {
    let changes = Mutex(0)
    func track() {
      withObservationTracking {
        _ = store.hasUnsavedChanges
      } onChange: {
        changes.withLock { $0 += 1 }
      }
    }
    track()
    try store.insert(Song("a"))
    #expect(changes.withLock { $0 } == 1)
    track()
    try store.insert(Song("b"))
    #expect(changes.withLock { $0 } == 1)
    try store.saveChanges()
    #expect(changes.withLock { $0 } == 2)
  }

  private final class Recorder: StoreDelegate {
    var calls: [String] = []
    func store(_ store: Store, willInsert object: StoredObject) { note("insert", object) }
    func store(_ store: Store, willUpdate object: StoredObject) { note("update", object) }
    func store(_ store: Store, willDelete object: StoredObject) { note("delete", object) }
    func store(_ store: Store, didChange object: StoredObject) { note("change", object) }
    func storeDidSave(_ store: Store) { calls.append("save") }
    private func note(_ what: String, _ object: StoredObject) {
      calls.append("\(what) \((object as? Song)?.title ?? "list")")
    }
  }

  @Test func `a delegate is notified of inserts, updates, deletes, changes and saves`() throws {
    let recorder = Recorder()
    store.delegate = recorder
    let song = Song("a")
    let playlist = Playlist()
    playlist.songs = [song]
    try store.insert(song)
    try store.insert(playlist)
    try store.saveChanges()
    try store.update(song) { $0.seconds = 1 }
    try store.update(song) { $0.seconds = 2 }
    store.discardChanges()
    try store.delete(playlist)
    #expect(recorder.calls == ["insert a", "insert list", "save", "update a", "change a", "delete list", "delete a"])
  }
}

@Suite(.plainAndEncrypted) struct StoreObservationsTests {
  @Test @MainActor func `a store on the main actor can be observed as a sequence`() async throws {
    let store = try Store(backend: FaultyBackend(), classes: [Song.self])
    var values: [Bool] = []
    let observations = Observations { store.hasUnsavedChanges }
    for await value in observations {
      values.append(value)
      if values.count == 1 { try store.insert(Song("a")) }
      if values.count == 2 { try store.saveChanges() }
      if values.count == 3 { break }
    }
    #expect(values == [false, true, false])
  }
}
