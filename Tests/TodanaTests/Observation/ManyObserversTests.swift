import TestSupport
import Testing

@testable import Todana

private final class Item: StoredObject {
  var number = 0
  override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readInt() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(number) }
}

@Suite(.timeLimit(.minutes(5))) struct ManyObserversTests {
  @Test func `each iterator of one sequence gets all commits since the call`() async throws {
    let store = try Store(.inMemory, classes: [Item.self])
    let commits = store.commits()
    try store.insert(Item())
    try store.saveChanges()
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          var iterator = commits.makeAsyncIterator()
          let first = await iterator.next()
          let second = await iterator.next()
          #expect(first?.inserted.count == 1)
          #expect(second?.inserted.count == 2)
        }
      }
      try await Task.sleep(for: .milliseconds(50))
      try store.insert(contentsOf: [Item(), Item()])
      try store.saveChanges()
      try await group.waitForAll()
    }
  }

  @Test func `many observers get every change, and none of another class is woken`() async throws {
    let library = try StoreActor(.inMemory, classes: [Item.self, Song.self])
    let hub = try await library.perform { store throws -> ChangeHub in
      try store.insert(contentsOf: (0..<100).map { _ in Item() })
      try store.saveChanges()
      return store.session.changes
    }
    let received = Counter()
    let tasks = (0..<200).map { _ in
      Task {
        for try await numbers in library.observe(Item.where { $0.number > 0 }, map: { $0.number }) {
          await received.add(numbers.count == 3 ? 1 : 0)
          if numbers.count == 3 { break }
        }
      }
    }
    while hub.listenerCount < 200 { try await Task.sleep(for: .milliseconds(5)) }
    for _ in 0..<50 {
      try await library.perform { store in
        try store.insert(Song("x"))
        try store.saveChanges()
      }
    }
    for _ in 0..<3 {
      try await library.perform { store in
        let item = try store.first(Item.where { $0.number == 0 })
        if let item { try store.update(item) { $0.number = 1 } }
        try store.saveChanges()
      }
    }
    for task in tasks { try await task.value }
    #expect(await received.count == 200)
  }

  @Test func `a scope decides which changes a listener gets, once each and in order`() {
    let hub = ChangeHub()
    let (first, second) = (KeyspaceID(rawValue: 1), KeyspaceID(rawValue: 2))
    let both = hub.join(ObservedScope(classes: [first, second]))
    let one = hub.join(ObservedScope(classes: [second]))
    let whole = hub.join(.whole)
    func publish(_ number: CommitNumber, _ classes: [KeyspaceID], buffers: [String] = []) {
      var changes = CommitChanges(commitNumber: number)
      changes.inserted = classes.map { AnyObjectID(classID: $0, rowID: number) }
      changes.namedBuffers = buffers
      hub.publish(changes)
    }
    publish(1, [first])
    publish(2, [first, second])
    publish(3, [], buffers: ["x"])
    publish(4, [second])
    #expect(hub.take(both).map(\.commitNumber) == [1, 2, 4])
    #expect(hub.take(one).map(\.commitNumber) == [2, 4])
    #expect(hub.take(whole).map(\.commitNumber) == [1, 2, 3, 4])
    #expect(hub.take(both).isEmpty)
    hub.follow(ObservedScope(classes: [second], includesNamedBuffers: true), both)
    publish(5, [first], buffers: ["x"])
    publish(6, [second])
    publish(7, [first])
    #expect(hub.take(both).map(\.commitNumber) == [5, 6])
    hub.publish(.unknown)
    #expect(hub.take(one).map(\.isUnknown) == [false, true])
    for id in [both, one, whole] { hub.leave(id) }
    #expect(!hub.hasListeners)
    #expect(hub.observedPart(of: [first, second], hasNamedBuffers: true) == ObservedScope())
  }

  @Test func `a listener that falls behind learns that anything may have changed`() {
    let hub = ChangeHub()
    let id = KeyspaceID(rawValue: 1)
    let slow = hub.join(ObservedScope(classes: [id]))
    var changes = CommitChanges(commitNumber: 1)
    changes.updated = (0..<300_000).map { AnyObjectID(classID: id, rowID: RowID($0 + 1)) }
    for _ in 0..<5 { hub.publish(changes) }
    #expect(hub.take(slow).map(\.isUnknown) == [true])
    hub.publish(changes)
    #expect(hub.take(slow).map(\.isUnknown) == [false])
  }
}

private actor Counter {
  private(set) var count = 0
  func add(_ number: Int) { count += number }
}
