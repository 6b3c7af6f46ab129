// Kills a saving process at random moments. All acknowledged saves are present afterwards, in every class and named
// buffer. The save in progress is present entirely or not at all.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct KilledProcessTests {
  @Test(arguments: [[], ["checkpoints"], ["encrypted"], ["encrypted", "checkpoints"]])
  func `a killed process leaves its last save or the one in progress and needs no repair`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var generator = SystemRandomNumberGenerator()
    let isEncrypted = settings.contains("encrypted")
    var known = 0
    for round in 0..<(LongTests.areEnabled ? 100 : 10) {
      let child = try ChildProcess(["store-save", path] + settings)
      let first = try #require(child.nextLine())
      #expect(first == "\(known)", "round \(round) starts where the previous round ended")
      usleep(.random(in: 0...60_000, using: &generator))
      child.kill()
      let acknowledged = child.remainingLines().last.flatMap { Int($0) } ?? known
      if isEncrypted { try expectNothingReadable(in: path) }
      let configuration = StoreConfiguration(encryption: isEncrypted ? SaveWorkload.encryption : .none)
      let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
      let found = try SaveWorkload.State(of: store)
      #expect((acknowledged...acknowledged + 1).contains(found.saveCount), "round \(round)")
      try #require(found == SaveWorkload.State(after: found.saveCount), "round \(round)")
      // Each index entry must belong to a record, and each record must have its entries.
      if round % 5 == 0 { #expect(try store.verify().problems.isEmpty, "round \(round)") }
      known = found.saveCount
      try store.close()
      if isEncrypted { try expectNothingReadable(in: path) }
    }
  }

  private func expectNothingReadable(in path: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let content = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      for word in SaveWorkload.words where content.range(of: Data(word.utf8)) != nil || name.contains(word) {
        Issue.record("\(word) is readable in \(name)")
      }
    }
  }
}
