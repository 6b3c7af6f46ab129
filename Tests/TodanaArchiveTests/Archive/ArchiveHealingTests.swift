import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests that adding damaged content again repairs it in all snapshots.
@Suite struct ArchiveHealingTests {
  private let scratch: ScratchArchive
  private let first: Snapshot

  init() throws {
    scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    var generator = SeededGenerator(seed: 8)
    for directory in 0..<4 {
      try scratch.directory.make("from/\(directory)")
      for number in 0..<12 {
        let length = number < 3 ? 70_000 : Int.random(in: 100...3000, using: &generator)
        let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try Data(bytes).write(to: URL(filePath: scratch.directory.path("from/\(directory)/\(number)")))
      }
    }
    first = try #require(try scratch.add("from").snapshot)
    try scratch.archive.close()
    try Command.run("cp", ["-r", scratch.path, scratch.directory.path("sound")])
  }

  private func open() throws -> Archive { try Archive(at: scratch.path, configuration: ScratchArchive.configuration) }

  /// Flips bits of a file; returns nil if the archive cannot be opened or has no damaged files.
  private func damaged(
    _ name: String, flipCount: Int, _ generator: inout SeededGenerator
  ) throws -> (Archive, ArchiveVerification)? {
    try Command.run("rm", ["-rf", scratch.path])
    try Command.run("cp", ["-r", scratch.directory.path("sound"), scratch.path])
    let url = URL(filePath: scratch.path + "/" + name)
    var data = try Data(contentsOf: url)
    for _ in 0..<flipCount where data.count > 8192 {
      data[Int.random(in: 8192..<data.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    }
    try data.write(to: url)
    guard let archive = try? open() else { return nil }
    guard let found = try? archive.verify(), found.damagedFileCount > 0 else {
      try? archive.close()
      return nil
    }
    return (archive, found)
  }

  @Test func `damaged content is whole in all snapshots after it is added again`() throws {
    var generator = SeededGenerator(seed: 9)
    let names = try scratch.directory.names("sound").filter { $0.hasSuffix(".kch") && !$0.contains("catalog") }
    var healedCount = 0
    var unhealedCount = 0
    let contents = try largest()
    for round in 0..<(ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] == nil ? 25 : 150) {
      let name = round.isMultiple(of: 2) ? contents : names[round / 2 % names.count]
      guard let (archive, found) = try damaged(name, flipCount: name == contents ? 3 : 1, &generator) else { continue }
      defer { try? archive.close() }
      let count = try archive.noteDamage(found)
      #expect(count > 0)
      // Nothing in the directory has changed, but damaged content is read again.
      let second: Snapshot
      do {
        second = try #require(try archive.add([scratch.directory.bytes("from")]).snapshot)
      } catch let error as StoreError where ContentStore.isDamage(error) {
        // A new record may need a change to a damaged page. That is an error, but nothing is lost.
        unhealedCount += 1
        continue
      }
      let after = try archive.verify()
      guard after.damagedFiles.isEmpty else {
        // The damage is in the index that finds rows by their names.
        unhealedCount += 1
        continue
      }
      healedCount += 1
      for (number, snapshot) in [first, second].enumerated() {
        let target = scratch.directory.path("to\(number)")
        try Command.run("rm", ["-rf", target])
        let progress = try archive.extract(snapshot, to: Array(target.utf8))
        #expect(progress.failures == [], "round \(round)")
        try Command.run(
          "diff", ["-r", scratch.directory.path("from"), scratch.restored("from", in: "to\(number)")])
      }
      var differences: [String] = []
      try archive.diff(first, second, onFailure: { Issue.record("\($0)") }) { difference in
        // The directories above may have different times.
        if difference.changes != [.metadata] { differences.append(printable(difference.path)) }
      }
      #expect(differences == [], "round \(round): content that was stored again is equal")
      // The repair lasts when compaction removes unused content.
      _ = try archive.compact()
      #expect(try archive.verify().damagedFiles == [], "round \(round)")
    }
    print("healed: \(healedCount); what heals it would have to be written where the damage is: \(unhealedCount)")
    #expect(healedCount > 3 && healedCount > 3 * unhealedCount)
  }

  @Test func `only content that is noted as damaged is stored again, and only once`() throws {
    var generator = SeededGenerator(seed: 10)
    let contents = try largest()
    var found: (Archive, ArchiveVerification)?
    while found == nil { found = try damaged(contents, flipCount: 3, &generator) }
    guard let (archive, verification) = found else { return }
    let before = try count(archive)
    _ = try archive.add([scratch.directory.bytes("from")])
    #expect(try count(archive) == before)
    try archive.noteDamage(verification)
    _ = try archive.add([scratch.directory.bytes("from")])
    let healed = try count(archive)
    #expect(healed > before)
    // Content that was already replaced is not stored again.
    _ = try archive.add([scratch.directory.bytes("from")])
    #expect(try count(archive) == healed)
    try archive.close()
  }

  @Test func `a smaller verification reports the damage that an earlier one noted`() throws {
    var generator = SeededGenerator(seed: 11)
    let contents = try largest()
    var found: (Archive, ArchiveVerification)?
    while found == nil { found = try damaged(contents, flipCount: 3, &generator) }
    guard let (archive, verification) = found else { return }
    defer { try? archive.close() }
    #expect(try archive.verify(.structure).isSound)
    try archive.noteDamage(verification)
    for scope in [ArchiveVerification.Scope.structure, .sample(1e-9)] {
      let found = try archive.verify(scope)
      #expect(Set(found.damagedFiles) == Set(verification.damagedFiles), "\(scope)")
      #expect(!found.isSound && !found.hasNews)
    }
    _ = try archive.add([scratch.directory.bytes("from")])
    guard try archive.verify().damagedFiles.isEmpty else { return }
    #expect(try archive.verify(.structure).damagedFiles.isEmpty)
    #expect(try archive.verify(.sample(1e-9)).damagedFiles.isEmpty)
  }

  /// Returns the name of the file that has the content.
  private func largest() throws -> String {
    try #require(
      try scratch.directory.names("sound").filter { $0.hasSuffix(".kch") }.max { try byteCount($0) < byteCount($1) })
  }

  private func byteCount(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.directory.path("sound/" + name))
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  private func count(_ archive: Archive) throws -> Int {
    try archive.store.catalog[StoredContent.self]?.recordCount ?? 0
  }
}
