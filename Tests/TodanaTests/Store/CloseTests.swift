import Synchronization
import TestSupport
import Testing
import Todana

private let aliveCount = Atomic<Int>(0)

private final class Counted: StoredObject {
  var next: Counted?
  var others: [Counted] = []
  required init() { aliveCount.add(1, ordering: .relaxed) }
  deinit { aliveCount.subtract(1, ordering: .relaxed) }
  override func readContent(from buffer: inout DataBuffer) throws {
    next = try buffer.readReference(Counted.self)
    others = try buffer.readReferences(Counted.self)
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeReference(next)
    buffer.writeReferences(others)
  }
}

@Suite(.serialized, .plainAndEncrypted) struct CloseTests {
  let backend = FaultyBackend()

  @Test func `a thousand opens and closes of a cyclic graph leak nothing`() throws {
    do {
      let store = try Store(backend: backend, classes: [Counted.self])
      let ring = (0..<10).map { _ in Counted() }
      for (index, node) in ring.enumerated() {
        node.next = ring[(index + 1) % ring.count]
        node.others = [node, ring[0]]
        try store.insert(node)
      }
      try store.saveChanges()
      try store.close()
    }
    for _ in 0..<1000 {
      let store = try Store(backend: backend, classes: [Counted.self])
      let nodes = try store.fetch(Counted.self)
      try store.update(nodes[3]) { $0.next = nodes[1] }
      try store.insert(Counted())
      try store.delete(nodes[5])
      try store.close(discarding: true)
    }
    #expect(aliveCount.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: [false, true])
  func `a deleted object that refers to itself is released unless the program holds it`(
    _ isAsynchronous: Bool
  ) async throws {
    let store = try Store(backend: backend, classes: [Counted.self])
    func save() async throws {
      if isAsynchronous { try await store.save() } else { try store.saveChanges() }
    }
    var held: Counted?
    for index in 0..<3 {
      let node = Counted()
      node.next = node
      node.others = [node, node]
      try store.insert(node)
      if index == 0 { held = node }
    }
    try await save()
    try store.delete(store.fetch(Counted.self))
    try await save()
    // At most two objects remain: the held one, and the blank object from which cleared objects take their content.
    #expect(aliveCount.load(ordering: .relaxed) <= 2)
    let node = try #require(held)
    #expect(node.next === node && node.others.count == 2)
    node.next = nil
    node.others = []
    held = nil
    try store.close()
  }

  @Test func `after closing, objects are faults that cannot be loaded, and everything throws`() throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let song = Song("a")
    let id = try store.insert(song)
    try store.saveChanges()
    try store.insert(Song("lost"))
    try store.close(discarding: true)
    try store.close()
    #expect(song.isFault && song.title == "")
    #expect(!store.hasUnsavedChanges)
    let calls: [() throws -> Void] = [
      { try song.loadContent() }, { _ = try store.fetch(Song.self) }, { _ = try store.fetch(id) },
      { try store.insert(Song()) }, { try store.delete(song) }, { try store.saveChanges() },
      { _ = try store.count(Song.self) }, { try store.forEach(Song.self) { _, _ in } }, { try store.refresh() },
      { try store.update(song) { _ in } }, { try store.reopen() }, { _ = try store.namedBufferNames() },
      { try store.writeNamedBuffer("b") { _ in } }, { _ = try store.catalog }, { try store.upgrade(Song.self) },
    ]
    for call in calls {
      #expect(#expect(throws: StoreError.self) { try call() }?.code == .closed)
    }
    song.willUpdate()
    store.discardChanges()
    #expect(!store.hasUnsavedChanges)
    #expect(try Store(backend: backend, classes: [Song.self]).count(Song.self) == 1)
  }

  @Test func `objects outlive a released store, with their content and without an id`() throws {
    var store: Store? = try Store(backend: backend, classes: [Song.self])
    let song = Song("a")
    try store?.insert(song)
    try store?.saveChanges()
    let pending = Song("b")
    try store?.insert(pending)
    store = nil
    #expect(song.title == "a" && song.id == nil && song.store == nil)
    song.willUpdate()
    // Both songs can be inserted into another store.
    let other = try Store(backend: backend, classes: [Song.self])
    try other.insert(song)
    try other.insert(pending)
    #expect(try other.count(Song.self) == 3)
  }

  @Test func `a store with unsaved changes closes only if they may be discarded`() throws {
    let store = try Store(backend: backend, classes: [Song.self])
    let song = Song("a")
    try store.insert(song)
    try store.saveChanges()
    let changes: [(String, () throws -> Void)] = [
      (
        "1 insert, 1 update",
        {
          try store.insert(Song("b"))
          try store.update(song) { $0.title = "c" }
        }
      ),
      ("1 delete", { try store.delete(song) }),
      ("2 named buffers", { for name in ["x", "y"] { try store.writeNamedBuffer(name) { $0.writeInt(1) } } }),
    ]
    for (description, change) in changes {
      try change()
      let error = #expect(throws: StoreError.self) { try store.close() }
      #expect(error?.code == .unsavedChanges)
      #expect("\(try #require(error))".contains("unsaved changes (\(description)): save"))
      #expect(store.hasUnsavedChanges && !song.isFault)
      store.discardChanges()
    }
    try store.insert(Song("b"))
    // Unsaved changes after a failed save also prevent closing.
    backend.failCommit(with: BackendError(.mustReopen, "The flush failed."), isApplied: false)
    #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(#expect(throws: StoreError.self) { try store.close() }?.code == .unsavedChanges)
    try store.close(discarding: true)
    #expect(song.isFault && !store.hasUnsavedChanges)
    try backend.reopen()
    #expect(try Store(backend: backend, classes: [Song.self]).fetch(Song.self).map(\.title) == ["a"])
  }

  @Test func `a backend that the caller made stays open`() throws {
    let store = try Store(backend: backend, classes: [Song.self])
    try store.close()
    #expect(!backend.isClosed)
  }

  @Test func `an object of another store is refused`() throws {
    let first = try Store(backend: backend, classes: [Song.self])
    let second = try Store(backend: backend, classes: [Song.self])
    let song = Song("a")
    try first.insert(song)
    #expect(#expect(throws: StoreError.self) { try second.insert(song) }?.code == .objectOfOtherStore)
    #expect(#expect(throws: (any Error).self) { try second.delete(song) } is StoreError)
    #expect(throws: StoreError.self) { try second.update(song) { _ in } }
    #expect(#expect(throws: StoreError.self) { try second.update(Song()) { _ in } }?.code == .notInserted)
  }
}
