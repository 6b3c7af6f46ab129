import Foundation
import TestSupport
import Testing

/// Machine-readable reports, and messages about wrong use.
@Suite struct ToolArchiveReportTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  @Test(arguments: [
    "1969-12-31T23:59:58.500000001Z", "1970-01-01T00:00:00.000000000Z", "1970-01-01T00:00:01.000000001Z",
    "1903-03-01T12:00:00.000000000Z", "2000-02-29T23:59:59.999999999Z", "2100-03-01T00:00:00.250000000Z",
  ])
  func `times of files are ISO 8601 in UTC with nanoseconds`(_ time: String) throws {
    let touched = try ToolRun(
      [], workingDirectory: made.directory.path, runner: ["sh", "-c", "touch -d \"$0\" file", time])
    #expect(touched.status == 0)
    #expect(try made.run("add", "file").status == 0)
    #expect(try made.run("list", "--json").values(ToolArchive.Listed.self).map(\.modified) == [time])
  }

  @Test func `targets and paths that are not UTF-8 are reported with their bytes`() throws {
    let linked = try ToolRun(
      ["archive", "add", "archive", "--key-file", "key"], workingDirectory: made.directory.path,
      runner: [
        "sh", "-c",
        #"name=$(printf 'caf\351'); ln -s "$name" link; ln -s key other; echo >"$name"; exec "$@" "$name" link other"#,
        "sh",
      ])
    #expect(linked.status == 0, "\(linked.messages)")
    let name = Data("caf".utf8) + [0xE9]
    let listed = try made.run("list", "--json").values(ToolArchive.Listed.self)
    #expect(listed.map(\.target) == [nil, "caf\u{FFFD}", "key"])
    #expect(listed.map(\.targetBytes) == [nil, name, nil])
    #expect(try made.snapshots().map(\.pathBytes) == [[name, Data("link".utf8), Data("other".utf8)]])
    try made.add("key")
    #expect(try made.snapshots().last?.pathBytes == nil)
  }

  @Test(arguments: [
    (["archive", "add"], "todana archive add [<options>] <archive> <path> ..."),
    (["archive", "ls"], "todana archive list [<options>] <archive> [<path> ...]"),
    (["archive", "tar", "import", "a", "b", "c"], "todana archive tar import [<options>] <archive> [<file>]"),
    (["archive", "key", "rotate", "nothing"], "todana archive key rotate [<options>] <store>"),
    (["store", "key", "rotate", "nothing"], "todana store key rotate [<options>] <store>"),
  ])
  func `an error about a command shows how that command is used`(_ arguments: [String], _ usage: String) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == 2 && run.messages.contains("Usage: " + usage), "\(run.messages)")
  }

  @Test func `passphrases come from files and commands that the environment names`() throws {
    let made = try ToolArchive(isMade: false)
    try made.write("a passphrase\n", to: "passphrase")
    try made.write("another\n", to: "another")
    func run(_ arguments: String..., environment: [String: String]) throws -> ToolRun {
      try ToolRun(
        ["archive"] + arguments, input: "a passphrase\n", environment: environment,
        workingDirectory: made.directory.path)
    }
    let (file, command) = ("TODANA_PASSPHRASE_FILE", "TODANA_PASSPHRASE_COMMAND")
    #expect(try run("init", "archive", environment: [file: "passphrase"]).status == 0)
    #expect(try run("add", "archive", "key", environment: [command: "echo a passphrase"]).status == 0)
    #expect(try run("list", "archive", environment: [file: "-"]).lines == ["key"])
    #expect(try run("list", "archive", environment: [file: "another"]).status == 3)
    #expect(try run("list", "archive", "--passphrase-file", "passphrase", environment: [file: "another"]).status == 0)
    let failed = try run("list", "archive", environment: [command: "exit 3"])
    #expect(failed.status == 3 && failed.messages.contains("failed with status 3"), "\(failed.messages)")
    for others in [[command: "true"], ["TODANA_PASSPHRASE": "a passphrase"]] {
      let both = try run("list", "archive", environment: [file: "passphrase"].merging(others) { $1 })
      #expect(both.status == 2 && both.messages.contains("are both set"), "\(both.messages)")
    }
    let input = try run("add", "archive", "--stdin", "x", environment: [file: "-"])
    #expect(input.status == 2 && input.messages.contains("cannot be both"), "\(input.messages)")
    // One passphrase on the standard input opens both archives.
    #expect(try run("init", "other", environment: [file: "passphrase"]).status == 0)
    #expect(try run("copy", "archive", "other", "--passphrase-file", "-", environment: [:]).status == 0)
    let added = try run(
      "key", "add", "archive", environment: [file: "passphrase", "TODANA_NEW_PASSPHRASE_FILE": "another"])
    #expect(added.status == 0, "\(added.messages)")
    #expect(try run("list", "archive", environment: ["TODANA_PASSPHRASE": "another"]).lines == ["key"])
  }
}
