// Long chains of objects that only the library keeps alive. Released recursively, they would overflow the stack.
import Foundation
import TestSupport
import Testing
import Todana

private class Revision: StoredObject {
  var parents: [Revision] = []
  var next: StoredObject?
  var message = ""

  override func readContent(from buffer: inout DataBuffer) throws {
    parents = try buffer.readReferences(Revision.self)
    next = try buffer.readAnyReference()
    message = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeReferences(parents)
    buffer.writeAnyReference(next)
    buffer.writeString(message)
  }
}

/// An object that refers to one of another class.
private final class Branch: StoredObject {
  var newest: StoredObject?

  override func readContent(from buffer: inout DataBuffer) throws { newest = try buffer.readAnyReference() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeAnyReference(newest) }
}

@Suite struct ChainReleaseTests {
  static let length = 100_000

  enum Direction: CaseIterable { case toEarlier, toLater, toAnyOther }

  private func makeStore() throws -> Store {
    try Store(.inMemory, classes: [Revision.self, Branch.self])
  }

  /// Inserts a chain of objects and one that refers to its first object, all of which only the store keeps alive.
  private func insertChain(_ store: Store, _ direction: Direction) throws {
    var order = Array(0..<Self.length)
    if direction == .toAnyOther {
      var random = SeededGenerator(seed: 7)
      order.shuffle(using: &random)
    }
    let objects = order.map { _ in Revision() }
    for object in objects { try store.insert(object) }
    for place in 1..<Self.length {
      let (other, object) = (objects[order[place - 1]], objects[order[place]])
      if direction == .toLater { other.next = object } else { object.parents = [other] }
    }
    let branch = Branch()
    branch.newest = direction == .toLater ? objects[0] : objects[order[Self.length - 1]]
    try store.insert(branch)
  }

  /// Loads the chain, and returns the object that refers to it and alone keeps it alive.
  private func loadChain(_ store: Store) throws -> Branch {
    let all = try store.fetch(Revision.self)
    let branch = try #require(try store.fetch(Branch.self).first)
    return withExtendedLifetime(all) { branch }
  }

  private func liveCount(_ store: Store) -> Int { store.statistics.classes.values.reduce(0) { $0 + $1.liveCount } }

  @Test(arguments: Direction.allCases)
  func `a save releases a long chain`(_ direction: Direction) throws {
    let store = try makeStore()
    try insertChain(store, direction)
    try store.saveChanges()
    #expect(try store.count(Revision.self) == Self.length)
    #expect(liveCount(store) == 0)
    try store.close()
  }

  @Test(arguments: Direction.allCases)
  func `discarding inserts releases a long chain`(_ direction: Direction) throws {
    let store = try makeStore()
    try insertChain(store, direction)
    store.discardChanges()
    #expect(try store.count(Revision.self) == 0)
    try store.close()
  }

  @Test(arguments: Direction.allCases)
  func `a savepoint that fails releases a long chain`(_ direction: Direction) throws {
    struct Refused: Error {}
    let store = try makeStore()
    #expect(throws: Refused.self) {
      try store.savepoint {
        try insertChain(store, direction)
        throw Refused()
      }
    }
    #expect(try store.count(Revision.self) == 0)
    #expect(liveCount(store) == 0)
    try store.close()
  }

  @Test(arguments: Direction.allCases)
  func `turning the first object into a fault releases a long chain`(_ direction: Direction) throws {
    let store = try makeStore()
    try insertChain(store, direction)
    try store.saveChanges()
    let branch = try loadChain(store)
    #expect(liveCount(store) == Self.length + 1)
    try store.turnIntoFault(branch)
    #expect(liveCount(store) == 1)
    try store.close()
  }

  @Test(arguments: Direction.allCases)
  func `a save of deletes releases a long chain`(_ direction: Direction) throws {
    let store = try makeStore()
    try insertChain(store, direction)
    try store.saveChanges()
    var branch: Branch? = try loadChain(store)
    for object in try store.fetch(Revision.self) { try store.delete(object) }
    try branch.map { try store.delete($0) }
    branch = nil
    try store.saveChanges()
    #expect(try store.count(Revision.self) == 0)
    #expect(liveCount(store) == 0)
    try store.close()
  }

  @Test func `a save of an object releases the chain behind it`() throws {
    let store = try makeStore()
    try insertChain(store, .toEarlier)
    try store.saveChanges()
    var branch: Branch? = try loadChain(store)
    try branch.map { try store.update($0) { _ in } }
    branch = nil
    try store.saveChanges()
    #expect(liveCount(store) == 0)
    try store.close()
  }

  @Test func `an update of another store releases the chain behind an object`() throws {
    let store = try makeStore()
    try insertChain(store, .toEarlier)
    try store.saveChanges()
    let branch = try loadChain(store)
    let other = try Store(backend: store.backend, classes: [Revision.self, Branch.self])
    try other.update(Branch.all) { $0.newest = nil }
    try other.saveChanges()
    try store.refresh()
    #expect(branch.isFault)
    #expect(liveCount(store) == 1)
    try other.close()
    try store.close()
  }

  @Test func `discarding an update releases the chain that it refers to`() throws {
    let store = try makeStore()
    try insertChain(store, .toEarlier)
    try store.saveChanges()
    var branch: Branch? = try loadChain(store)
    let second = Branch()
    try store.insert(second)
    try store.saveChanges()
    try store.update(second) { $0.newest = branch?.newest }
    branch = nil
    store.discardChanges()
    #expect(second.newest == nil)
    #expect(liveCount(store) == 1)
    try store.close()
  }

  @Test func `releasing a store with unsaved changes releases a long chain`() throws {
    var store: Store? = try makeStore()
    try store.map { try insertChain($0, .toLater) }
    let backend = store?.backend
    store = nil
    try backend?.close()
  }

  @Test func `closing a store releases a long chain`() throws {
    let store = try makeStore()
    try insertChain(store, .toEarlier)
    try store.saveChanges()
    let branch = try loadChain(store)
    try store.close()
    #expect(branch.isFault)
  }
}
