import Foundation
import TestSupport
import Testing

/// The tool as a process: inherited signals, closed or full descriptors, limits, and systems that lack features.
@Suite struct ToolProcessTests {
  let made: ToolArchive

  init() throws {
    made = try ToolArchive()
    try made.makeTree()
  }

  @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
  func `signals that are ignored from the start do not end a command`(_ signal: Int32) throws {
    let tool = ChildProcess.path(ofProduct: "todana")
    let adding = try ChildProcess(
      executable: "/bin/sh",
      [
        "-c", "trap '' \(signal); exec \"$@\"", "sh", tool, "archive", "add", made.path, "--stdin", "pipe",
        "--key-file",
        made.keyFile,
      ])
    try made.waitUntilOpen(by: adding)
    kill(pid_t(adding.processID), signal)
    adding.write("text")
    adding.endInput()
    #expect(adding.waitForExit() == 0)
    #expect(try made.run("cat", "pipe").text == "text")
  }

  @Test(arguments: ["2>/dev/full", "2>&-", "<&- >&- 2>&-", ">/dev/full", "</dev/null >&-"])
  func `commands do their work if messages and summaries cannot be written`(_ redirections: String) throws {
    for command in [
      ["init", "other", "--plain"], ["add", "archive", "src", "--key-file", "key"],
      ["compact", "archive", "--key-file", "key"], ["tag", "archive", "latest", "--add", "x", "--key-file", "key"],
      ["prune", "archive", "--keep-last", "1", "--key-file", "key"],
      ["extract", "archive", "--target", "out", "--key-file", "key"],
    ] {
      #expect(try redirected(command, redirections).status == 0, "\(command)")
    }
    #expect(try redirected(["add", "archive", "src", "gone", "--key-file", "key"], redirections).status == 1)
    #expect(try redirected(["add"], redirections).status == 2)
    #expect(try made.run("list", "-r").lines.count == 8)
    #expect(try made.run("verify").status == 0)
  }

  @Test(arguments: [">/dev/full", ">&-", "<&- >&- 2>&-"])
  func `a result that cannot be written is an error`(_ redirections: String) throws {
    try made.add("src")
    for command in [
      ["snapshots", "archive", "--key-file", "key"], ["cat", "archive", "src/a.txt", "--key-file", "key"],
      ["tar", "export", "archive", "--key-file", "key"], ["pack", "archive", "--key-file", "key"],
      ["add", "archive", "src", "--dry-run", "--json", "--key-file", "key"], ["--help"], ["add", "--help"],
      ["compact", "archive", "--dry-run", "--key-file", "key"],
      ["remove", "archive", "latest", "--dry-run", "--key-file", "key"],
    ] {
      #expect(try redirected(command, redirections).status == 4, "\(command)")
    }
    #expect(try made.snapshots().count == 1)
  }

  /// Guards against an exit status of 4 although the snapshot was made.
  @Test(arguments: [">/dev/full", ">&-", "<&- >&- 2>&-"])
  func `a report that cannot be written is a problem, but the work is done`(_ redirections: String) throws {
    let run = try redirected(["add", "archive", "src", "--json", "--key-file", "key"], redirections)
    #expect(run.status == 1)
    #expect(redirections.contains("2>") || run.messages.contains("The summary is lost"), "\(run.messages)")
    #expect(try made.snapshots().count == 1)
    #expect(try made.run("verify").status == 0)
  }

  @Test func `a closed standard input is an error and not the end of the input`() throws {
    for command in [
      ["add", "archive", "--stdin", "x"], ["add", "archive", "--files-from", "-"], ["tar", "import", "archive"],
    ] {
      let run = try redirected(command + ["--key-file", "key"], "<&-")
      #expect(run.status != 0 && run.messages.contains("Bad file descriptor"), "\(command): \(run.messages)")
    }
    #expect(try made.snapshots().isEmpty)
  }

  @Test func `messages into a pipe without a reader do not end the work`() throws {
    let run = try ToolRun(
      ["archive", "add", "archive", "src", "gone", "--key-file", "key"], workingDirectory: made.directory.path,
      runner: ["sh", "-c", #"{ "$@" 2>&1 >/dev/null; echo $? >status; } | true"#, "sh"])
    #expect(run.status == 0)
    #expect(try made.text(of: "status") == "1\n")
    #expect(try made.snapshots().count == 1)
  }

  private static let canMount =
    (try? ChildProcess(executable: "/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).waitForExit())
    == 0

  @Test(
    .enabled(if: canMount, "hides /proc: needs root with the right to mount"),
    .disabled(if: Sanitizer.isUsed, "a sanitizer reads /proc"))
  func `arguments are available without proc`() throws {
    let hiding = ["unshare", "-m", "sh", "-c", #"mount -t tmpfs tmpfs /proc && exec "$@""#, "sh"]
    let added = try made.run("add", "src", runner: hiding)
    #expect(added.status == 0, "\(added.messages)")
    #expect(try made.run("cat", "src/a.txt", runner: hiding).text == "one")
    #expect(try made.run("extract", "--target", "out", runner: hiding).status == 0)
    #expect(try made.text(of: "out/src/sub/b.txt") == "two two")
    #expect(try ToolRun(["nonsense"], runner: hiding).status == 2)
  }

  @Test(.disabled(if: Sanitizer.isUsed, "a sanitizer reserves more memory than the limit"))
  func `exceeded limits are errors`() throws {
    func limited(_ limit: String, _ command: String, _ arguments: String...) throws -> ToolRun {
      try ToolRun(
        ["archive", command, "archive"] + arguments + ["--key-file", "key"], workingDirectory: made.directory.path,
        runner: ["sh", "-c", "ulimit \(limit) && exec \"$@\"", "sh"])
    }
    try made.add("src")
    let memory = try limited("-v 400000", "add", "src")
    #expect(memory.status == 4 && memory.messages.contains("at least 524288 KiB are needed"), "\(memory.messages)")
    #expect(try limited("-n 48", "add", "src").status == 0)
    #expect(try limited("-n 48", "extract", "--target", "out").status == 0)
    try made.write(String(repeating: "a line\n", count: 100_000), to: "large")
    let size = try limited("-f 8", "pack", "packed")
    #expect(size.status == 4 && size.messages.contains("File too large"), "\(size.messages)")
    // Shells count this limit in different units; in all of them, 8 units are less than the file.
    #expect(try limited("-f 8", "add", "large", "--compression", "none").status == 4)
    #expect(try made.run("verify").status == 0)
  }

  @Test func `a removed working directory is an error only for commands that need it`() throws {
    func removed(_ arguments: String...) throws -> ToolRun {
      try ToolRun(
        ["archive"] + arguments + ["--key-file", made.keyFile], workingDirectory: made.directory.path,
        runner: ["sh", "-c", #"mkdir gone && cd gone && rmdir ../gone && exec "$@""#, "sh"])
    }
    #expect(try removed("add", made.path, made.directory.path("src")).status == 0)
    #expect(try removed("snapshots", made.path).lines.count == 2)
    #expect(try removed("extract", made.path, "--target", made.directory.path("out")).status == 0)
    #expect(try removed("extract", made.path, "--target", "out").status == 4)
    #expect(try removed("add", made.path, "src").status == 4)
    #expect(try removed("pack", made.path, "packed").status == 4)
  }

  private func redirected(_ arguments: [String], _ redirections: String) throws -> ToolRun {
    try ToolRun(
      ["archive"] + arguments, workingDirectory: made.directory.path,
      runner: ["sh", "-c", "exec \"$@\" \(redirections)", "sh"])
  }
}
