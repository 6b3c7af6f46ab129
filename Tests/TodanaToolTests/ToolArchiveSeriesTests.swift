import Foundation
import TestSupport
import Testing

/// Series of snapshots: those of the same paths, however they were written, or of the same label.
@Suite struct ToolArchiveSeriesTests {
  private struct Pruned: Decodable {
    let keptCount: Int
    let removedCount: Int
    let groups: [Group]

    struct Group: Decodable {
      let label: String?
      let paths: [String]?
      let snapshots: [Entry]
    }

    struct Entry: Decodable {
      let snapshot: String
      let isKept: Bool
      let reasons: [String]
    }
  }

  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.write("one", to: "x/a")
    try made.write("two", to: "y/b")
  }

  /// Runs `add` in a directory below that of the archive.
  @discardableResult
  private func add(in directory: String, _ arguments: String..., input: String = "") throws -> ToolArchive.Added {
    let run = try ToolRun(
      ["archive", "add", made.path, "--json", "--key-file", made.keyFile] + arguments, input: input,
      workingDirectory: made.directory.path(directory))
    #expect(run.status == 0, "\(run.messages)")
    return try run.document(ToolArchive.Added.self)
  }

  private func prune(_ arguments: String...) throws -> Pruned {
    try ToolRun(
      ["archive", "prune", "archive", "--json", "--key-file", "key"] + arguments, workingDirectory: made.directory.path
    ).document(Pruned.self)
  }

  @Test func `relative paths are distinguished by the working directory of the add`() throws {
    try add(in: "x", ".")
    try add(in: "y", ".")
    let snapshots = try made.snapshots()
    #expect(snapshots.map(\.paths) == [["."], ["."]])
    #expect(snapshots.map(\.absolutePaths) == [[made.directory.path("x")], [made.directory.path("y")]])
    let plan = try prune("--keep-last", "1")
    #expect(plan.keptCount == 2 && plan.removedCount == 0)
    #expect(plan.groups.map(\.paths) == [[made.directory.path("x")], [made.directory.path("y")]])
  }

  @Test func `the order and spelling of paths do not change their series`() throws {
    try add(in: ".", "x", "y")
    for paths in [["y", "x"], ["./y/", "x/."], ["x/../y", "x"]] {
      let added = try ToolRun(
        ["archive", "add", "archive", "--json", "--key-file", "key"] + paths, workingDirectory: made.directory.path
      ).document(ToolArchive.Added.self)
      #expect(added.newFileCount == 0 && added.unchangedFileCount == 2, "\(paths)")
    }
    try made.write("y\nx\n", to: "list")
    // Here the same files are stored at other paths.
    #expect(try add(in: ".", made.directory.path("y"), made.directory.path("x")).newFileCount == 0)
    #expect(try add(in: ".", "--files-from", "list").newFileCount == 0)
    #expect(try add(in: "x", "../y", "../x").newFileCount == 0)
    #expect(try prune("--keep-last", "1").groups.map(\.snapshots.count) == [7])
  }

  @Test func `files are found in the earlier snapshot wherever they are stored there`() throws {
    try FileManager.default.createDirectory(atPath: made.directory.path("x/inside"), withIntermediateDirectories: true)
    try made.write("b", to: "x/inside/b")
    #expect(try add(in: ".", "x").newFileCount == 2)
    let ways = [
      ("x", "."), (".", made.directory.path("x")), ("x/inside", ".."), ("y", "../x/"), ("x", "."), (".", "x/."),
    ]
    for (directory, path) in ways {
      let added = try add(in: directory, path)
      #expect(
        added.newFileCount == 0 && added.changedFileCount == 0 && added.unchangedFileCount == 2,
        "\(path) in \(directory)")
    }
    // Add a single file.
    #expect(try add(in: "x", "inside/b").newFileCount == 1)
    #expect(try add(in: "x/inside", "b").unchangedFileCount == 1)
    try made.write("changed", to: "x/inside/b")
    #expect(try add(in: ".", made.directory.path("x/inside/b")).changedFileCount == 1)
    #expect(try add(in: "x", ".").changedFileCount == 1)
  }

  @Test func `many paths in any order are found in the earlier snapshot`() throws {
    let paths = (0..<300).map { "x/d\($0 % 7)/\($0 % 5)/f\($0)" }
    for path in paths { try made.write(path, to: path) }
    var generator = SeededGenerator(seed: 1)
    func list(_ paths: [String]) throws { try made.write(paths.map { $0 + "\n" }.joined(), to: "list") }
    try list(paths)
    #expect(try add(in: ".", "--files-from", "list").newFileCount == 300)
    // Add the files in another order, then by absolute paths, so that they are stored elsewhere.
    try list(paths.shuffled(using: &generator))
    #expect(try add(in: ".", "--files-from", "list").unchangedFileCount == 300)
    try list(paths.shuffled(using: &generator).map { made.directory.path($0) })
    #expect(try add(in: ".", "--files-from", "list").unchangedFileCount == 300)
    // Add the files from within "y", so that directories from several places come first in the new snapshot.
    try list(paths.shuffled(using: &generator).map { "../" + $0 })
    #expect(try add(in: "y", "--files-from", "../list").unchangedFileCount == 300)
    let names = paths.map { $0.dropFirst(2) }
    try list(names.shuffled(using: &generator).map { String($0) })
    #expect(try add(in: "x", "--files-from", "../list").unchangedFileCount == 300)
  }

  @Test func `names of streams are not made absolute`() throws {
    try add(in: "x", "--stdin", "dump", input: "a")
    try add(in: "y", "--stdin", "dump", input: "b")
    #expect(try made.snapshots().map(\.absolutePaths) == [[], []])
    #expect(try prune("--keep-last", "1").groups.map(\.paths) == [["dump"]])
    #expect(try made.run("snapshots").lines.count == 2)
  }

  @Test func `snapshots with a label are grouped by it, not by their paths`() throws {
    try add(in: "x", ".", "--label", "data")
    #expect(try add(in: ".", "x/a", "y", "--label", "data").newFileCount == 1)
    try add(in: "x", ".")
    let snapshots = try made.snapshots()
    #expect(snapshots.map(\.label) == ["data", "data", nil])
    let table = try made.run("snapshots", "--label", "data").lines
    #expect(table.count == 3 && table[1].hasPrefix("data: /"))
    var plan = try prune("--keep-last", "1", "--dry-run")
    #expect(plan.groups.map(\.label) == [nil, "data"] && plan.removedCount == 1)
    plan = try prune("--keep-last", "1", "--group-by", "label")
    #expect(plan.groups.map(\.label) == ["", "data"] && plan.keptCount == 2 && plan.removedCount == 1)
    #expect(try made.snapshots().map(\.id) == [snapshots[1].id, snapshots[2].id])
    for label in ["", " a"] { #expect(try made.run("add", "x", "--label", label).status == 2) }
  }

  @Test func `snapshots are listed by host, label, tag and path`() throws {
    try add(in: "x", ".", "--host", "one", "--tag", "t")
    try add(in: ".", "x", "y", "--host", "two", "--label", "both")
    func listed(_ arguments: String..., in directory: String = ".") throws -> [String] {
      try ToolRun(
        ["archive", "snapshots", made.path, "--json", "--key-file", made.keyFile] + arguments,
        workingDirectory: made.directory.path(directory)
      ).values(ToolArchive.Snapshot.self).map(\.host)
    }
    #expect(try listed("--host", "one") == ["one"])
    #expect(try listed("--label", "both") == ["two"])
    #expect(try listed("--tag", "t", "--host", "two") == [])
    #expect(try listed("--path", made.directory.path("x")) == ["one", "two"])
    #expect(try listed("--path", ".", in: "y") == ["two"])
    #expect(try listed("--path", "x/../y/") == ["two"])
    #expect(try listed("--path", "z") == [])
  }

  @Test func `the last of several snapshots with one time is the latest, and prune keeps it`() throws {
    for number in 1...6 {
      try made.write("\(number)", to: "x/a")
      try add(in: ".", "x", "--time", "2026-01-01")
    }
    #expect(try made.run("cat", "x/a").text == "6")
    let latest = try #require(try made.snapshots().last)
    #expect(try prune("--keep-last", "1").removedCount == 5)
    #expect(try made.snapshots() == [latest])
    #expect(try made.run("cat", "x/a").text == "6")
  }

  @Test func `a snapshot of the future is reported and kept, and displaces no other`() throws {
    try add(in: ".", "x")
    let run = try made.run("add", "x", "--time", "2099-01-01")
    #expect(run.status == 0 && run.messages.contains("2099-01-01 00:00:00, in the future"))
    #expect(try made.run("add", "x").messages.contains("in the future"))
    #expect(try made.run("snapshots").messages.contains("in the future"))
    #expect(try made.run("list").messages.contains("in the future"))
    let snapshots = try made.snapshots()
    let pruning = try made.run("prune", "--keep-last", "1", "--json")
    #expect(pruning.messages.contains("in the future"))
    let plan = try pruning.document(Pruned.self)
    #expect(plan.keptCount == 2 && plan.removedCount == 1)
    #expect(plan.groups.first?.snapshots.first?.reasons == ["in the future"])
    #expect(try made.snapshots().map(\.id) == [snapshots[1].id, snapshots[2].id])
  }
}
