import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of a search through many snapshots, compared with a search of each by itself.
@Suite struct ArchiveFindTests {
  @Test(arguments: [["f1"], ["f*"], ["d1/"], ["*/d1/f*", "f2"], ["**/d2"], ["nothing"]], [0, 3, 40, 1 << 17])
  func `a search finds the same paths, however much it remembers`(patterns: [String], room: Int) throws {
    let scratch = try ScratchArchive()
    var generator = SeededGenerator(seed: 7)
    var paths = ["from"]
    for _ in 0..<20 {
      let parent = paths.randomElement(using: &generator) ?? "from"
      let path = "\(parent)/d\(Int.random(in: 0...3, using: &generator))"
      try scratch.directory.make(path)
      if !paths.contains(path) { paths.append(path) }
    }
    for step in 0..<4 {
      for _ in 0..<6 {
        let parent = paths.randomElement(using: &generator) ?? "from"
        try scratch.directory.write("\(step)", to: "\(parent)/f\(Int.random(in: 0...3, using: &generator))")
      }
      try scratch.add("from")
      if step == 1 { try scratch.add("from") }
    }
    let queries = try patterns.map { try PathQuery(Array($0.utf8)) }
    var expected: [String] = []
    for snapshot in try scratch.archive.snapshots() {
      try scratch.archive.list(snapshot, onFailure: { Issue.record("\($0)") }) { listed in
        guard queries.contains(where: { $0.matches(listed.path, isDirectory: listed.file.kind == .directory) }) else {
          return
        }
        expected.append("\(snapshot.id) \(printable(listed.path))")
      }
    }
    var found: [String] = []
    let search = SnapshotSearch(queries, in: scratch.archive.content, room: room)
    for snapshot in try scratch.archive.snapshots() {
      try search.run(snapshot, onFailure: { Issue.record("\($0)") }, progress: {}) {
        found.append("\($0.snapshot.id) \(printable($0.path))")
      }
    }
    #expect(found == expected)
    #expect(expected.isEmpty == (patterns == ["nothing"]))
  }

  @Test func `directories that snapshots share are read once`() throws {
    let scratch = try ScratchArchive()
    for number in 0..<10 {
      try scratch.directory.make("from/d\(number)/sub")
      try scratch.directory.write("x", to: "from/d\(number)/sub/file")
    }
    for _ in 0..<3 { try scratch.add("from") }
    try scratch.directory.write("y", to: "from/d3/sub/file")
    try scratch.add("from")
    let search = SnapshotSearch([try PathQuery(Array("file".utf8))], in: scratch.archive.content)
    var counts: [Int] = []
    var foundCount = 0
    for snapshot in try scratch.archive.snapshots() {
      try search.run(snapshot, onFailure: { Issue.record("\($0)") }, progress: {}) { _ in foundCount += 1 }
      counts.append(search.readCount)
    }
    #expect(foundCount == 40)
    // Only the directories from the top to "from" may be read again, because other processes change them.
    let wayCount = scratch.stored("from").split(separator: UInt8(ascii: "/")).count
    #expect(counts[0] >= 20)
    #expect(counts[1] - counts[0] <= wayCount && counts[2] - counts[1] <= wayCount)
    // The directories on the way to the changed file are read again: d3 and sub.
    #expect((3...wayCount + 3).contains(counts[3] - counts[2]))
  }
}
