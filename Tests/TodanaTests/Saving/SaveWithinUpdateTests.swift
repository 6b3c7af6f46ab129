// Guards against an update closure that saves: its changes after the save were lost without an error.
import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct SaveWithinUpdateTests {
  let backend = FaultyBackend()
  let store: Store
  let song: Song

  private struct Refused: Error {}

  init() throws {
    store = try Store(backend: backend, classes: [Song.self, Playlist.self])
    song = Song("first")
    try store.insert(song)
    try store.saveChanges()
  }

  private func savedTitle() throws -> String? {
    try Store(backend: backend, classes: [Song.self]).fetch(Song.self).first?.title
  }

  @Test(arguments: [false, true])
  func `changes after the save are pending`(_ canThrow: Bool) throws {
    if canThrow {
      try store.update(song) { song in
        song.title = "second"
        try store.saveChanges()
        song.title = "third"
      }
    } else {
      try store.update(song) { song in
        song.title = "second"
        try? store.saveChanges()
        song.title = "third"
      }
    }
    #expect(store.hasUnsavedChanges)
    #expect(try savedTitle() == "second")
    try store.saveChanges()
    #expect(try savedTitle() == "third")
  }

  @Test func `an update that was saved entirely is not pending`() throws {
    try store.update(song) { song in
      song.title = "second"
      try store.saveChanges()
    }
    #expect(!store.hasUnsavedChanges)
    #expect(try savedTitle() == "second")
  }

  @Test func `changes after a discard are pending`() throws {
    try store.update(song) { song in
      song.title = "second"
      store.discardChanges()
      #expect(song.title == "first")
      song.seconds = 5
    }
    try store.saveChanges()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.seconds) == [5])
    try store.update(song) { song in
      song.title = "second"
      store.discardChanges()
    }
    #expect(!store.hasUnsavedChanges)
  }

  @Test(arguments: [false, true], [false, true])
  func `a closure that throws after the save leaves the former content pending`(
    _ wasPending: Bool, _ changesAgain: Bool
  ) throws {
    if wasPending { try store.update(song) { $0.title = "pending" } }
    let former = song.title
    #expect(throws: Refused.self) {
      try store.update(song) { song in
        song.title = "second"
        try store.saveChanges()
        if changesAgain { try store.update(song) { $0.title = "third" } }
        throw Refused()
      }
    }
    #expect(song.title == former && store.hasUnsavedChanges)
    #expect(try savedTitle() == "second")
    try store.saveChanges()
    #expect(try savedTitle() == former)
  }

  @Test func `a closure that throws after a save without changes leaves nothing pending`() throws {
    #expect(throws: Refused.self) {
      try store.update(song) { _ in
        try store.saveChanges()
        throw Refused()
      }
    }
    #expect(!store.hasUnsavedChanges)
  }

  @Test func `a closure that throws after it has deleted the object undoes an unsaved deletion`() throws {
    #expect(throws: Refused.self) {
      try store.update(song) { song in
        song.title = "second"
        try store.delete(song)
        throw Refused()
      }
    }
    #expect(song.title == "first" && !store.hasUnsavedChanges)
    #expect(try store.count(Song.self) == 1)
    // A saved deletion stays.
    #expect(throws: Refused.self) {
      try store.update(song) { song in
        try store.delete(song)
        try store.saveChanges()
        throw Refused()
      }
    }
    #expect(song.id == nil && song.title == "first")
    #expect(try store.count(Song.self) == 0)
  }

  @Test(arguments: [false, true], [false, true])
  func `an object keeps its later content if a failed save turns out to be applied`(
    _ reopensWithin: Bool, _ throwsError: Bool
  ) throws {
    try? store.update(song) { song in
      song.title = "second"
      backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: true)
      try? store.saveChanges()
      if reopensWithin { try store.reopen() }
      if throwsError { throw Refused() }
      if reopensWithin { try song.loadContent() }
      song.title = "third"
    }
    try store.reopen()
    let title = throwsError ? "first" : "third"
    #expect(song.title == title && store.hasUnsavedChanges)
    try store.saveChanges()
    #expect(try savedTitle() == title)
  }
}
