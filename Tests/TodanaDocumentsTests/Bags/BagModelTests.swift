import Foundation
import TestSupport
import Testing
import Todana
import TodanaDocuments

/// Random operations on bags in two stores, compared with sets.
@Suite struct BagModelTests {
  @Test(arguments: RandomSeeds.seeds([1, 2, 3, 4, 5, 6], new: 6, long: 600))
  func `bags agree with sets after random operations of two stores`(seed: UInt64) throws {
    let kind = EveryBackend.allCases[Int(seed % UInt64(EveryBackend.allCases.count))]
    let sequence = try BagSequence(seed: seed, over: kind)
    for number in 0..<150 {
      do {
        try sequence.step()
        try sequence.check()
      } catch {
        Issue.record(
          "Step \(number) of seed \(seed) failed: \(error)\n\(sequence.log.suffix(25).joined(separator: "\n"))")
        return
      }
    }
    try sequence.finish()
  }

  @Test(arguments: RandomSeeds.seeds([1, 2, 3, 4, 5, 6], new: 6, long: 600))
  func `bags agree with sets after random undoing and redoing`(seed: UInt64) throws {
    let kind = EveryBackend.allCases[Int(seed % UInt64(EveryBackend.allCases.count))]
    let sequence = try BagSequence(seed: seed, over: kind, undoes: true)
    for number in 0..<120 {
      do {
        try sequence.stepWithUndo()
        try sequence.check()
      } catch {
        Issue.record(
          "Step \(number) of seed \(seed) failed: \(error)\n\(sequence.log.suffix(25).joined(separator: "\n"))")
        return
      }
    }
    try sequence.finish()
  }
}
