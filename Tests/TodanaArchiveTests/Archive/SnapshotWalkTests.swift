import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of walks of snapshots beyond the depth limit, and of the selection of paths.
@Suite struct SnapshotWalkTests {
  /// The walk once did not report the end of a directory that was too deep, and put the following entries into it.
  @Test func `a directory that is too deep is ended, and later entries have their own paths`() throws {
    let scratch = try ScratchArchive()
    try scratch.directory.make("from/a/b/c/d")
    try scratch.directory.write("x", to: "from/a/b/c/d/deep")
    try scratch.directory.write("x", to: "from/a/behind")
    try scratch.directory.write("x", to: "from/z")
    let snapshot = try #require(try scratch.add("from").snapshot)
    let top = scratch.stored("from").split(separator: UInt8(ascii: "/")).count
    var walk = SnapshotWalk(snapshot.pages, of: scratch.archive.content, levelLimit: top + 3)
    var paths: [String] = []
    var depth = 0
    var failureCount = 0
    while let step = try walk.next() {
      switch step {
      case .entry(let entry):
        paths.append(printable(walk.path(of: entry)))
        if entry.file.kind == .directory { depth += 1 }
      case .end: depth -= 1
      case .failure: failureCount += 1
      }
    }
    #expect(depth == 0 && failureCount == 1)
    let expected = ["", "/a", "/a/b", "/a/b/c", "/a/behind", "/z"].map { printable(scratch.stored("from")) + $0 }
    #expect(Array(paths.suffix(expected.count)) == expected)
  }

  @Test func `a path below another selected path counts as seen`() {
    var selection = PathSelection(["a", "a/b", "./c//d/", "../x/e", "f/../g"].map { Array($0.utf8) })
    #expect(selection.paths.map(printable) == ["a", "a/b", "c/d", "x/e", "g"])
    for (path, relation) in [
      ("a", PathSelection.Relation.selected), ("a/b", .selected), ("a/b/x", .selected), ("c", .above),
      ("c/d", .selected),
      ("cd", .outside), ("x", .above), ("x/e", .selected), ("x/ee", .outside),
    ] {
      #expect(selection.relation(of: Array(path.utf8)) == relation)
    }
    #expect(selection.unseen == [Array("g".utf8)])
    #expect(selection.leadsFurther(Array("a".utf8)) && !selection.leadsFurther(Array("a/b".utf8)))
  }
}
