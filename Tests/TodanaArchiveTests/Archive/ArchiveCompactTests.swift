import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

@Suite struct ArchiveCompactTests {
  @Test func `compacting removes the content of removed snapshots, and nothing that is needed`() throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    var generator = SeededGenerator(seed: 5)
    func write(_ name: String, _ length: Int) throws {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try Data(bytes).write(to: URL(filePath: scratch.directory.path(name)))
    }
    try scratch.directory.make("a/sub")
    try scratch.directory.make("b")
    for number in 0..<100 { try write("a/sub/\(number)", 2000) }
    try write("a/large", 400_000)
    let first = try #require(try scratch.add("a").snapshot)
    // A few small files of the group and half of the large file remain in use.
    for number in 0..<10 {
      try Command.run("cp", [scratch.directory.path("a/sub/\(number * 10)"), scratch.directory.path("b")])
    }
    let large = try Data(contentsOf: URL(filePath: scratch.directory.path("a/large")))
    try large.prefix(200_000).write(to: URL(filePath: scratch.directory.path("b/half")))
    let second = try #require(try scratch.add("b").snapshot)

    let nothing = try scratch.archive.compact()
    #expect(nothing.removedContents == 0 && nothing.removedSmallFiles == 0 && nothing.removedPages == 0)
    #expect(nothing.rewrittenGroups == 0)
    try scratch.archive.remove([first])
    let result = try scratch.archive.compact()
    #expect(result.removedContents > 20)
    #expect(result.removedSmallFiles == 90)
    #expect(result.rewrittenGroups == 1)
    #expect(result.byteCountAfter < result.byteCountBefore - 300_000)
    #expect(try scratch.archive.verify().isSound)
    try scratch.reopen()
    let progress = try scratch.extract(second, to: "to")
    #expect(progress.failures == [])
    try Command.run("diff", ["-r", scratch.directory.path("b"), scratch.restored("b", in: "to")])

    // Removed content can be added again.
    let again = try scratch.add("a")
    #expect(again.progress.newBytes > 300_000)
    try scratch.extract(again.snapshot, to: "again")
    try Command.run("diff", ["-r", scratch.directory.path("a"), scratch.restored("a", in: "again")])
    #expect(try scratch.archive.verify().isSound)
  }

  @Test func `a compaction that is ended early leaves every snapshot whole`() throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    try scratch.directory.make("a")
    for number in 0..<50 { try scratch.directory.write(String(repeating: "\(number) ", count: 500), to: "a/\(number)") }
    let first = try #require(try scratch.add("a").snapshot)
    for number in 0..<40 { try scratch.directory.write("changed \(number)", to: "a/\(number)") }
    let second = try #require(try scratch.add("a").snapshot)
    try scratch.archive.remove([first])
    struct Enough: Error {}
    for stop in 1..<8 {
      var count = 0
      #expect(throws: Enough.self) {
        _ = try scratch.archive.compact { _ in
          count += 1
          if count >= stop { throw Enough() }
        }
        throw Enough()
      }
      #expect(try scratch.archive.verify().isSound)
      try scratch.extract(second, to: "to-\(stop)")
      try Command.run("diff", ["-r", scratch.directory.path("a"), scratch.restored("a", in: "to-\(stop)")])
    }
  }
}
