import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct StoreActorTests {
  let backend = FaultyBackend()

  @Test func `calls run one at a time, and pending changes stay for the next call`() async throws {
    let library = try StoreActor(backend: backend, classes: [Song.self])
    await withTaskGroup { group in
      for index in 0..<50 {
        group.addTask { try? await library.perform { store in _ = try store.insert(Song("\(index)")) } }
      }
    }
    let isPending = await library.perform { store in store.hasUnsavedChanges }
    #expect(isPending)
    try await library.perform { store in try store.saveChanges() }
    #expect(try Store(backend: backend, classes: [Song.self]).count(Song.self) == 50)
  }

  @Test func `ids and typed errors cross the actor's boundary`() async throws {
    let library = try StoreActor(backend: backend, classes: [Song.self])
    let id = try await library.perform { store in
      let id = try store.insert(Song("a"))
      try store.saveChanges()
      return id
    }
    let store = try Store(backend: backend, classes: [Song.self])
    #expect(try store.fetch(id)?.title == "a")
    do throws(StoreError) {
      try await library.perform { (store: Store) throws(StoreError) in _ = try store.count(Node.self) }
      Issue.record("an unknown class is an error")
    } catch {
      #expect(error.code == .unknownClass)
    }
  }

  @Test func `stores over one backend work at the same time`() async throws {
    let count = 8
    try await withThrowingTaskGroup { group in
      for number in 0..<count {
        let library = try StoreActor(backend: backend, classes: [Song.self])
        group.addTask {
          for index in 0..<20 {
            try await library.perform { store in
              try store.insert(Song("\(number).\(index)"))
              try store.saveChanges()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let songs = try Store(backend: backend, classes: [Song.self]).fetch(Song.self)
    #expect(Set(songs.map(\.title)).count == count * 20)
  }

  @Test func `a closure that awaits runs on the actor, and other calls run while it waits`() async throws {
    let library = try StoreActor(backend: backend, classes: [Song.self])
    backend.holdFlushes()
    async let saved = library.perform { store in
      let id = try store.insert(Song("first"))
      try await store.save()
      library.assertIsolated()
      return (id, try store.fetch(Song.self).map(\.title))
    }
    while backend.waitingFlushCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
    let hasUnsavedChanges = try await library.perform { store in
      let hasUnsavedChanges = store.hasUnsavedChanges
      try store.insert(Song("second"))
      return hasUnsavedChanges
    }
    #expect(!hasUnsavedChanges)
    backend.letFlushesGo()
    let (id, titles) = try await saved
    #expect(!backend.didFlushTimeOut)
    #expect(titles == ["first", "second"])
    let store = try Store(backend: backend, classes: [Song.self])
    #expect(try store.fetch(Song.self).map(\.id) == [id])
    let longest = try await library.perform { store in
      var longest = ""
      for try await song in store.objects(Song.self) where song.title.count > longest.count { longest = song.title }
      return longest
    }
    #expect(longest == "second")
  }
}
