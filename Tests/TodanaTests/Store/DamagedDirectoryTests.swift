import Foundation
import TestSupport
import Testing
import Todana

/// Damage at random places of any file of a killed process's store: superblock, catalog, list of last commits, logs,
/// checksums and data files.
@Suite struct DamagedDirectoryTests {
  private static let closedSaves = 12
  private static let loggedSaves = 12

  @Test(arguments: FileDamage.allCases) func `damage to any file is found or harmless`(_ damage: FileDamage) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let store = try makeKilledStore(path, in: directory)
    var random = SeededGenerator(seed: 7)
    var outcomes: [String: Int] = [:]
    let runCount = LongTests.areEnabled ? 1000 : 60
    for run in 0..<runCount {
      let copy = directory.path("copy-\(run)")
      try FileManager.default.copyItem(atPath: store, toPath: copy)
      let names = try FileManager.default.contentsOfDirectory(atPath: copy).filter { $0 != "lock" }.sorted()
      let name = try #require(names.randomElement(using: &random))
      try damage.apply(to: copy + "/" + name, &random)
      outcomes[try outcome(of: copy, damaged: name), default: 0] += 1
      try FileManager.default.removeItem(atPath: copy)
    }
    print(
      "\(damage), \(runCount) times: "
        + outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    // Most of the files is unused space, so few small damages have an effect: 4 of 1,000 flipped bits.
    if LongTests.areEnabled || damage == .cut || damage == .zeroedPage {
      #expect(outcomes["reported", default: 0] > 0)
    }
  }

  /// Makes a store with some saves in the files and some in the log only.
  private func makeKilledStore(_ path: String, in directory: TemporaryDirectory) throws -> String {
    var store = try Store(.directory(path), classes: SaveWorkload.classes)
    for number in 1...Self.closedSaves { try SaveWorkload.save(number, to: store) }
    try store.close()
    store = try Store(.directory(path), classes: SaveWorkload.classes)
    for number in 1...Self.loggedSaves { try SaveWorkload.save(Self.closedSaves + number, to: store) }
    // The copy has all that was written, like a store left by a killed process.
    let killed = directory.path("killed")
    try FileManager.default.copyItem(atPath: path, toPath: killed)
    try store.close()
    return killed
  }

  private func outcome(of path: String, damaged name: String) throws -> String {
    let all = Self.closedSaves + Self.loggedSaves
    do {
      let store = try Store(.directory(path), classes: SaveWorkload.classes)
      defer { try? store.close() }
      let state = try SaveWorkload.State(of: store)
      if state == SaveWorkload.State(after: all) { return "without effect" }
      // A damaged end of the log looks like one that was never written; all earlier saves are present.
      #expect(name.hasPrefix("log-"), "damage to \(name) leaves \(state.saveCount) saves")
      #expect((Self.closedSaves..<all).contains(state.saveCount))
      #expect(state == SaveWorkload.State(after: state.saveCount), "damage to \(name)")
      return "taken for the end of the log"
    } catch {
      #expect(error is StoreError || error is BackendError, "\(error)")
      return "reported"
    }
  }
}
