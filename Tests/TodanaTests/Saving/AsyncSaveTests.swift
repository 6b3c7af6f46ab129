// `save()`: it suspends only during the flush, and keeps all changes that are made in that time.
import Foundation
import TestSupport
import Testing
import Todana

@Suite(.timeLimit(.minutes(10)), .plainAndEncrypted) struct AsyncSaveTests {
  let backend = FaultyBackend()

  /// Returns the saved titles, read by a new store.
  private func savedTitles() throws -> [String] {
    try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title)
  }

  private func waitForFlushes(_ count: Int) async throws {
    // Counts attempts instead of seconds, because long tests that do not suspend may block the pool's threads for
    // minutes.
    var looks = 0
    while backend.waitingFlushCount < count {
      try await Task.sleep(for: .milliseconds(1))
      looks += 1
      try #require(looks < 60_000, "no flush was started")
    }
  }

  // MARK: In every domain

  @MainActor @Test func `the flush of a save on the main actor leaves the actor free`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let song = Song("first")
    try store.insert(song)
    backend.holdFlushes()
    let saving = Task { try await store.save() }
    try await waitForFlushes(1)

    // The save is applied, the objects are clean, other stores see them, and this actor runs.
    #expect(!store.hasUnsavedChanges)
    #expect(try savedTitles() == ["first"])
    try store.update(song) { $0.title = "second" }
    try store.insert(Song("third"))
    #expect(store.hasUnsavedChanges)
    #expect(try store.fetch(Song.self).map(\.title) == ["second", "third"])
    #expect(try store.count(Song.self) == 2)

    backend.letFlushesGo()
    try await saving.value
    #expect(!backend.didFlushTimeOut)
    #expect(store.hasUnsavedChanges)
    #expect(try savedTitles() == ["first"])
    try await store.save()
    #expect(!store.hasUnsavedChanges)
    #expect(try savedTitles() == ["second", "third"])
  }

  actor Library {
    let store: Store
    let song = Song("first")

    init(backend: any StoreBackend) throws { store = try Store(backend: backend, classes: [Song.self]) }

    func insertAndSave() async throws {
      try store.insert(song)
      try await store.save()
      // The change made during the save is kept, and the same actor continues.
      assertIsolated()
      #expect(song.title == "second")
    }

    func rename() throws { try store.update(song) { $0.title = "second" } }
    func save() async throws { try await store.save() }
    var hasUnsavedChanges: Bool { store.hasUnsavedChanges }
  }

  @Test func `the flush of a save in an actor lets other calls in, whose changes stay pending`() async throws {
    let library = try Library(backend: backend)
    backend.holdFlushes()
    async let saving: Void = library.insertAndSave()
    try await waitForFlushes(1)
    #expect(await !library.hasUnsavedChanges)
    try await library.rename()
    #expect(await library.hasUnsavedChanges)
    backend.letFlushesGo()
    try await saving
    #expect(!backend.didFlushTimeOut)
    #expect(try savedTitles() == ["first"])
    try await library.save()
    #expect(try savedTitles() == ["second"])
  }

  @Test(arguments: EveryBackend.allCases)
  func `everything is durable when a save in a task returns`(_ kind: EveryBackend) async throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    try await Task {
      let store = try Store(backend: backend, classes: [Song.self])
      let flushCount = try (backend as? KyotoBackend)?.statistics().flushCount ?? 0
      for index in 0..<20 { try store.insert(Song("\(index)")) }
      try store.writeNamedBuffer("count") { $0.writeUInt32(20) }
      try await store.save()
      #expect(!store.hasUnsavedChanges)
      if kind == .directory { #expect(try (backend as? KyotoBackend)?.statistics().flushCount ?? 0 > flushCount) }
      let song = try #require(try store.fetch(Song.self).first)
      try store.update(song) { $0.title = "changed" }
      try await store.save(durability: .relaxed)
      try store.delete(song)
      try await store.save()
      // With no pending changes, the save returns at once.
      try await store.save()
    }.value
    let other = try Store(backend: backend, classes: [Song.self])
    #expect(try other.fetch(Song.self).map(\.title) == (1..<20).map(String.init))
    #expect(try other.readNamedBuffer("count") { try $0.readUInt32() } == 20)
    try backend.close()
  }

  @MainActor @Test func `a relaxed save does not wait, and the next full one waits for it`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    backend.holdFlushes()
    try store.insert(Song("relaxed"))
    try await store.save(durability: .relaxed)
    #expect(!store.hasUnsavedChanges)
    #expect(backend.waitingFlushCount == 0)
    let saving = Task { try await store.save() }
    try await waitForFlushes(1)
    backend.letFlushesGo()
    try await saving.value
    let commitCount = backend.commitCount
    try await store.save()
    #expect(backend.commitCount == commitCount)
  }

  // MARK: Refusals

  @MainActor @Test func `a conflict is thrown before the first suspension, with everything pending`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let song = Song("first")
    let id = try store.insert(song)
    try await store.save()
    let other = try Store(backend: backend, classes: [Song.self])
    try other.update(try #require(try other.fetch(id))) { $0.title = "theirs" }
    try await other.save()
    try store.update(song) { $0.title = "mine" }
    backend.holdFlushes()
    let conflict = await #expect(throws: SaveConflict.self) { try await store.save() }
    backend.letFlushesGo()
    #expect(conflict?.objectIDs == [id.untyped])
    #expect(store.hasUnsavedChanges)
    try store.refresh(keeping: .mine)
    try await store.save()
    #expect(try savedTitles() == ["mine"])
  }

  @MainActor @Test func `closing a store flushes a save that waits`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    try store.insert(Song("first"))
    backend.holdFlushes()
    let saving = Task { try await store.save() }
    try await waitForFlushes(1)
    // A separate thread: the pool's threads may all be busy, and this actor is about to be blocked.
    let backend = backend
    Thread.detachNewThread {
      while backend.waitingFlushCount < 2 { Thread.sleep(forTimeInterval: 0.001) }
      backend.letFlushesGo()
    }
    try store.close()
    try await saving.value
    #expect(!backend.didFlushTimeOut)
    #expect(try savedTitles() == ["first"])
    let error = await #expect(throws: StoreError.self) { try await store.save() }
    #expect(error?.code == .closed)
  }

  // MARK: Failed flushes

  @MainActor @Test(arguments: [true, false])
  func `reopening after a failed flush makes a lost save pending again`(isApplied: Bool) async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let (updated, deleted, faulted) = (Song("updated 1"), Song("deleted"), Song("faulted 1"))
    for song in [updated, deleted, faulted] { try store.insert(song) }
    try store.writeNamedBuffer("number") { $0.writeUInt32(1) }
    try await store.save()

    let inserted = Song("inserted")
    let insertedID = try store.insert(inserted)
    try store.update(updated) { $0.title = "updated 2" }
    try store.update(faulted) { $0.title = "faulted 2" }
    try store.delete(deleted)
    try store.writeNamedBuffer("number") { $0.writeUInt32(2) }
    backend.failFlush(isApplied: isApplied)
    backend.holdFlushes()
    let saving = Task { try await store.save() }
    try await waitForFlushes(1)
    #expect(deleted.id == nil)
    try store.turnIntoFault(faulted)
    try store.update(updated) { $0.title = "updated 3" }
    try store.insert(Song("meanwhile"))
    backend.letFlushesGo()
    let error = await #expect(throws: StoreError.self) { try await saving.value }
    #expect(error?.code == .mustReopen)
    #expect(throws: StoreError.self) { try store.count(Song.self) }

    try store.reopen()
    // In both cases the store shows its changes.
    #expect(try store.fetch(Song.self).map(\.title) == ["updated 3", "faulted 2", "inserted", "meanwhile"])
    #expect(try store.count(Song.self) == 4)
    #expect(try store.fetch(insertedID) === inserted)
    #expect(try store.readNamedBuffer("number") { try $0.readUInt32() } == 2)
    #expect(store.hasUnsavedChanges)
    let before = isApplied ? ["updated 2", "faulted 2", "inserted"] : ["updated 1", "deleted", "faulted 1"]
    #expect(try savedTitles() == before)
    let pendingCount = try store.count(Song.self) - store.count(Song.self, includingPending: false)
    #expect(pendingCount == 1)
    try await store.save()
    #expect(!store.hasUnsavedChanges)
    #expect(try savedTitles() == ["updated 3", "faulted 2", "inserted", "meanwhile"])
    let other = try Store(backend: backend, classes: [Song.self])
    #expect(try other.readNamedBuffer("number") { try $0.readUInt32() } == 2)
  }

  @MainActor @Test func `waiting saves are lost together and saved together`() async throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let kept = Song("0")
    try store.insert(kept)
    try await store.save()
    backend.failFlush(isApplied: false)
    backend.holdFlushes()
    let shortLived = Song("short-lived")
    try store.insert(shortLived)
    try store.update(kept) { $0.title = "1" }
    let first = Task { try await store.save() }
    try await waitForFlushes(1)
    try store.update(kept) { $0.title = "2" }
    try store.delete(shortLived)
    try store.insert(Song("late"))
    let second = Task { try await store.save() }
    try await waitForFlushes(2)
    backend.letFlushesGo()
    await #expect(throws: StoreError.self) { try await first.value }
    await #expect(throws: StoreError.self) { try await second.value }
    try store.reopen()
    #expect(try savedTitles() == ["0"])
    #expect(shortLived.id == nil)
    #expect(try store.fetch(Song.self).map(\.title) == ["2", "late"])
    try await store.save()
    #expect(try savedTitles() == ["2", "late"])
  }

  // MARK: Anything

  /// Makes random changes and saves, some of them concurrent, some with failing flushes.
  ///
  /// The store's content always equals that of a dictionary.
  @MainActor @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `random changes during waiting saves agree with a dictionary`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let store = try Store(backend: backend, classes: [Song.self])
    var model: [RowID: String] = [:]
    func changeSomething() throws {
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let title = "\(UInt32.random(in: 0...UInt32.max, using: &generator))"
        let rowID = model.keys.sorted().randomElement(using: &generator)
        let song = try rowID.flatMap { rowID in try store.fetch(Song.self).first { $0.id?.rowID == rowID } }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: model[try store.insert(Song(title)).rowID] = title
        case 4..<7:
          guard let song, let rowID else { continue }
          try store.update(song) { $0.title = title }
          model[rowID] = title
        default:
          guard let song, let rowID else { continue }
          try store.delete(song)
          model[rowID] = nil
        }
      }
    }
    func check() throws {
      let songs = try store.fetch(Song.self)
      #expect(songs.compactMap { $0.id?.rowID } == model.keys.sorted())
      #expect(songs.map(\.title) == model.sorted { $0.key < $1.key }.map(\.value))
      #expect(try store.count(Song.self) == model.count)
    }
    for _ in 0..<12 {
      try changeSomething()
      let fails = store.hasUnsavedChanges && Int.random(in: 0..<3, using: &generator) == 0
      if fails { backend.failFlush(isApplied: Bool.random(using: &generator)) }
      backend.holdFlushes()
      var saves: [Task<Void, any Error>] = []
      for _ in 0..<Int.random(in: 1...3, using: &generator) where store.hasUnsavedChanges {
        saves.append(Task { try await store.save() })
        try await waitForFlushes(saves.count)
        try changeSomething()
        try check()
      }
      backend.letFlushesGo()
      var failureCount = 0
      for save in saves {
        do { try await save.value } catch { failureCount += 1 }
      }
      #expect((failureCount > 0) == fails)
      if failureCount > 0 { try store.reopen() }
      try check()
    }
    try await store.save()
    let saved = try Store(backend: backend, classes: [Song.self]).fetch(Song.self)
    #expect(saved.map(\.title) == model.sorted { $0.key < $1.key }.map(\.value))
  }
}
