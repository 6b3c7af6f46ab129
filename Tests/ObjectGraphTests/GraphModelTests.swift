import TestSupport
import Testing
import Todana

/// Random changes of two stores over one backend, against a model in plain dictionaries.
@Suite struct GraphModelTests {
  private static let seeds = RandomSeeds.seeds(new: 4, long: 4)

  /// Returns the backend for a sequence: one in memory that simulates faults for most, as it is the fastest.
  private static func backend(of seed: UInt64) -> EveryBackend {
    let backends = EveryBackend.allCases
    let number = Int(seed % 64)
    return number < backends.count ? backends[number] : .faulty
  }

  @Test(arguments: seeds)
  func `rules, conflicts and undo agree with a model`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var counts: [GraphSequence.Operation: Int] = [:]
    let (sequenceCount, stepCount) = (LongTests.areEnabled ? 25_000 : 200, 30)
    for number in 0..<sequenceCount {
      let sequenceSeed = RandomSeeds.repeated ?? generator.next()
      let sequence = try GraphSequence(seed: sequenceSeed, over: Self.backend(of: sequenceSeed))
      do {
        for _ in 0..<stepCount { try sequence.step() }
        try sequence.finish()
      } catch {
        Issue.record(
          "Sequence \(number) of seed \(seed) failed; TODANA_TEST_SEED=\(sequenceSeed): \(error)\n\(sequence.log)")
        return
      }
      counts.merge(sequence.counts) { $0 + $1 }
      if RandomSeeds.repeated != nil { return }
    }
    for operation in GraphSequence.Operation.allCases {
      let share = Double(counts[operation] ?? 0) / Double(sequenceCount * stepCount)
      #expect(share >= 0.05, "\(operation) is made in \(share) of the steps.")
    }
  }
}
