// Kills a process at random moments while it saves texts and merges them.
import Foundation
import TestSupport
import Testing

@testable import Todana

@Suite struct KilledTextIndexTests {
  @Test(arguments: [["checkpoints"], ["encrypted", "relaxed"]], RandomSeeds.seeds(new: 1, long: 3))
  func `a killed merge loses no text and leaves nothing behind`(_ settings: [String], _ seed: UInt64) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    var random = SeededGenerator(seed: seed)
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    var store = try Store(.directory(path), classes: TextWorkload.classes, configuration: configuration)
    var known = 0
    while known < 30 {
      known += 1
      try TextWorkload.save(known, to: store, durability: .relaxed)
      if known % 10 == 0 { try store.buildIndexes() }
    }
    try store.close()
    var searches = LeafletSearches(seed: seed)
    var unfinishedCount = 0
    for round in 0..<(LongTests.areEnabled ? 30 : 5) {
      let child = try ChildProcess(["store-texts", path] + settings)
      _ = child.nextLine()
      usleep(.random(in: 0...120_000, using: &random))
      child.kill()
      let lines = child.remainingLines()
      for line in lines where line.hasPrefix("error") { Issue.record("round \(round): \(line), seed \(seed)") }
      let acknowledged = lines.last.flatMap { Int($0) } ?? known

      store = try Store(.directory(path), classes: TextWorkload.classes, configuration: configuration)
      let saveCount = try TextWorkload.saveCount(of: store)
      // No system ended, so that no acknowledged save is lost, not even a relaxed one.
      #expect(saveCount >= acknowledged, "round \(round), seed \(seed)")
      try #require(
        TextWorkload.state(of: store) == TextWorkload.state(after: saveCount), "round \(round), seed \(seed)")
      known = saveCount
      try store.expectNoLostSegments("round \(round), seed \(seed)")
      try searches.check(store, count: 4, "round \(round)")
      #expect(try store.verify().problems.isEmpty, "round \(round), seed \(seed)")
      if try store.storedIndexes.contains(where: { $0.pendingCount > 0 }) { unfinishedCount += 1 }
      // In every other round, the next process continues with what is pending.
      if round % 2 == 1 {
        try store.buildIndexes()
        #expect(try store.storedIndexes.map(\.pendingCount) == [0, 0], "round \(round), seed \(seed)")
        try searches.check(store, count: 3, "after a merge in round \(round)")
        #expect(try store.verify().problems.isEmpty, "after a merge in round \(round), seed \(seed)")
      }
      try store.close()
    }
    #expect(unfinishedCount > 0 && searches.foundCount > 100 && searches.indexedCount > 100, "seed \(seed)")
  }
}
