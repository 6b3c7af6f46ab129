import Foundation
import TestSupport
import Testing

/// Commands that read snapshots and change nothing: `list`, `cat`, `find`, `diff`, `stats`.
@Suite struct ToolArchiveReadingTests {
  private struct Difference: Decodable {
    let path: String
    let changes: [String]
    let old: ToolArchive.Listed?
    let new: ToolArchive.Listed?
  }

  private struct Stats: Decodable {
    let snapshotCount: Int
    let fileCount: Int
    let byteCount: Int
    let contentCount: Int
    let smallFileCount: Int
    let directoryPageCount: Int
    let storedByteCount: Int
    let ratio: Double
  }

  let made: ToolArchive
  let first: ToolArchive.Snapshot

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
    first = try made.add("src")
  }

  @Test func `a snapshot is listed like a directory`() throws {
    #expect(try made.run("list").lines == ["src"])
    #expect(try made.run("list", "src").lines == ["src", "src/a.txt", "src/link", "src/sub"])
    #expect(try made.run("ls", "-r").lines == ToolArchive.treePaths)
    #expect(try made.run("list", "-r", "./src/sub/deep/").lines == ["src/sub/deep", "src/sub/deep/C.TXT"])
    // A path within another requested path is also listed.
    #expect(
      try made.run("list", "src/sub", "src/sub/deep", "../src/link").lines
        == ["src/link", "src/sub", "src/sub/b.txt", "src/sub/deep", "src/sub/deep/C.TXT", "src/sub/x.log"])
    #expect(try made.run("list", "src", "src/sub/deep/C.TXT").lines.last == "src/sub/deep/C.TXT")
    let long = try made.run("list", "-l", "src").lines
    #expect(long[0].hasPrefix("d") && long[1].hasPrefix("-rw") && long[2].hasSuffix("src/link -> a.txt"))
    let values = try made.run("list", "-r", "--json", "src/link", "src/a.txt").values(ToolArchive.Listed.self)
    #expect(values.map(\.kind) == ["file", "link"] && values[0].byteCount == 3 && values[1].target == "a.txt")
    let missing = try made.run("list", "src/a.txt", "src/nothing")
    #expect(missing.status == 1 && missing.lines == ["src/a.txt"] && missing.messages.contains("src/nothing"))
  }

  @Test func `names are escaped once, in lists and in messages`() throws {
    try made.write("", to: "odd/back\\slash")
    try made.write("", to: "odd/\u{202E}txt.exe")
    try made.add("odd", "--tag", "a\\b")
    let escaped = [#"odd/back\\slash"#, #"odd/\xe2\x80\xaetxt.exe"#]
    #expect(try made.run("list", "-r", "odd").lines == ["odd"] + escaped)
    #expect(try made.run("find", "*\u{202E}*").text.contains(escaped[1]))
    let missing = try made.run("list", "odd/no\\\u{202E}")
    #expect(missing.messages.contains(#"“odd/no\\\xe2\x80\xae”"#))
    let plan = try made.run("prune", "--keep-tag", "a\\b", "--keep-last", "9", "--dry-run")
    #expect(plan.text.contains(#"has tags a\\b"#) && !plan.text.contains(#"a\\\"#))
  }

  @Test func `the content of files is written unchanged`() throws {
    #expect(try made.run("cat", "src/a.txt", "/src/sub/b.txt").text == "onetwo two")
    for path in ["src/nothing", "src/sub", "src/link", "src/a.txt/below", "/"] {
      let run = try made.run("cat", path)
      #expect(run.status == 4 && run.output.isEmpty && run.messages.contains(path))
    }
    #expect(try made.run("cat").status == 2)
    try made.write("changed", to: "src/a.txt")
    try made.add("src")
    #expect(try made.run("cat", "src/a.txt").text == "changed")
    #expect(try made.run("cat", "--snapshot", first.short, "src/a.txt").text == "one")
  }

  @Test func `files are found in all snapshots`() throws {
    try made.write("new", to: "src/sub/new.txt")
    let second = try made.add("src")
    func find(_ arguments: String...) throws -> [String] {
      let run = try ToolRun(
        ["archive", "find", "archive", "--key-file", "key"] + arguments, workingDirectory: made.directory.path)
      #expect(run.status == 0)
      return run.lines
    }
    func both(_ paths: [String]) -> [String] { [first, second].flatMap { one in paths.map { "\(one.short)  \($0)" } } }
    #expect(try find("b.*") == both(["src/sub/b.txt"]))
    #expect(try find("C.TXT", "sub/") == both(["src/sub", "src/sub/deep/C.TXT"]))
    #expect(try find("new.txt") == ["\(second.short)  src/sub/new.txt"])
    #expect(try find("--ignore-case", "c.txt") == both(["src/sub/deep/C.TXT"]))
    #expect(try find("src/*.txt") == both(["src/a.txt"]))
    #expect(try find("src/**/*.TXT", "--snapshot", first.id) == ["\(first.short)  src/sub/deep/C.TXT"])
    #expect(try find("nothing") == [])
    #expect(try find("--long", "a.txt").allSatisfy { $0.contains("  -rw") && $0.hasSuffix("src/a.txt") })
    let values = try made.run("find", "--json", "*.log").values(ToolArchive.Listed.self)
    #expect(
      values.map(\.snapshot) == [first.id, second.id] && values.map(\.path) == ["src/sub/x.log", "src/sub/x.log"])
    #expect(try made.run("find", "[a").status == 2)
    #expect(try made.run("find").status == 2)
    #expect(try made.run("find", "a", "--snapshot", "ffff0000").status == 4)
  }

  @Test func `two snapshots are compared`() throws {
    let same = try made.add("src")
    var run = try made.run("diff", first.id, same.id)
    #expect(run.status == 0 && run.lines == ["No differences."])
    run = try made.run("diff", "--json", first.id, same.id)
    #expect(run.status == 0 && run.output.isEmpty)

    try made.write("other", to: "src/a.txt")
    try made.write("new", to: "src/new/file")
    let manager = FileManager.default
    try manager.removeItem(atPath: made.directory.path("src/sub/deep"))
    try manager.removeItem(atPath: made.directory.path("src/link"))
    try made.write("no link", to: "src/link")
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: made.directory.path("src/sub/b.txt"))
    let second = try made.add("src")
    run = try made.run("diff", first.short, "latest")
    #expect(run.status == 1)
    #expect(
      run.lines == [
        "metadata  src", "content   src/a.txt", "kind      src/link", "added     src/new", "added     src/new/file",
        "metadata  src/sub", "metadata  src/sub/b.txt", "removed   src/sub/deep", "removed   src/sub/deep/C.TXT",
        "2 added, 2 removed, 1 with other kind, 1 with other content, 3 with other metadata.",
      ])
    let values = try made.run("diff", "--json", second.id, first.id, "src/a.txt", "src/new").values(Difference.self)
    #expect(values.map(\.path) == ["src/a.txt", "src/new", "src/new/file"])
    #expect(values.map(\.changes) == [["content", "metadata"], ["removed"], ["removed"]])
    #expect(values[0].old?.byteCount == 5 && values[0].new?.byteCount == 3 && values[1].new == nil)
    #expect(try made.run("diff", first.id, second.id, "src/sub/x.log").status == 0)
    #expect(try made.run("diff", first.id, second.id, "src/nowhere").status == 4)
    #expect(try made.run("diff", first.id).status == 2)
    #expect(try made.run("diff", first.id, "0000").status == 4)
  }

  @Test func `equal content is no difference, however it was added`() throws {
    try made.write("the same", to: "name")
    #expect(try made.run("add", "--stdin", "name", input: "the same").status == 0)
    #expect(try made.run("add", "name").status == 0)
    let ids = try made.snapshots().map(\.id)
    let values = try made.run("diff", "--json", ids[1], ids[2]).values(Difference.self)
    #expect(values.map(\.changes) == [["metadata"]])
  }

  @Test func `counts and sizes are reported`() throws {
    try made.add("src")
    let run = try made.run("stats", "--json")
    #expect(run.status == 0)
    let stats = try run.document(Stats.self)
    #expect(stats.snapshotCount == 2 && stats.fileCount == 10 && stats.byteCount == 36)
    #expect(stats.contentCount >= 1 && stats.smallFileCount == 4 && stats.directoryPageCount == 4)
    #expect(stats.storedByteCount > 0 && abs(stats.ratio - 36 / Double(stats.storedByteCount)) < 1e-9)
    let lines = try made.run("stats").lines
    #expect(lines.count == 4 && lines[1].hasSuffix("10, 36 B"))
  }

  @Test func `commands that read change nothing`() throws {
    let before = try made.contents()
    for arguments in [
      ["list", "archive"], ["cat", "archive", "src/a.txt"], ["find", "archive", "*"], ["stats", "archive"],
      ["diff", "archive", "latest", "latest"], ["snapshots", "archive"],
      ["prune", "archive", "--keep-last", "1", "--dry-run"],
    ] {
      let run = try ToolRun(
        ["archive"] + arguments + ["--key-file", "key"], workingDirectory: made.directory.path)
      #expect(run.status == 0, "\(arguments): \(run.messages)")
    }
    #expect(try made.contents() == before)
  }
}
