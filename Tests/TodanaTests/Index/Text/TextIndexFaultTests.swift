// Failing calls of the system and of a backend while texts are saved and merged.
import Foundation
import TestSupport
import Testing

@testable import Todana

@Suite struct TextIndexFaultTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    /// The kind of call that fails, as in `TextFaultRun.kinds` of CrashChild.
    let kind: String
    let error: Int32
    let isLasting: Bool

    var testDescription: String { "\(kind) \(error)\(isLasting ? " from then on" : "")" }
  }

  static let faults: [Fault] = [
    Fault(kind: "write", error: ENOSPC, isLasting: true), Fault(kind: "write", error: EIO, isLasting: false),
    Fault(kind: "flush", error: EIO, isLasting: false), Fault(kind: "resize", error: ENOSPC, isLasting: true),
    Fault(kind: "open", error: EMFILE, isLasting: false), Fault(kind: "rename", error: EIO, isLasting: false),
    Fault(kind: "remove", error: EIO, isLasting: false), Fault(kind: "map", error: ENOMEM, isLasting: false),
    Fault(kind: "read", error: EIO, isLasting: false),
  ]

  @Test(.disabled(if: Sanitizer.isUsed, "a sanitizer replaces the functions that are made to fail"), arguments: faults)
  func `a failing call during saves and merges loses nothing`(_ fault: Fault) throws {
    let isEncrypted = Bool.random()
    let sampleCount = LongTests.areEnabled ? 100 : 2
    // A first run, in which nothing fails, counts the calls.
    let (count, _) = try run(fault, isEncrypted, first: Int.max / 2, step: 1)
    // Some kinds of calls are not made at all.
    if count == 0 { return }
    let step = max(1, count / sampleCount)
    let (_, errorCount) = try run(fault, isEncrypted, first: Int.random(in: 1...step), step: step)
    print("texts, \(fault.testDescription): \(count) calls, \(errorCount) errors, encrypted: \(isEncrypted)")
  }

  /// Runs the child, and returns the number of calls without a fault and the number of errors.
  private func run(_ fault: Fault, _ isEncrypted: Bool, first: Int, step: Int) throws -> (calls: Int, errors: Int) {
    let directory = try TemporaryDirectory(isInMemory: true)
    let child = try ChildProcess(
      "text-faults", directory.path, fault.kind, "\(fault.error)", fault.isLasting ? "1" : "0",
      isEncrypted ? "1" : "0", "\(first)", "\(step)")
    var (call, errorCount) = ("no call", 0)
    while let line = child.nextLine() {
      let number = line.split(separator: " ").last.flatMap { Int($0) }
      switch line.prefix(while: { $0 != " " }) {
      case "call": call = line
      case "errors": errorCount += number ?? 0
      case "calls": return (try #require(number), errorCount)
      default: Issue.record("\(line), \(call), encrypted: \(isEncrypted)")
      }
    }
    Issue.record("the process ended at \(call), encrypted: \(isEncrypted)")
    return (0, errorCount)
  }

  @Test func `a full disk keeps texts pending, and they are merged when there is room`() throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("text-full-disk", directory.path("store"))
    #expect(
      child.remainingLines() == ["error backend noSpace", "searched", "saved", "merged [0, 0]", "problems 0"])
  }

  // MARK: The backend

  private static let failure = BackendError(.inputOutput, "The disk does not answer.")

  @Test(arguments: [false, true])
  func `each call of the backend may fail during saves and merges`(_ isEncrypted: Bool) throws {
    let backend = try FaultyBackend(keyRing: isEncrypted ? EveryBackend.keyRing() : nil)
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    let store = try Store(backend: backend, classes: TextWorkload.classes, configuration: configuration)
    var saveCount = 0
    while saveCount < 3 {
      saveCount += 1
      try TextWorkload.save(saveCount, to: store)
      try store.buildIndexes()
    }
    var searches = LeafletSearches(seed: 5)
    var failureCount = 0
    for number in stride(from: 0, to: 10_000, by: LongTests.areEnabled ? 1 : 7) {
      saveCount += 1
      try TextWorkload.save(saveCount, to: store)
      backend.failCall(after: number, with: Self.failure)
      do {
        try store.buildIndexes()
        _ = try store.storedIndexes
        #expect(backend.failNoCall())
        break
      } catch let error as StoreError {
        #expect(error.backendError?.code == .inputOutput, "call \(number): \(error)")
        backend.failNoCall()
        failureCount += 1
      }
      try searches.check(store, count: 3, "after call \(number)")
      try store.expectNoLostSegments("after call \(number)")
      if number % 5 == 0 {
        // Another store, and the next merge.
        let other = try Store(backend: backend, classes: TextWorkload.classes, configuration: configuration)
        try searches.check(other, count: 3, "another store after call \(number)")
        try other.buildIndexes()
        #expect(try other.storedIndexes.map(\.pendingCount) == [0, 0], "after call \(number)")
        #expect(try other.verify().problems.isEmpty, "after call \(number)")
        try store.expectNoLostSegments("later, after call \(number)")
      }
    }
    #expect(failureCount > 5 && searches.foundCount > 100, "\(failureCount)")
    #expect(try TextWorkload.state(of: store) == TextWorkload.state(after: saveCount))
    #expect(try store.verify().problems.isEmpty)
  }
}
