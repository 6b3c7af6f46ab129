// Kills a committing process again and again. Each acknowledged commit must be present afterwards in all keyspaces. The
// commit in progress may be present or not, but never in part.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct KillTests {
  @Test(arguments: [[], ["checkpoints"], ["checkpoints", "direct"], ["relaxed", "checkpoints"]])
  func `a killed process leaves its last commit or the one in progress`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var generator = SystemRandomNumberGenerator()
    var model = CrashWorkload.State(after: 0)
    for round in 0..<(LongTests.areEnabled ? 50 : 5) {
      let child = try ChildProcess(["commit", path] + settings)
      let first = try #require(child.nextLine())
      #expect(first == "\(model.commitCount)", "round \(round) starts where the previous round ended")
      usleep(.random(in: 0...80_000, using: &generator))
      child.kill()
      let acknowledged = child.remainingLines().last.flatMap { UInt64($0) } ?? model.commitCount
      let found = try state(at: path, reading: round % 3 != 2)
      let range = settings.contains("relaxed") ? model.commitCount...acknowledged + 1 : acknowledged...acknowledged + 1
      #expect(range.contains(found.commitCount), "round \(round): \(acknowledged) were acknowledged")
      while model.commitCount < found.commitCount { model.apply(model.commitCount + 1) }
      try #require(found == model, "round \(round): the store has exactly the state of commit \(found.commitCount)")
    }
  }

  /// Reads the state that the store holds.
  ///
  /// A reader leaves the log to the next process; a writer recovers and empties it.
  private func state(at path: String, reading: Bool) throws -> CrashWorkload.State {
    var options = KyotoBackend.Options()
    options.access = reading ? .read : .writeExisting
    let backend = try KyotoBackend(.directory(path), options: options)
    let state = try CrashWorkload.State(of: backend.snapshot(), CrashWorkload.Keyspaces(of: backend))
    try backend.close()
    return state
  }
}
