import Foundation
import TestSupport
import Testing
import Todana

/// Kills, and failing calls of a backend, while collections change and their objects are saved.
@Suite struct CollectionFailureTests {
  @Test(arguments: [["checkpoints"], ["encrypted", "relaxed"]], RandomSeeds.seeds(new: 1, long: 3))
  func `a killed process leaves collections as after a step`(_ settings: [String], _ seed: UInt64) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    var random = SeededGenerator(seed: seed)
    var configuration = StoreConfiguration()
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    var known = 0
    for round in 0..<(LongTests.areEnabled ? 100 : 6) {
      let child = try ChildProcess(["store-collections", path] + settings)
      _ = child.nextLine()
      usleep(.random(in: 0...60_000, using: &random))
      child.kill()
      let lines = child.remainingLines()
      for line in lines where line.hasPrefix("error") { Issue.record("round \(round): \(line), seed \(seed)") }
      let acknowledged = lines.last.flatMap { Int($0) } ?? known
      let store = try Store(.directory(path), classes: [], configuration: configuration)
      known = try CollectionWorkload.stepCount(of: store)
      // No system ended, so that no acknowledged save is lost, not even a relaxed one.
      #expect(known >= acknowledged, "round \(round), seed \(seed)")
      #expect(try CollectionWorkload.differences(of: store, after: known) == [], "round \(round), seed \(seed)")
      try store.close()
    }
    #expect(known > 10, "seed \(seed)")
  }

  @Test func `each call of the backend may fail while collections change`() throws {
    let failure = BackendError(.inputOutput, "The disk does not answer.")
    let backend = FaultyBackend(keyRing: nil)
    var store = try Store(backend: backend, classes: [])
    var failureCount = 0
    for step in 1...12 {
      // Another store carries out the rest of every second step.
      if step % 2 == 0 { store = try Store(backend: backend, classes: []) }
      for number in 0..<10_000 {
        backend.failCall(after: number, with: failure)
        do {
          try CollectionWorkload.carryOut(step, in: store)
          #expect(backend.failNoCall())
          break
        } catch let error as StoreError {
          #expect(error.backendError?.code == .inputOutput, "step \(step), call \(number): \(error)")
          backend.failNoCall()
          failureCount += 1
          store.discardChanges()
        }
      }
      #expect(try CollectionWorkload.differences(of: store, after: step) == [], "step \(step)")
    }
    // Each of the steps makes several calls, and each of them has failed.
    #expect(failureCount > 50)
    #expect(try CollectionWorkload.differences(of: Store(backend: backend, classes: []), after: 12) == [])
  }
}
