import Foundation
import TestSupport
import Testing

/// Options and commands that do not exist: the tool says so, and does nothing.
@Suite struct ToolUsageTests {
  // The parser found the flag for help in these, printed the help, and reported success.
  @Test(arguments: [
    (["store", "backup", "--series", "store", "series", "-hourly"], "-hourly"),
    (["archive", "add", "archive", "src", "-host", "web1"], "-host'. Did you mean '--host'?"),
    (["archive", "add", "archive", "src", "-dash"], "-dash"), (["archive", "list", "archive", "-lrh", "-lhx"], "-lhx"),
    (["archive", "add", "archive", "--exclude", "-path", "src"], "-path"), (["store", "-hx"], "-hx"),
    (["-version"], "-version"), (["archive", "init", "archive", "-hours=1"], "-hours"),
  ])
  func `letters after one dash are not taken for the flag for help`(_ arguments: [String], _ option: String) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == 2 && run.output.isEmpty, "\(run.text)")
    #expect(run.messages.hasPrefix("Error: Unknown option '\(option)"), "\(run.messages)")
    #expect(run.messages.contains("Usage: todana"))
  }

  @Test(arguments: [
    ["-h"], ["-help"], ["store", "info", "-h"], ["archive", "list", "-lh"], ["help", "store", "info"],
  ])
  func `help is printed on request`(_ arguments: [String]) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == 0 && run.text.contains("USAGE: todana"))
  }

  @Test func `flags are combined, and words after two dashes are not checked`() throws {
    let made = try ToolArchive()
    try made.makeTree()
    try made.write("x", to: "-host")
    let run = try ToolRun(
      ["archive", "add", "archive", "--key-file", "key", "--exclude=-hourly", "--", "src", "-host"],
      workingDirectory: made.directory.path)
    #expect(run.status == 0, "\(run.messages)")
    let list = try made.run("list", "-rl")
    #expect(list.status == 0 && list.text.contains("-host"))
  }

  @Test(arguments: [
    (["store", "inf"], "Unknown command 'inf'. Did you mean 'info'?"),
    (["store", "key", "lst", "store"], "Unknown command 'lst'. Did you mean 'list'?"),
    (["archive", "forget", "archive", "--keep-last", "3"], "Unknown command 'forget'."),
    (["store", "help"], "Unknown command 'help'."), (["frobnicate"], "Unknown command 'frobnicate'."),
  ])
  func `an unknown command is named`(_ arguments: [String], _ message: String) throws {
    let run = try ToolRun(arguments)
    #expect(run.status == 2)
    #expect(run.messages.hasPrefix("Error: \(message)\nUsage: "), "\(run.messages)")
  }

  @Test func `an archive is not copied to itself`() throws {
    let made = try ToolArchive()
    let run = try made.run("copy", made.path)
    #expect(run.status == 2 && run.messages.contains("The target is the archive itself"), "\(run.messages)")
  }

  @Test func `a snapshot without files is reported, and patterns are relative to the given path`() throws {
    let made = try ToolArchive()
    try made.makeTree()
    let warning = "every file is excluded by rules"
    #expect(try made.run("add", "src", "--exclude", "*").messages.contains(warning))
    let other = try made.run("add", "src", "--exclude", "/sub")
    #expect(!other.messages.contains(warning) && other.text.contains("excluded by rules"))
    let none = try made.run("add", "src", "--exclude", "/src/sub")
    #expect(none.status == 0 && !none.text.contains("excluded by rules"))
  }
}
