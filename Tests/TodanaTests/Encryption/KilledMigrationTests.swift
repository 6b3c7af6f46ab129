// Kills a process at random moments while it saves and its store is rekeyed, encrypted or decrypted.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct KilledMigrationTests {
  @Test(arguments: [[], ["rotating"]])
  func `a killed migration loses no save, and leaves nothing behind once resumed`(_ settings: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var generator = SystemRandomNumberGenerator()
    let isRotating = settings.contains("rotating")
    var known = try makeStore(at: path, isEncrypted: isRotating)
    var unfinishedCount = 0
    var rotationCount = 0
    for round in 0..<(LongTests.areEnabled ? 100 : 12) {
      let oldKeys = try? keyFile(in: path)
      let child = try ChildProcess(["store-migrate", path] + settings)
      _ = child.nextLine()
      usleep(.random(in: 0...60_000, using: &generator))
      child.kill()
      let lines = child.remainingLines()
      for line in lines where line.hasPrefix("error") { Issue.record("round \(round): \(line)") }
      let acknowledged = lines.last.flatMap { Int($0) } ?? known

      let isEncrypted = try keyFile(in: path) != nil
      var configuration = StoreConfiguration(encryption: isEncrypted ? SaveWorkload.encryption : .none)
      configuration.resumingMigration = true
      let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
      let found = try SaveWorkload.State(of: store)
      #expect(found.saveCount >= acknowledged, "round \(round)")
      try #require(found == SaveWorkload.State(after: found.saveCount), "round \(round)")
      known = found.saveCount
      let migration = try store.unfinishedMigration()
      if migration != nil { unfinishedCount += 1 }
      #expect(try store.verify().isSound, "round \(round), \(String(describing: migration))")
      // In every third round, the next process resumes the migration instead.
      if round % 3 != 2 {
        #expect(try store.resumeMigration())
        #expect(try SaveWorkload.State(of: store) == found)
        #expect(try store.verify().isSound)
      }
      let isWhole = try store.unfinishedMigration() == nil
      try store.close()
      guard isWhole, let newKeys = try keyFile(in: path) else { continue }
      try expectNothing(of: SaveWorkload.words.map { Data($0.utf8) }, in: path)
      // A wrapped key is the last 48 bytes of its entry of 64. The wrapped master key is the 48 bytes before the check
      // of its slot.
      let wrappedMaster = (64 + 88)..<(64 + 136)
      if isRotating, let oldKeys, newKeys[wrappedMaster] != oldKeys[wrappedMaster] {
        try expectNothing(of: [oldKeys[wrappedMaster], oldKeys.suffix(48)].map { Data($0) }, in: path)
        rotationCount += 1
      }
    }
    #expect(unfinishedCount > 0, "some migration was interrupted")
    #expect(rotationCount > 0 || !isRotating)
  }

  /// Makes a store with some saves and returns their number.
  private func makeStore(at path: String, isEncrypted: Bool) throws -> Int {
    let configuration = StoreConfiguration(encryption: isEncrypted ? SaveWorkload.encryption : .none)
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    for number in 1...200 { try SaveWorkload.save(number, to: store, durability: .relaxed) }
    try store.close()
    return 200
  }

  private func keyFile(in path: String) throws -> Data? {
    guard FileManager.default.fileExists(atPath: path + "/keys") else { return nil }
    return try Data(contentsOf: URL(filePath: path + "/keys"))
  }

  private func expectNothing(of needles: [Data], in path: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let content = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
      for needle in needles where content.range(of: needle) != nil {
        Issue.record("\(String(decoding: needle, as: UTF8.self)) is found in \(name)")
      }
    }
  }
}
