// Power failures at any moment of saving and merging texts.
import CPowerFailure
import Foundation
import TestSupport
import Testing

@testable import Todana

/// Tests of text indexes after a power failure.
///
/// A child process that saves and merges texts records its system calls. Any part of the unflushed data may be lost, in
/// any order.
@Suite(.enabled(if: !Sanitizer.isUsed, "the operations of a sanitized process are not recorded"))
struct TextIndexPowerFailureTests {
  /// The number of saves that a number of operations has made durable.
  private struct Mark {
    var operationCount: Int64
    var saveCount: Int
  }

  private static let initialSaveCount = 10
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory(isInMemory: true) }

  private func open(_ name: String, _ settings: [String]) throws -> Store {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    return try Store(.directory(directory.path(name)), classes: TextWorkload.classes, configuration: configuration)
  }

  private func record(_ settings: [String]) throws -> [Mark] {
    let store = try open("store", settings)
    for number in 1...Self.initialSaveCount { try TextWorkload.save(number, to: store, durability: .relaxed) }
    try store.buildIndexes()
    try store.close()
    try FileManager.default.copyItem(atPath: directory.path("store"), toPath: directory.path("initial"))
    let child = try ChildProcess(["text-record", directory.path("store"), directory.path("log")] + settings)
    var lines = child.remainingLines()
    try #require(lines.popLast() == "recorded", "\(lines)")
    return try lines.map { line in
      let numbers = line.split(separator: " ").compactMap { Int64($0) }
      try #require(numbers.count == 2, "\(line)")
      return Mark(operationCount: numbers[0], saveCount: Int(numbers[1]))
    }
  }

  @Test(arguments: [["checkpoints"], ["encrypted"]])
  func `searches are right after a power failure, and later merges finish`(_ settings: [String]) throws {
    let marks = try record(settings)
    var searches = LeafletSearches(seed: 3)
    var (stateCount, pendingCount) = (0, 0)
    for seed in 1...(LongTests.areEnabled ? 5 : 1) as ClosedRange<UInt64> {
      let opened = unsafe power_failure_replay_open(
        directory.path("log"), directory.path("initial"), 512, false, false, seed)
      let replay = unsafe try #require(unsafe opened)
      defer { unsafe power_failure_replay_close(replay) }
      let count = unsafe power_failure_replay_count(replay)
      #expect(count > 200)
      var random = SeededGenerator(seed: seed)
      let moments = (0..<(LongTests.areEnabled ? 80 : 16)).map { _ in Int64.random(in: 0...count, using: &random) }
      for (number, moment) in moments.sorted().enumerated() {
        try #require(unsafe power_failure_replay_lay(replay, moment, directory.path("left")))
        let name = "moment \(moment), seed \(seed), \(settings)"
        let least = marks.last { $0.operationCount <= moment }?.saveCount ?? Self.initialSaveCount
        let store = try open("left", settings)
        let saveCount = try TextWorkload.saveCount(of: store)
        #expect((least...least + 4).contains(saveCount), "\(name)")
        #expect(try TextWorkload.state(of: store) == TextWorkload.state(after: saveCount), "\(name)")
        try store.expectNoLostSegments(name)
        if try store.storedIndexes.contains(where: { $0.pendingCount > 0 }) { pendingCount += 1 }
        try searches.check(store, count: 4, name)
        #expect(try store.verify().problems.isEmpty, "\(name)")
        if number % 4 == 0 {
          try TextWorkload.save(saveCount + 1, to: store)
          try store.buildIndexes()
          #expect(try store.storedIndexes.map(\.pendingCount) == [0, 0], "\(name)")
          try searches.check(store, count: 4, "after a merge, \(name)")
          #expect(try store.verify().problems.isEmpty, "after a merge, \(name)")
          try store.expectNoLostSegments("after a merge, \(name)")
        }
        try store.close()
        stateCount += 1
      }
    }
    #expect(pendingCount > 0 && searches.indexedCount > 1000, "\(pendingCount), \(searches.indexedCount)")
    print("power failures of text indexes, \(settings): \(stateCount) states")
  }
}
