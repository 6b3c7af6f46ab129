import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests of rewriting snapshots and of copying them to other archives.
@Suite struct ArchiveCopyTests {
  private func makeArchive() throws -> (ScratchArchive, Snapshot) {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    try scratch.directory.make("from/sub")
    var generator = SeededGenerator(seed: 6)
    for (name, length) in [("large", 300_000), ("sub/secret", 90_000), ("sub/small", 500), ("same", 500)] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try Data(bytes).write(to: URL(filePath: scratch.directory.path("from/\(name)")))
    }
    for number in 0..<30 { try scratch.directory.write("text \(number % 20)", to: "from/sub/\(number)") }
    return (scratch, try #require(try scratch.add("from").snapshot))
  }

  @Test func `a snapshot is rewritten without a file, and compacting removes its bytes`() throws {
    let (scratch, snapshot) = try makeArchive()
    var rules = FilterOptions()
    try rules.exclude(Array("secret".utf8))
    let rewritten = try scratch.archive.rewrite(snapshot, leavingOut: rules)
    let new = try #require(rewritten.snapshot)
    #expect(rewritten.excludedCount == 1)
    #expect(new.original == snapshot.id && new.id != snapshot.id)
    #expect(new.time == snapshot.time && new.paths == snapshot.paths)
    #expect(new.counts.files == snapshot.counts.files - 1)
    #expect(try scratch.archive.snapshots() == [new])
    let result = try scratch.archive.compact()
    #expect(result.removedContents > 5)
    #expect(try scratch.archive.verify().isSound)
    try scratch.extract(new, to: "to")
    try FileManager.default.removeItem(atPath: scratch.directory.path("from/sub/secret"))
    try Command.run("diff", ["-r", scratch.directory.path("from"), scratch.restored("from", in: "to")])

    // The second time, there is nothing to leave out.
    let again = try scratch.archive.rewrite(new, leavingOut: rules)
    #expect(again.snapshot == nil && again.excludedCount == 0)
    #expect(try scratch.archive.snapshots() == [new])
  }

  @Test func `a file of any length is copied in commits of a bounded size`() throws {
    let scratch = try ScratchArchive(chunkSizes: try Chunker.Sizes(around: 1 << 16))
    let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
    let large = try #require(try random.read(upToCount: 12 << 20))
    try large.write(to: URL(filePath: scratch.directory.path("large")))
    let snapshot = try #require(try scratch.add("large").snapshot)
    let target = try ScratchArchive()
    let before = try target.archive.store.backend.snapshot().commitNumber
    try scratch.archive.copy(snapshot, to: target.archive)
    #expect(try target.archive.store.backend.snapshot().commitNumber > before + 1)
    try target.extract(try target.archive.snapshot(named: "latest"), to: "to")
    try Command.run(
      "cmp", [scratch.directory.path("large"), "\(target.directory.path("to"))\(scratch.directory.path("large"))"])
  }

  @Test func `an interrupted rewrite leaves the snapshot unchanged`() throws {
    let (scratch, snapshot) = try makeArchive()
    var rules = FilterOptions()
    try rules.exclude(Array("secret".utf8))
    struct Enough: Error {}
    var count = 0
    #expect(throws: Enough.self) {
      try scratch.archive.rewrite(snapshot, leavingOut: rules) {
        count += 1
        if count > 20 { throw Enough() }
      }
    }
    #expect(!scratch.archive.store.hasUnsavedChanges)
    #expect(try scratch.archive.snapshots() == [snapshot])
    #expect(try scratch.archive.verify().isSound)
  }

  @Test func `a snapshot is copied under another key, and existing content is not stored again`() throws {
    let (scratch, snapshot) = try makeArchive()
    let other = try ScratchArchive(
      configuration: StoreConfiguration(encryption: .key([UInt8](repeating: 9, count: 32))))
    let copy = try scratch.archive.copy(snapshot, to: other.archive)
    #expect(copy.original == snapshot.id)
    #expect(copy.counts == snapshot.counts)
    #expect(try other.archive.verify().isSound)
    let progress = try other.archive.extract(copy, to: scratch.directory.bytes("to"))
    #expect(progress.failures == [])
    try Command.run("diff", ["-r", scratch.directory.path("from"), scratch.restored("from", in: "to")])
    #expect(try other.rowCount(StoredContent.self) == scratch.rowCount(StoredContent.self))
    #expect(try other.rowCount(StoredSmallFile.self) == scratch.rowCount(StoredSmallFile.self))

    try scratch.directory.write("new", to: "from/new")
    let second = try #require(try scratch.add("from").snapshot)
    let contents = try other.rowCount(StoredContent.self)
    try scratch.archive.copy(second, to: other.archive)
    #expect(try other.rowCount(StoredContent.self) == contents + 1)
    #expect(try other.archive.snapshots().count == 2)
    #expect(try other.archive.verify().isSound)
  }

  @Test func `an interrupted copy leaves no snapshot and can be repeated`() throws {
    let (scratch, snapshot) = try makeArchive()
    let other = try ScratchArchive()
    struct Enough: Error {}
    var count = 0
    #expect(throws: Enough.self) {
      try scratch.archive.copy(snapshot, to: other.archive) {
        count += 1
        if count > 20 { throw Enough() }
      }
    }
    #expect(try other.archive.snapshots().isEmpty)
    try scratch.archive.copy(snapshot, to: other.archive)
    #expect(try other.archive.verify().isSound)
    #expect(try other.archive.snapshots().map(\.original) == [snapshot.id])
  }
}
