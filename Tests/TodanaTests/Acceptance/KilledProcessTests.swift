// Kills a saving process at random moments. What it was told is saved is there afterwards, in all classes and named
// buffers of the same save; the save in hand is there or not, never in part.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct KilledProcessTests {
  @Test(arguments: [[], ["checkpoints"]])
  func `a killed process leaves its last save or the one in hand, and no repair to do`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var generator = SystemRandomNumberGenerator()
    var known = 0
    for round in 0..<(LongTests.areEnabled ? 100 : 10) {
      let child = try ChildProcess(["store-save", path] + settings)
      let first = try #require(child.nextLine())
      #expect(first == "\(known)", "round \(round) starts where the last one left off")
      usleep(.random(in: 0...60_000, using: &generator))
      child.kill()
      let acknowledged = child.remainingLines().last.flatMap { Int($0) } ?? known
      let store = try Store(.directory(path), classes: SaveWorkload.classes)
      let found = try SaveWorkload.State(of: store)
      #expect((acknowledged...acknowledged + 1).contains(found.saveCount), "round \(round)")
      try #require(found == SaveWorkload.State(after: found.saveCount), "round \(round)")
      known = found.saveCount
      try store.close()
    }
  }
}
