import Foundation
import TestSupport
import Testing

/// Removal and selection of snapshots: `remove`, `prune`, `tag`.
@Suite struct ToolArchiveKeepingTests {
  private struct Pruned: Decodable {
    let isDryRun: Bool
    let keptCount: Int
    let removedCount: Int
    let groups: [Group]

    struct Group: Decodable {
      let host: String?
      let paths: [String]?
      let tags: [String]?
      let snapshots: [Entry]
    }

    struct Entry: Decodable {
      let snapshot: String
      let time: Date
      let isKept: Bool
      let reasons: [String]
    }
  }

  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.write("one", to: "a")
    try made.write("two", to: "b")
  }

  private func addDays() throws -> [ToolArchive.Snapshot] {
    for time in ["01 10:00", "02 10:00", "03 10:00", "04 10:00", "04 12:00"] {
      try made.add("a", "--host", "box", "--time", "2026-05-\(time)")
    }
    return try made.snapshots()
  }

  @Test func `rules say which snapshots are kept, and why`() throws {
    let days = try addDays()
    let dry = try made.run("prune", "--keep-daily", "2", "--keep-last", "1", "--dry-run", "--json")
    #expect(dry.status == 0)
    let plan = try dry.document(Pruned.self)
    #expect(plan.isDryRun && plan.keptCount == 2 && plan.removedCount == 3)
    #expect(plan.groups.map(\.host) == ["box"] && plan.groups.map(\.paths) == [[made.directory.path("a")]])
    let entries = try #require(plan.groups.first).snapshots
    #expect(entries.map(\.snapshot) == days.reversed().map(\.id))
    #expect(entries.map(\.isKept) == [true, false, true, false, false])
    #expect(entries.map(\.reasons) == [["last snapshot", "daily snapshot"], [], ["daily snapshot"], [], []])
    #expect(try made.snapshots().count == 5)

    let run = try made.run("prune", "--keep-daily", "2", "--keep-last", "1")
    #expect(run.status == 0)
    #expect(run.lines.first == "host box, paths \(made.directory.path("a")):")
    #expect(run.lines[1] == "  keep    \(days[4].short)  2026-05-04 12:00:00  last snapshot, daily snapshot")
    #expect(run.lines[2] == "  remove  \(days[3].short)  2026-05-04 10:00:00")
    #expect(run.lines.last == "Kept 2 snapshots, removed 3.")
    #expect(try made.snapshots().map(\.id) == [days[2].id, days[4].id])
    #expect(try made.run("cat", "a").text == "one")
  }

  @Test func `snapshots are grouped, kept by their tags, and by their age`() throws {
    let days = try addDays()
    try made.add("b", "--host", "box", "--time", "2025-01-01")
    try made.run("tag", days[0].short, "--add", "keep", "--add", "me").expectDone()
    var plan = try prune("--keep-tag", "keep,me", "--keep-within", "1d3h")
    #expect(plan.groups.count == 2 && plan.keptCount == 5 && plan.removedCount == 1)
    #expect(plan.groups[0].snapshots.last?.reasons == ["has tags keep,me"])
    plan = try prune("--keep-last", "1", "--group-by", "")
    #expect(plan.groups.count == 1 && plan.keptCount == 1 && plan.removedCount == 5)
    plan = try prune("--keep-monthly", "all", "--keep-hourly", "1", "--keep-weekly", "1", "--keep-yearly", "1")
    #expect(plan.keptCount == 3)
  }

  @Test func `rules that keep nothing are refused, and nothing is removed`() throws {
    try made.add("a")
    for arguments in [
      [], ["--keep-last", "0"], ["--keep-last", "many"], ["--keep-within", "1w"], ["--keep-tag", ","],
      ["--keep-last", "1", "--group-by", "size"], ["--keep-tag", "nowhere"],
    ] {
      let run = try ToolRun(
        ["archive", "prune", "archive", "--key-file", "key"] + arguments, workingDirectory: made.directory.path)
      #expect(run.status == 2, "\(arguments): \(run.messages)")
    }
    #expect(try made.snapshots().count == 1)
  }

  @Test func `tags are added, removed and replaced`() throws {
    let one = try made.add("a", "--tag", "x")
    let two = try made.add("b")
    func tags() throws -> [[String]] { try made.snapshots().map(\.tags) }
    var run = try made.run("tag", one.short, two.id, "--add", "y", "--add", "y", "--remove", "x")
    #expect(run.status == 0 && run.lines == ["Changed the tags of 2 snapshots."])
    #expect(try tags() == [["y"], ["y"]])
    run = try made.run("tag", "latest", "--set", "neu", "--set", "größer")
    #expect(run.lines == ["Changed the tags of 1 snapshot."])
    #expect(try tags() == [["y"], ["neu", "größer"]])
    #expect(
      try made.run("snapshots", "--tag", "neu", "--json").values(ToolArchive.Snapshot.self).map(\.id) == [two.id])
    #expect(try made.run("tag", one.short, "--add", "y").lines == ["Changed the tags of 0 snapshots."])
    #expect(try made.run("tag", one.short, two.short, "--set", "").status == 0)
    #expect(try tags() == [[], []])
    for arguments in [["--add", "a,b"], ["--set", "a", "--add", "b"], [], ["--add", " a"]] {
      let run = try ToolRun(
        ["archive", "tag", "archive", one.id, "--key-file", "key"] + arguments, workingDirectory: made.directory.path)
      #expect(run.status == 2, "\(arguments)")
    }
    #expect(try made.run("tag", "--add", "b").status == 2)
    #expect(try made.run("tag", one.id, "ffffffff", "--add", "b").status == 4)
    #expect(try tags() == [[], []])
  }

  @Test func `snapshots are removed by their ids, all or none`() throws {
    let one = try made.add("a")
    let two = try made.add("b")
    try made.add("a", "b")
    for wrong in ["ffffffff", String(two.id.prefix(3)), "", "lat", one.id + "0"] {
      let run = try made.run("remove", one.id, wrong)
      #expect(run.status == 4 && run.messages.contains("“\(wrong)”"), "\(run.messages)")
    }
    #expect(try made.snapshots().count == 3)
    let run = try made.run("remove", one.id, two.short, two.id)
    #expect(run.status == 0 && run.lines == ["Removed 2 snapshots."])
    #expect(try made.snapshots().map(\.paths) == [["a", "b"]])
    #expect(try made.run("remove").status == 2)
    #expect(try made.run("remove", "latest").status == 0)
    for command in ["list", "extract", "cat", "remove"] {
      let run = try made.run(command, command == "remove" ? "latest" : "a")
      #expect(run.status == 4 && run.messages.contains("The archive has no snapshots."))
    }
    #expect(try made.run("snapshots", "--json").values(ToolArchive.Snapshot.self) == [])
  }

  @Test func `labels are added and removed`() throws {
    let one = try made.add("a", "--label", "old")
    let two = try made.add("b")
    func labels() throws -> [String?] { try made.snapshots().map(\.label) }
    let run = try made.run("tag", one.short, two.short, "--label", "new", "--add", "t")
    #expect(run.status == 0 && run.lines == ["Changed the tags or labels of 2 snapshots."])
    #expect(try labels() == ["new", "new"])
    #expect(try made.run("tag", one.short, "--label", "").status == 0)
    #expect(try labels() == [nil, "new"])
    #expect(try made.snapshots().map(\.tags) == [["t"], ["t"]])
    #expect(try made.run("tag", one.short, "--label", "a ").status == 2)
  }

  @Test func `a dry run of compact counts unneeded content, and removes nothing`() throws {
    struct Garbage: Decodable { let contentCount, smallFileCount, directoryPageCount, mergedGroupCount, byteCount: Int }
    struct Compacted: Decodable {
      let removedContentCount, removedSmallFileCount, removedDirectoryPageCount, mergedGroupCount: Int
    }
    try made.write(String(repeating: "large", count: 40_000), to: "large")
    try made.add("a", "large")
    try made.add("b")
    #expect(try made.run("compact", "--dry-run", "--json").document(Garbage.self).byteCount == 0)
    _ = try made.run("remove", try made.snapshots()[0].id)
    let before = try made.contents()
    let garbage = try made.run("compact", "--dry-run", "--json").document(Garbage.self)
    #expect(
      garbage.smallFileCount == 1 && garbage.contentCount == 2 && garbage.directoryPageCount > 0
        && garbage.byteCount > 0)
    #expect(try made.run("compact", "--dry-run").text.hasPrefix("Would remove 2 pieces of content, 1 small file and "))
    #expect(try made.contents() == before)
    let compacted = try made.run("compact", "--json").document(Compacted.self)
    #expect(
      compacted.removedContentCount == garbage.contentCount
        && compacted.removedDirectoryPageCount == garbage.directoryPageCount)
    #expect(compacted.removedSmallFileCount == 1 && compacted.mergedGroupCount == garbage.mergedGroupCount)
  }

  @Test func `a dry run of remove names the snapshots, and removes nothing`() throws {
    let one = try made.add("a")
    let run = try made.run("remove", "latest", "--dry-run")
    #expect(run.status == 0)
    #expect(run.lines.first?.hasPrefix("Would remove \(one.short)  ") == true)
    #expect(run.lines.last == "Would remove 1 snapshot.")
    #expect(try made.run("remove", "ffffffff", "--dry-run").status == 4)
    #expect(try made.snapshots() == [one])
  }

  @Test func `a dry run of rewrite changes nothing, and a rewrite empties snapshots only if allowed`() throws {
    let both = try made.add("a", "b", "--label", "l")
    let one = try made.add("a")
    var run = try made.run("rewrite", "--exclude", "a", "--dry-run")
    #expect(run.status == 1)
    #expect(run.messages.contains("Snapshot \(one.short) would lose all its files"))
    #expect(run.lines.first == "Snapshot \(both.short) would be rewritten without 1 path.")
    #expect(run.lines.last == "Nothing was changed: this was a dry run.")
    #expect(try made.snapshots() == [both, one])

    run = try made.run("rewrite", "--exclude", "*")
    #expect(run.status == 1 && run.messages.contains("--allow-empty"))
    #expect(try made.snapshots() == [both, one])

    #expect(try made.run("rewrite", "--exclude", "a").status == 1)
    let rewritten = try #require(try made.snapshots().first)
    #expect(rewritten.id != both.id && rewritten.fileCount == 1)
    #expect(rewritten.absolutePaths == both.absolutePaths && rewritten.label == "l")
    #expect(try made.run("rewrite", one.id, "--exclude", "a", "--allow-empty").status == 0)
    #expect(try made.snapshots().map(\.fileCount) == [1, 0])
  }

  private func prune(_ arguments: String...) throws -> Pruned {
    try ToolRun(
      ["archive", "prune", "archive", "--dry-run", "--json", "--key-file", "key"] + arguments,
      workingDirectory: made.directory.path
    ).document(Pruned.self)
  }
}

extension ToolRun {
  fileprivate func expectDone() { #expect(status == 0, "\(messages)") }
}
