import Foundation
import TestSupport
import Testing
import Todana

/// Kills, and failing calls of a backend, while rules are carried out and saved.
@Suite struct GraphFailureTests {
  @Test(arguments: [["checkpoints"], ["encrypted", "relaxed"]], RandomSeeds.seeds(new: 1, long: 3))
  func `a killed save leaves no dangling reference`(_ settings: [String], _ seed: UInt64) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    var random = SeededGenerator(seed: seed)
    var configuration = StoreConfiguration()
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    var known = 0
    for round in 0..<(LongTests.areEnabled ? 100 : 6) {
      let child = try ChildProcess(["store-graph", path] + settings)
      _ = child.nextLine()
      usleep(.random(in: 0...60_000, using: &random))
      child.kill()
      let lines = child.remainingLines()
      for line in lines where line.hasPrefix("error") { Issue.record("round \(round): \(line), seed \(seed)") }
      let acknowledged = lines.last.flatMap { Int($0) } ?? known
      let store = try Store(.directory(path), classes: GraphWorkload.classes, configuration: configuration)
      known = try GraphWorkload.saveCount(of: store)
      // No system ended, so that no acknowledged save is lost, not even a relaxed one.
      #expect(known >= acknowledged, "round \(round), seed \(seed)")
      #expect(try GraphWorkload.differences(of: store, after: known) == [], "round \(round), seed \(seed)")
      try store.close()
    }
    #expect(known > 10, "seed \(seed)")
  }

  @Test(arguments: [false, true])
  func `each call of the backend may fail during changes and saves`(_ isUndone: Bool) throws {
    let failure = BackendError(.inputOutput, "The disk does not answer.")
    let backend = FaultyBackend(keyRing: nil)
    let store = try Store(backend: backend, classes: GraphWorkload.classes)
    if isUndone { store.undoStack = UndoStack() }
    for number in 1...6 { try GraphWorkload.save(number, to: store) }
    var saveCount = 6
    var failureCount = 0
    for number in 0..<10_000 {
      backend.failCall(after: number, with: failure)
      do {
        // All or nothing, as a program that goes on would have it.
        try store.savepoint { try GraphWorkload.change(saveCount + 1, in: store) }
        try store.saveChanges()
        #expect(backend.failNoCall())
        saveCount += 1
        break
      } catch let error as StoreError {
        #expect(error.backendError?.code == .inputOutput, "call \(number): \(error)")
        backend.failNoCall()
        failureCount += 1
      }
      // The save that failed is saved after all, or undone.
      if store.hasUnsavedChanges, number % 2 == 0 {
        try store.saveChanges()
        saveCount += 1
        if isUndone {
          try store.undo()
          try store.saveChanges()
          saveCount -= 1
        }
      } else {
        store.discardChanges()
      }
      let other = try Store(backend: backend, classes: GraphWorkload.classes)
      for checked in [store, other] {
        #expect(try GraphWorkload.differences(of: checked, after: saveCount) == [], "call \(number)")
      }
      try other.close()
    }
    #expect(failureCount > 10, "\(failureCount)")
    #expect(try GraphWorkload.differences(of: store, after: saveCount) == [])
    try store.close()
  }
}
