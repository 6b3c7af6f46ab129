// `@Loaded` properties of objects that cannot be loaded: the error is thrown, and other objects are not affected.
import TestSupport
import Testing
import Todana

private final class Bead: StoredObject {
  @Loaded var serial = 0

  override func readContent(from buffer: inout DataBuffer) throws { serial = try buffer.readInt() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(serial) }
}

private final class Thread: StoredObject {
  @Loaded var beads: [Bead] = []
  @Loaded var sum = 0

  override func readContent(from buffer: inout DataBuffer) throws {
    beads = try buffer.readReferences(Bead.self)
    sum = try buffer.readInt()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeReferences(beads)
    buffer.writeInt(sum)
  }
}

struct LoadedErrorTests {
  /// A store with a thread of four beads, of which another store has deleted the second.
  private let store: Store

  init() throws {
    let first = try Store(.inMemory, classes: [Bead.self, Thread.self])
    let thread = Thread()
    for serial in 1...4 {
      let bead = Bead()
      bead.serial = serial
      try first.insert(bead)
      thread.beads.append(bead)
    }
    try first.insert(thread)
    try first.saveChanges()
    try first.delete(thread.beads[1])
    try first.saveChanges()
    store = try Store(backend: first.backend, classes: [Bead.self, Thread.self])
    // The backend stays open as long as one of its stores is.
    try first.close()
  }

  private func thread() throws -> Thread { try #require(try store.fetch(Thread.self).first) }

  private func expectMissingRow(_ body: () throws -> Void) {
    let error = #expect(throws: StoreError.self) { try body() }
    #expect(error?.code == .rowNotFound && error?.className == "Bead" && error?.rowID == 2)
  }

  @Test func `an object that cannot be loaded does not keep others from being loaded`() throws {
    let beads = try thread().beads
    #expect(beads.map(\.serial) == [1, 0, 3, 4])
    expectMissingRow { _ = try store.count(Bead.self) }
    #expect(try store.count(Bead.self) == 3)
  }

  @Test func `assignments to other objects are saved, and one to the missing object has no effect`() throws {
    let beads = try thread().beads
    for (number, bead) in beads.enumerated() { bead.serial = (number + 1) * 10 }
    #expect(beads.map(\.serial) == [10, 0, 30, 40])
    expectMissingRow { try store.saveChanges() }
    try store.saveChanges()
    #expect(try store.values(Bead.all, of: \.serial, includingPending: false) == [10, 30, 40])
  }

  enum Reading: CaseIterable { case forEach, query, snapshot, values, update, throwingUpdate, updateOfQuery }

  @Test(arguments: Reading.allCases)
  func `a call whose closure reads the property throws the error at its end`(reading: Reading) throws {
    expectMissingRow {
      switch reading {
      case .forEach: try store.forEach(Thread.self) { thread, _ in _ = thread.beads.map(\.serial) }
      case .query: try store.forEach(Thread.where { $0.sum == 0 }) { thread, _ in _ = thread.beads.map(\.serial) }
      case .snapshot: try store.withSnapshot { _ = try thread().beads.map(\.serial) }
      case .values: _ = try store.values(Thread.all) { $0.beads.map(\.serial) }
      case .update:
        let thread = try thread()
        try store.update(thread) { $0.sum = $0.beads.reduce(0) { $0 + $1.serial } }
      case .throwingUpdate:
        let thread = try thread()
        try store.update(thread) { thread throws in
          thread.sum = thread.beads.reduce(0) { $0 + $1.serial }
          try Task.checkCancellation()
        }
      case .updateOfQuery:
        try store.update(Thread.all) { $0.sum = $0.beads.reduce(0) { $0 + $1.serial } }
      }
    }
    // A closure that cannot throw has no copy of the former content.
    #expect(try thread().sum == (reading == .update ? 8 : 0))
    #expect(store.hasUnsavedChanges == (reading == .update))
  }

  @Test func `an actor's closure and an observed value throw the error`() async throws {
    let actor = try StoreActor(backend: store.backend, classes: [Bead.self, Thread.self])
    await #expect(throws: StoreError.self) {
      try await actor.perform { try $0.fetch(Thread.self).flatMap(\.beads).map(\.serial) }
    }
    #expect(try await actor.perform { try $0.count(Bead.self) } == 3)
    var values = store.observe { try $0.fetch(Thread.self).flatMap(\.beads).map(\.serial) }.makeAsyncIterator()
    await #expect(throws: StoreError.self) { try await values.next(isolation: #isolation) }
    #expect(try store.count(Bead.self) == 3)
  }

  @Test func `after the store is closed, a property has its default and an assignment no effect`() throws {
    let beads = try thread().beads
    try store.close()
    beads[0].serial = 7
    #expect(beads[0].serial == 0)
  }
}
