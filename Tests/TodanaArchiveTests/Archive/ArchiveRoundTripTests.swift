import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests that extracted files are those that were added.
@Suite struct ArchiveRoundTripTests {
  @Test(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
  func `a tree with every kind of file and metadata is restored as it was`() throws {
    let scratch = try ScratchArchive()
    let tree = TortureTree(path: scratch.directory.path("from"))
    try tree.make()
    let added = try scratch.add("from")
    #expect(added.progress.failures == [])
    #expect(added.progress.newFiles == added.progress.counts.files)
    try scratch.reopen(.read)
    let progress = try scratch.extract(added.snapshot, to: "to")
    #expect(progress.failures == [])
    #expect(progress.warnings == [])

    let from = try TreeListing(scratch.directory.bytes("from")).comparable().filter { $0.entry.kind != .socket }
    let to = try TreeListing(Array(scratch.restored("from", in: "to").utf8)).comparable()
    #expect(from.count > TortureTree.deepCount + 50)
    #expect(from.map(\.path) == to.map(\.path))
    for (expected, found) in zip(from, to) where expected.entry != found.entry { Issue.record("\(expected) \(found)") }
    try Command.run("cmp", [scratch.directory.path("from/sparse"), scratch.restored("from/sparse", in: "to")])
    try Command.run("cmp", [scratch.directory.path("from/z/hard-c"), scratch.restored("from/hard-a", in: "to")])

    // The second run finds every file up to date.
    let again = try scratch.extract(added.snapshot, to: "to")
    #expect(again.failures == [])
    #expect(again.counts.files == 0)
    #expect(again.rightFiles == progress.counts.files)
    #expect(try TreeListing(Array(scratch.restored("from", in: "to").utf8)).comparable() == to)
  }

  @Test func `content of any length is restored, from chunks, from groups or empty`() throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    try scratch.directory.make("from")
    var generator = SeededGenerator(seed: 1)
    let lengths =
      [0, 1, 255, 256, 65_535, 65_536, 65_537, 300_000]
      + (0..<200).map { _ in Int.random(in: 0...200_000, using: &generator) }
    for (number, length) in lengths.enumerated() {
      // Every third file compresses well.
      let bytes = (0..<length).map { index in
        number.isMultiple(of: 3) ? UInt8(truncatingIfNeeded: index / 100) : UInt8.random(in: 0...255, using: &generator)
      }
      try Data(bytes).write(to: URL(filePath: scratch.directory.path("from/\(number)")))
    }
    let added = try scratch.add("from")
    #expect(added.progress.counts.files == lengths.count)
    #expect(added.progress.counts.bytes == Int64(lengths.reduce(0, +)))
    try scratch.extract(added.snapshot, to: "to")
    try Command.run("diff", ["-r", scratch.directory.path("from"), scratch.restored("from", in: "to")])
    for number in [0, 5, 7, 100] {
      var content = Data()
      let snapshot = try #require(added.snapshot)
      try unsafe scratch.archive.read(scratch.stored("from/\(number)"), of: snapshot) {
        unsafe content.append(contentsOf: $0)
      }
      #expect(try content == Data(contentsOf: URL(filePath: scratch.directory.path("from/\(number)"))))
    }
  }

  @Test func `equal content is stored once, within a snapshot and across snapshots`() throws {
    let scratch = try ScratchArchive(chunkSizes: ScratchArchive.smallChunks)
    try scratch.directory.make("from/a")
    try scratch.directory.make("from/b")
    var generator = SeededGenerator(seed: 2)
    let large = Data((0..<500_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    for name in ["a/large", "b/large", "c"] {
      try large.write(to: URL(filePath: scratch.directory.path("from/\(name)")))
    }
    for number in 0..<50 { try scratch.directory.write("small \(number % 5)", to: "from/a/\(number)") }
    let first = try scratch.add("from")
    #expect(first.progress.newBytes < 510_000)
    #expect(try scratch.rowCount(StoredSmallFile.self) == 5)
    let contents = try scratch.rowCount(StoredContent.self)

    // A copy of directory a, at another path.
    try scratch.directory.make("other")
    try Command.run("cp", ["-r", scratch.directory.path("from/a"), scratch.directory.path("other/again")])
    let second = try scratch.add("other")
    #expect(second.progress.newBytes == 0)
    #expect(try scratch.rowCount(StoredContent.self) == contents)

    // One byte inserted at the start changes only the first chunks.
    try (Data([1]) + large).write(to: URL(filePath: scratch.directory.path("other/shifted")))
    let third = try scratch.add("other")
    #expect(third.progress.newBytes > 0 && third.progress.newBytes < 50_000)
    for (added, name) in [(first, "from"), (third, "other")] {
      try scratch.extract(added.snapshot, to: "out-\(name)")
      try Command.run("diff", ["-r", scratch.directory.path(name), scratch.restored(name, in: "out-\(name)")])
    }
  }

  @Test func `unchanged files are not read again, unless that is requested`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from/sub")
    for number in 0..<20 { try scratch.directory.write("content \(number)", to: "from/sub/\(number)") }
    try scratch.wait()
    let first = try scratch.add("from")
    let second = try scratch.add("from")
    #expect(second.progress.unchangedFiles == 20)
    #expect(second.progress.bytesRead == 0)
    // The top is not compared, because other processes change the directories above.
    #expect(try scratch.pages("from", of: second) == scratch.pages("from", of: first))
    try scratch.directory.write("changed", to: "from/sub/7")
    let third = try scratch.add("from")
    #expect(third.progress.unchangedFiles == 19)
    #expect(third.progress.changedFiles == 1)
    var options = AddOptions()
    options.rescans = true
    let fourth = try scratch.add("from", options: options)
    #expect(fourth.progress.bytesRead > 0)
    #expect(fourth.progress.newBytes == 0)
    #expect(try scratch.pages("from", of: fourth) == scratch.pages("from", of: third))
    try scratch.extract(first.snapshot, to: "first")
    #expect(try String(contentsOfFile: scratch.restored("from/sub/7", in: "first"), encoding: .utf8) == "content 7")
    try scratch.extract(fourth.snapshot, to: "fourth")
    #expect(try String(contentsOfFile: scratch.restored("from/sub/7", in: "fourth"), encoding: .utf8) == "changed")
  }

  @Test func `a large directory is split into pages, and a change replaces few of them`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from")
    for number in 0..<5000 {
      try scratch.directory.write("", to: "from/a file with quite a long name, number \(number)")
    }
    let first = try scratch.add("from")
    let pages = try scratch.pages("from", of: first)
    #expect(pages.count > 3)
    try scratch.directory.write("new", to: "from/a file with quite a long name, number 2500x")
    let second = try scratch.add("from")
    let shared = Set(pages).intersection(try scratch.pages("from", of: second))
    // Usually only one page changes. If a page grows and ends at an earlier name, the next pages change as well, up to
    // the next common page end.
    #expect(shared.count >= pages.count - 4)
    try scratch.extract(second.snapshot, to: "to")
    try Command.run("diff", ["-r", scratch.directory.path("from"), scratch.restored("from", in: "to")])
  }

  @Test(arguments: [
    (["src"], ["src"]), (["./src/"], ["src"]), (["../x/src"], ["x", "x/src"]), (["/etc/hosts"], ["etc", "etc/hosts"]),
    (["a/b", "a/c"], ["a", "a/b", "a/c"]), (["a/b", "a"], ["a"]), (["a", "a/b"], ["a"]), (["a//b/../c"], ["c"]),
  ])
  func `paths are stored as given, without components that lead out`(paths: [String], expected: [String]) throws {
    let roots = try SourceRoots(paths.map { Array($0.utf8) })
    var found: [String] = []
    func visit(_ node: SourceRoots.Node, _ path: String) {
      for child in node.sortedChildren {
        let path = path + (path.isEmpty ? "" : "/") + String(decoding: child.name, as: UTF8.self)
        found.append(path)
        visit(child, path)
      }
    }
    visit(roots.top, "")
    #expect(found == expected)
  }

  @Test(arguments: [[""], ["a\0b"], [".", "a"], ["/", ".."], ["x/a", "../x/a"]])
  func `paths without a definite place are refused`(paths: [String]) {
    #expect { try SourceRoots(paths.map { Array($0.utf8) }) } throws: {
      ($0 as? ArchiveError)?.code == .invalidArgument
    }
  }
}
