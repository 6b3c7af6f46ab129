import Foundation
import Glibc
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of restored trees, compared with a second reading and with system tools.
@Suite struct RestoredTreeTests {
  let directory: ScratchTree

  init() throws { directory = try ScratchTree() }

  @Test(.enabled(if: Environment.hasAllRights, Comment(rawValue: Environment.needsRoot)))
  func `a restored tree has all metadata of the original`() throws {
    let tree = TortureTree(path: directory.path("from"))
    try tree.make()
    var walk = RestoringWalk(RestoreOptions(owners: .numbers))
    try walk.run(from: directory.bytes("from"), to: directory.bytes("to"))
    #expect(walk.failures == [])
    #expect(walk.report.warnings == [])

    let from = try TreeListing(directory.bytes("from")).comparable()
    let to = try TreeListing(directory.bytes("to")).comparable()
    #expect(from.count > TortureTree.deepCount + 50)
    #expect(from.count == to.count)
    for (expected, found) in zip(from, to) where expected != found { Issue.record("\(expected) \(found)") }

    try compareWithFind()
    try compareWithStat()
    #expect(try directory.names("to").filter { $0.hasPrefix(".todana") } == [])
    try Command.run("cmp", [directory.path("from/sparse"), directory.path("to/sparse")])
    try Command.run("cmp", [directory.path("from/z/hard-c"), directory.path("to/hard-a")])
    if Command.isInstalled("getfattr") {
      // Files are given by name, because getfattr cannot descend as deep as the tree is.
      let names = ["attributes", "read-only", "acl", "acl-directory", "acl-directory/plain", "capability", "link"]
      let arguments = ["-h", "-d", "-m", "-", "-e", "hex", "--"] + names
      #expect(
        try Command.run("getfattr", arguments, in: directory.path("from"))
          == Command.run("getfattr", arguments, in: directory.path("to")))
    }

    // The second run finds every file up to date.
    var again = RestoringWalk(RestoreOptions(overwriting: .always, owners: .numbers))
    try again.run(from: directory.bytes("from"), to: directory.bytes("to"))
    #expect(again.report.warnings == [])
    #expect(try TreeListing(directory.bytes("to")).comparable() == from)
    #expect(again.skippedCount > 30)
  }

  /// Compares kind, permissions, owner, time in nanoseconds, link target and path, as reported by `find`.
  private func compareWithFind() throws {
    func lines(_ name: String) throws -> [[UInt8]] {
      let format = #"%y %m %U %G %T@ %l %p\0"#
      let all = try Command.run("find", [".", "-printf", format], in: directory.path(name))
      return all.split(separator: 0).map(Array.init).sorted { $0.lexicographicallyPrecedes($1) }
    }
    let (from, to) = (try lines("from"), try lines("to"))
    #expect(from.count == to.count)
    for (expected, found) in zip(from, to) where expected != found {
      Issue.record("\(printable(expected)) \(printable(found))")
    }
  }

  private func compareWithStat() throws {
    let arguments = [
      "--format=%n %F %a %u:%g %.9Y %t,%T %h", "setuid", "both", "hard-b", "fifo", "null", "block", "link",
    ]
    #expect(
      try Command.run("stat", arguments, in: directory.path("from"))
        == Command.run("stat", arguments, in: directory.path("to")))
    let blocks = try Command.run("stat", ["--format=%b", directory.path("to/sparse")])
    let count = try #require(
      Int(String(decoding: blocks, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(count * 512 < 1 << 20)
  }

  private static func count(_ walk: SourceWalk) -> (entries: Int, ends: Int, failures: Int) {
    var walk = walk
    var counts = (entries: 0, ends: 0, failures: 0)
    while let step = walk.next() {
      switch step {
      case .entry: counts.entries += 1
      case .end: counts.ends += 1
      case .failure: counts.failures += 1
      }
    }
    return counts
  }

  /// Restores 20,000 levels with 40 descriptors.
  ///
  /// This is also deeper than the stack and the longest path allow.
  @Test func `depth is not limited by descriptors, the stack or the length of paths`() async throws {
    // The tree is in memory, which takes only seconds.
    let memory = try ScratchTree(isInMemory: true)
    let path = memory.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      try System.makeDeepDirectories(path + "/from", count: 20_000, name: "d")
      try System.limitOpenFiles(40)
      var walk = RestoringWalk(openLimit: 4)
      try walk.run(from: Array((path + "/from").utf8), to: Array((path + "/to").utf8))
      for name in ["/from", "/to"] {
        let walk = try SourceWalk(from: SourceStart(Array((path + name).utf8)) { _ in exit(3) }, openLimit: 1)
        guard Self.count(walk) == (entries: 20_002, ends: 20_001, failures: 0) else { exit(1) }
      }
      exit(walk.failures.isEmpty ? 0 : 2)
    }
  }
}
