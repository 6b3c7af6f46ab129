// `open`, `all` and `objects`: asynchronous reads that do not block the caller's actor.
import TestSupport
import Testing
import Todana

@Suite(.timeLimit(.minutes(10)), .plainAndEncrypted) struct AsyncFetchTests {
  let backend = FaultyBackend()
  let ids: [ObjectID<Node>]

  init() throws {
    let writer = try Store(backend: backend, classes: [Node.self, Song.self])
    ids = try (0..<500).map { index in
      let node = Node()
      node.name = "\(index)"
      if index.isMultiple(of: 3) { node.next = node }
      return try writer.insert(node)
    }
    try writer.saveChanges()
    try writer.close()
  }

  private func makeStore() throws -> Store { try Store(backend: backend, classes: [Node.self, Song.self]) }

  /// Closes a store and discards its changes.
  ///
  /// This releases the nodes that refer to themselves.
  private func close(_ store: Store) { #expect(throws: Never.self) { try store.close(discarding: true) } }

  @Test func `all returns the same objects as fetch`() async throws {
    let store = try makeStore()
    defer { close(store) }
    try store.insert(Node())
    try store.delete(try #require(try store.fetch(ids[7])))
    let all = try await store.all(Node.self)
    #expect(all.count == 500)
    #expect(all.map(\.id) == (try store.fetch(Node.self).map(\.id)))
    #expect(zip(all, try store.fetch(Node.self)).allSatisfy { $0 === $1 })
    let saved = try await store.all(Node.self, includingPending: false)
    #expect(saved.count == 500)
    let songs = try await store.all(Song.self)
    #expect(songs.isEmpty)
    let error = await #expect(throws: StoreError.self) { _ = try await store.all(Playlist.self) }
    #expect(error?.code == .unknownClass)
  }

  @MainActor @Test func `the main actor is free while records are read`() async throws {
    let store = try makeStore()
    defer { close(store) }
    backend.holdScans()
    let reading = Task { try await store.all(Node.self).map(\.name) }
    while backend.waitingScanCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    // Later changes are visible in the objects, but the rows are those of the start.
    let renamed = try #require(try store.fetch(ids[0]))
    try store.update(renamed) { $0.name = "renamed" }
    try store.delete(try #require(try store.fetch(ids[1])))
    try store.insert(Node())
    backend.letScansGo()
    let names = try await reading.value
    #expect(names == ["renamed"] + (2..<500).map(String.init))
    #expect(try store.count(Node.self) == 500)
  }

  @MainActor @Test func `a sequence has the state of one commit, and follows changes made in its body`() async throws {
    let store = try makeStore()
    defer { close(store) }
    let (unsaved, forgotten) = (Node(), Node())
    for node in [unsaved, forgotten] { try store.insert(node) }
    let other = try makeStore()
    defer { close(other) }
    var visited: [String] = []
    for try await node in store.objects(Node.self) {
      visited.append(node.name)
      guard visited.count == 1 else { continue }
      for id in ids[0..<50] where id != node.id { try store.delete(try #require(try store.fetch(id))) }
      try store.delete(forgotten)
      try store.insert(Node())
      try await store.save()
      let changed = try #require(try other.fetch(ids[99]))
      try other.update(changed) { $0.name = "theirs" }
      try other.insert(Node())
      try other.saveChanges()
      await Task.yield()
    }
    let expectedCount = try #require(visited.first.flatMap { Int($0) }) < 50 ? 452 : 451
    #expect(visited.count == expectedCount)
    #expect(Set(visited).count == expectedCount)
    #expect(visited.last == "")
  }

  @Test func `a sequence keeps no object, can be left early, and can be started again`() async throws {
    let store = try makeStore()
    defer { close(store) }
    let nodes = store.objects(Node.self)
    var count = 0
    for try await _ in nodes {
      count += 1
      #expect(store.statistics.classes["Node"]?.liveCount ?? 0 <= 2)
    }
    #expect(count == 500)
    #expect(store.statistics.classes.isEmpty)
    for try await _ in nodes {
      count += 1
      if count == 510 { break }
    }
    for try await _ in nodes { count += 1 }
    #expect(count == 1010)
    #expect(backend.openSnapshotCount == 0)
  }

  @Test func `damage is reported or thrown`() async throws {
    backend.damage(ids[40].rowID, of: ids[40].classID)
    let store = try makeStore()
    defer { close(store) }
    await #expect(throws: StoreError.self) { _ = try await store.all(Node.self) }
    var reported: [RowID?] = []
    let healthy = try await store.all(Node.self, onDamage: .report { reported.append($0.rowID) })
    #expect(healthy.count == 499)
    #expect(reported == [ids[40].rowID])
  }

  @Test func `cancelling and closing end the reading`() async throws {
    let task = Task {
      while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
      return try await makeStore().all(Node.self).count
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let store = try makeStore()
    defer { close(store) }
    var count = 0
    let error = await #expect(throws: StoreError.self) {
      for try await _ in store.objects(Node.self) {
        count += 1
        if count == 3 { try store.close() }
      }
    }
    #expect(error?.code == .closed)
    #expect(count < 500)
  }

  @MainActor @Test func `a store opens without blocking, and failures are thrown`() async throws {
    let directory = try TemporaryDirectory()
    let location = StoreLocation.directory(directory.path("Music.todana"))
    let store = try await Store.open(location, classes: [Song.self])
    try store.insert(Song("a"))
    try await store.save()
    let error = await #expect(throws: StoreError.self) { _ = try await Store.open(location, classes: [Song.self]) }
    #expect(error?.backendError?.code == .inUse)
    try store.close()
    let again = try await Store.open(location, classes: [Song.self])
    let songs = try await again.all(Song.self)
    #expect(songs.map(\.title) == ["a"])
    try again.close()
    let duplicate = await #expect(throws: StoreError.self) {
      _ = try await Store.open(location, classes: [Song.self, Song.self])
    }
    #expect(duplicate?.code == .duplicateClassName)
    // The failed openings do not keep the directory in use.
    try await Store.open(location, classes: [Song.self]).close()
  }
}
