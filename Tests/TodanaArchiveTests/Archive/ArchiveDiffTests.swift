import Foundation
import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of differences between snapshots, compared with lists of both.
@Suite struct ArchiveDiffTests {
  @Test(arguments: 0..<4) func `the differences of two snapshots are those of their lists`(seed: Int) throws {
    let scratch = try ScratchArchive()
    var generator = SeededGenerator(seed: UInt64(seed))
    // The directory "many" takes several pages.
    try scratch.directory.make("from/many")
    for number in 0..<1500 { try scratch.directory.write("", to: "from/many/a rather long name, number \(number)") }
    func change(_ count: Int) throws {
      for _ in 0..<count {
        let name = "from/d\(Int.random(in: 0...2, using: &generator))/e\(Int.random(in: 0...2, using: &generator))"
        let path = scratch.directory.path(name)
        switch Int.random(in: 0...4, using: &generator) {
        case 0: try? FileManager.default.removeItem(atPath: path)
        case 1:
          try? scratch.directory.make(name)
          try? scratch.directory.write("\(Int.random(in: 0...2, using: &generator))", to: name + "/f")
        case 2:
          try? scratch.directory.make((name as NSString).deletingLastPathComponent)
          try? scratch.directory.write("\(Int.random(in: 0...2, using: &generator))", to: name)
        case 3: try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        default:
          let number = Int.random(in: 0..<1500, using: &generator)
          try scratch.directory.write("\(seed)", to: "from/many/a rather long name, number \(number)")
        }
      }
    }
    try change(20)
    let old = try #require(try scratch.add("from").snapshot)
    try change(10)
    let new = try #require(try scratch.add("from").snapshot)

    let (before, after) = (try files(of: old, scratch), try files(of: new, scratch))
    var expected: [String] = []
    for path in Set(before.keys).union(after.keys).sorted(by: { isBefore($0, $1) }) {
      guard let one = before[path], let other = after[path] else {
        expected.append("\(printable(path)): \(before[path] == nil ? "added" : "removed")")
        continue
      }
      if one.text == other.text { continue }
      expected.append(printable(path))
    }
    var found: [String] = []
    try scratch.archive.diff(old, new, onFailure: { Issue.record("\($0)") }) { difference in
      let isOne = difference.changes == [.added] || difference.changes == [.removed]
      found.append(printable(difference.path) + (isOne ? ": \(difference.changes[0])" : ""))
    }
    #expect(found == expected)
    #expect(!expected.isEmpty)
    try scratch.archive.diff(old, old, onFailure: { Issue.record("\($0)") }) { Issue.record("\($0)") }
  }

  @Test func `pages that both snapshots share are not read`() throws {
    let scratch = try ScratchArchive()
    for number in 0..<10 {
      try scratch.directory.make("from/d\(number)")
      try scratch.directory.write("x", to: "from/d\(number)/file")
    }
    let old = try #require(try scratch.add("from").snapshot)
    try scratch.directory.write("y", to: "from/d3/file")
    let new = try #require(try scratch.add("from").snapshot)
    var readCount = 0
    var paths: [[UInt8]] = []
    try scratch.archive.diff(
      old, new, paths: [scratch.stored("from")], onFailure: { Issue.record("\($0)") }, progress: { readCount += 1 },
      { paths.append($0.path) })
    #expect(paths == [scratch.stored("from/d3/file")])
    // Only the entries on the way from the top are read, with their siblings in the same pages.
    #expect(readCount == scratch.stored("from").split(separator: UInt8(ascii: "/")).count + 10)
  }

  private func isBefore(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    return one.split(separator: slash).lexicographicallyPrecedes(other.split(separator: slash)) {
      $0.lexicographicallyPrecedes($1)
    }
  }

  private func files(
    of snapshot: Snapshot, _ scratch: ScratchArchive
  ) throws -> [[UInt8]: (file: FileEntry, text: String)] {
    var files: [[UInt8]: (file: FileEntry, text: String)] = [:]
    try scratch.archive.list(snapshot, onFailure: { Issue.record("\($0)") }) { listed in
      let file = listed.file
      var text =
        "\(file.kind) \(file.permissions) \(file.modificationTime) \(file.kind == .regular ? file.byteCount : 0)"
      // Reading looks each file up from the top. The large directory is skipped because its files differ in length.
      if file.kind == .regular, file.byteCount > 0, !listed.path.contains(UInt8(ascii: " ")) {
        try unsafe scratch.archive.read(listed.path, of: snapshot) {
          text += unsafe String(decoding: $0, as: UTF8.self)
        }
      }
      files[listed.path] = (file, text)
    }
    return files
  }
}
