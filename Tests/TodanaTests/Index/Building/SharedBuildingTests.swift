// Several sessions of one store, like several processes, build the same indexes.
import Dispatch
import Foundation
import SmallBackend
import Synchronization
import TestSupport
import Testing
import Todana

/// An object whose loading can be blocked.
private final class Held: StoredObject {
  final var number: UInt32 = 0

  /// A semaphore for which the next loading waits.
  static let gate = Mutex<DispatchSemaphore?>(nil)
  static let waiting = DispatchSemaphore(value: 0)

  override class var indexes: [Index] { [Index(\Held.number, name: "number")] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readUInt32()
    guard let gate = Self.gate.withLock({ $0.take() }) else { return }
    Self.waiting.signal()
    _ = gate.wait(timeout: .now() + 120)
  }

  override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt32(number) }
}

/// The stored class without its index.
private final class Plain: StoredObject {
  final var number: UInt32 = 0

  override class var storedName: String { "Held" }

  override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readUInt32() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeUInt32(number) }
}

@Suite(.serialized) struct SharedBuildingTests {
  private let query = Held.where { $0.number == 7 }

  private func makeBackend(_ count: Int) throws -> DictionaryBackend {
    let backend = DictionaryBackend()
    let store = try Store(backend: backend, classes: [Plain.self])
    for number in 0..<count {
      let object = Plain()
      object.number = UInt32(number % 10)
      try store.insert(object)
    }
    try store.saveChanges()
    try store.close()
    return backend
  }

  private func open(_ backend: any StoreBackend, _ time: IndexBuildingTime) throws -> Store {
    var configuration = StoreConfiguration()
    configuration.indexBuilding = time
    return try Store(backend: backend, classes: [Held.self], configuration: configuration)
  }

  /// Waits until a condition holds, for at most a minute.
  private func wait(
    sourceLocation: SourceLocation = #_sourceLocation, until condition: () throws -> Bool
  ) throws {
    for _ in 0..<6000 {
      if try condition() { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
    Issue.record("The condition was not met within a minute.", sourceLocation: sourceLocation)
  }

  @Test func `a later builder takes over, and the first one uses the index when it is complete`() throws {
    let backend = try makeBackend(500)
    let other = DictionaryBackend(sharing: backend)
    let first = try open(backend, .manual)
    let second = try open(other, .manual)
    var isSecondDone = false
    let error = #expect(throws: StoreError.self) {
      try first.buildIndexes { _ in
        if isSecondDone { return }
        isSecondDone = true
        try second.buildIndexes()
      }
    }
    #expect(error?.code == .indexTakenOver && error?.className == "Held")
    for store in [first, second] {
      #expect(try store.indexes.map(\.isComplete) == [true])
      #expect(try store.indexes.map(\.entryCount) == [500])
      #expect(try store.explain(query).indexNames == ["number"])
      #expect(try store.count(query) == 50)
      #expect(try store.verify().isSound)
      try store.buildIndexes()
      try store.close()
    }
  }

  @Test func `an index has the changes that others save while it is built`() throws {
    let backend = try makeBackend(500)
    let other = DictionaryBackend(sharing: backend)
    let first = try open(backend, .manual)
    let second = try open(other, .manual)
    var isSecondDone = false
    try first.buildIndexes { _ in
      if isSecondDone { return }
      isSecondDone = true
      for object in try second.fetch(query) { try second.update(object) { $0.number = 70 } }
      let object = Held()
      object.number = 7
      try second.insert(object)
      try second.saveChanges()
    }
    #expect(isSecondDone)
    #expect(try first.count(query) == 1)
    #expect(try first.count(Held.where { $0.number == 70 }) == 50)
    #expect(try first.verify().isSound)
    // The other session does not know that the index is complete, and scans all objects.
    #expect(try second.count(query) == 1)
    try first.close()
    try second.close()
  }

  @Test func `two sessions that build in the background complete the index, and both use it`() throws {
    let backend = try makeBackend(10_500)
    let first = try open(backend, .background)
    let second = try open(DictionaryBackend(sharing: backend), .background)
    try wait { try first.indexes.allSatisfy(\.isComplete) && second.indexes.allSatisfy(\.isComplete) }
    for store in [first, second] {
      #expect(try store.indexes.allSatisfy { $0.failure == nil })
      #expect(try store.indexes.map(\.entryCount) == [10_500])
      #expect(try store.count(query) == 1050)
      #expect(try store.explain(query).indexNames == ["number"])
      #expect(try store.verify().isSound)
      try store.close()
    }
  }

  /// The first builder is held while the other session claims the index, so it always loses its claim.
  @Test(arguments: [false, true])
  func `a session continues the building that another one gives up`(isAwaited: Bool) throws {
    struct Enough: Error {}
    let backend = try makeBackend(10_500)
    let gate = DispatchSemaphore(value: 0)
    Held.gate.withLock { $0 = gate }
    let first = try open(backend, .background)
    #expect(Held.waiting.wait(timeout: .now() + 60) == .success)
    let second = try open(DictionaryBackend(sharing: backend), .manual)
    #expect(throws: Enough.self) {
      try second.buildIndexes { _ in
        if isAwaited {
          // The first builder notices the claim before it is given up.
          gate.signal()
          Thread.sleep(forTimeInterval: 1)
        }
        throw Enough()
      }
    }
    try second.close()
    if !isAwaited { gate.signal() }
    try wait { try first.indexes.allSatisfy(\.isComplete) }
    #expect(try first.indexes.map(\.entryCount) == [10_500])
    #expect(try first.verify().isSound)
    try first.close()
  }

  @Test func `sessions that open at the same time all open, and the index becomes complete`() throws {
    for _ in 0..<10 {
      let backend = try makeBackend(300)
      let stores = Mutex<[DictionaryBackend]>([])
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let shared = DictionaryBackend(sharing: backend)
        do {
          let store = try Store(backend: shared, classes: [Held.self])
          try store.close()
          stores.withLock { $0.append(shared) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      let store = try open(backend, .onOpening)
      try wait { try store.indexes.allSatisfy(\.isComplete) }
      #expect(try store.count(query) == 30)
      #expect(try store.verify().isSound)
      try store.close()
    }
  }

  @Test func `closing the last store ends the building and waits for its step`() throws {
    let backend = try makeBackend(10_500)
    let gate = DispatchSemaphore(value: 0)
    Held.gate.withLock { $0 = gate }
    let store = try open(backend, .background)
    #expect(Held.waiting.wait(timeout: .now() + 60) == .success)
    // The builder is in the middle of a step. Let the step continue when the close waits for it, or a little earlier.
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { gate.signal() }
    try store.close()
    let number = try backend.snapshot().commitNumber
    Thread.sleep(forTimeInterval: 0.05)
    #expect(try backend.snapshot().commitNumber == number)
    // The next session continues from the same place.
    let next = try open(backend, .manual)
    #expect(try next.indexes.map(\.isComplete) == [false])
    #expect(try next.indexes.allSatisfy { $0.failure == nil })
    try next.buildIndexes()
    #expect(try next.count(query) == 1050)
    #expect(try next.verify().isSound)
    try next.close()
    try backend.close()
  }

  @Test func `a store that closes beside others does not disturb their building`() throws {
    let backend = try makeBackend(10_500)
    let gate = DispatchSemaphore(value: 0)
    Held.gate.withLock { $0 = gate }
    let store = try open(backend, .background)
    #expect(Held.waiting.wait(timeout: .now() + 60) == .success)
    let other = try open(backend, .background)
    // Closing one of several stores does not wait for the building step, which is blocked here.
    try store.close()
    gate.signal()
    try wait { try other.indexes.allSatisfy(\.isComplete) }
    #expect(try other.count(query) == 1050)
    try other.close()
  }

  @Test func `building from within a building is refused`() throws {
    let backend = try makeBackend(100)
    let store = try open(backend, .manual)
    let other = try open(backend, .manual)
    for builder in [store, other] {
      let error = #expect(throws: StoreError.self) {
        try store.buildIndexes { _ in try builder.buildIndexes() }
      }
      #expect(error?.code == .reentrant)
    }
    try store.buildIndexes()
    #expect(try other.count(query) == 10)
    try store.close()
    try other.close()
  }

  @Test func `the last store can be closed by the progress of its building`() throws {
    let backend = try makeBackend(100)
    let store = try open(backend, .manual)
    let error = #expect(throws: StoreError.self) { try store.buildIndexes { _ in try store.close() } }
    #expect(error?.code == .closed)
    let next = try open(backend, .onOpening)
    #expect(try next.indexes.map(\.isComplete) == [true])
    #expect(try next.verify().isSound)
    try next.close()
  }

  @Test func `commits of other sessions reach listeners`() async throws {
    let backend = try makeBackend(10)
    let store = try open(backend, .manual)
    let other = try open(DictionaryBackend(sharing: backend), .manual)
    let commits = store.commits()
    let listener = Task {
      for await commit in commits { return commit.isUnknown }
      return false
    }
    try other.insert(Held())
    try other.saveChanges()
    #expect(await listener.value)
    try store.close()
    try other.close()
  }
}
