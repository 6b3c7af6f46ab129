import TestSupport
import Testing
import TodanaDocuments

@testable import Todana

/// Failing calls of a backend while bags are used.
@Suite struct BagFailureTests {
  @Test func `each call of the backend may fail while bags are used for the first time and changed`() throws {
    let failure = BackendError(.inputOutput, "The disk does not answer.")
    let backend = FaultyBackend(keyRing: nil)
    let store = try Store(backend: backend, classes: [Song.self])
    let other = try Store(backend: backend, classes: [Song.self])
    var failureCount = 0
    var handled: [String] = []
    /// Carries out a step until no call fails; the step can be repeated.
    func withFailures(_ name: String, _ step: () throws -> Void) throws {
      for number in 0..<1_000 {
        backend.failCall(after: number, with: failure)
        do {
          try step()
          if backend.failNoCall() { return }
          // The library has met the failure, and tried again.
          handled.append(name)
        } catch let error as StoreError {
          #expect(error.backendError?.code == .inputOutput, "call \(number): \(error)")
          backend.failNoCall()
          failureCount += 1
          for store in [store, other] { store.discardChanges() }
        }
      }
      Issue.record("The step does not end.")
    }
    func bag(_ store: Store) throws -> Bag {
      let found = try store.bag(named: "bag")
      return try #require(found)
    }
    try withFailures("register") {
      let found = try store.bags()
      #expect(found == [])
    }
    #expect(store.registry[Bag.self] != nil)
    try withFailures("insert") {
      try store.insert(try Bag(name: "bag", objects: [Song("a"), Song("b")]))
      try store.saveChanges()
    }
    #expect(try bag(store).titles() == ["a", "b"])
    try withFailures("add") {
      try bag(other).add(Song("c"))
      try other.saveChanges()
    }
    try withFailures("reload") {
      try bag(store).reload()
      let titles = try bag(store).titles()
      #expect(titles == ["a", "b", "c"])
    }
    try withFailures("undo") {
      try bag(store).add(Song("d"))
      try bag(store).undoChanges()
      let count = try bag(store).count
      #expect(count == 3)
    }
    try withFailures("delete") {
      let objects = try bag(store).objects()
      if objects.count == 3 { try store.delete(objects[0]) }
      let found = try store.bags(containing: objects[1])
      #expect(found.count == 1)
      try store.saveChanges()
    }
    #expect(try bag(store).count == 2)
    #expect(failureCount > 30)
    // A discarded object that cannot be read with others is read by itself.
    #expect(Set(handled).isSubset(of: ["undo"]), "\(handled)")
    #expect(try Store(backend: backend, classes: [Song.self]).verify().isSound)
  }
}
