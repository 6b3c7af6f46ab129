import Foundation
import TestSupport
import Testing

/// Content from the standard input, or from a command, whose failure must be detected.
@Suite struct ToolArchiveInputTests {
  let made: ToolArchive

  init() throws { made = try ToolArchive() }

  /// Runs `add --stdin-from-command -- sh -c SCRIPT`.
  private func run(script: String, _ options: String...) throws -> ToolRun {
    try ToolRun(
      ["archive", "add", "archive", "--key-file", "key", "--stdin-from-command"] + options + [
        "--", "sh", "-c", script,
      ],
      input: "from the input\n", workingDirectory: made.directory.path)
  }

  @Test func `the output of a command is archived as a file`() throws {
    let added = try run(script: "echo one; echo a message >&2; cat; exec >&-; true")
    #expect(added.status == 0 && added.messages == "a message\n", "\(added.messages)")
    #expect(try made.run("cat", "sh").text == "one\nfrom the input\n")
    #expect(try run(script: "true", "--stdin", "named").status == 0)
    #expect(try made.run("list").lines == ["named"])
    // Read more than one chunk.
    #expect(try run(script: "head -c 3000000 /dev/zero", "--stdin", "large").status == 0)
    #expect(try made.run("cat", "large").output == Data(count: 3_000_000))
  }

  @Test func `a command that fails makes no snapshot`() throws {
    for (script, message) in [
      ("echo one; exit 3", "“sh” failed with status 3"), ("echo one; kill -9 $$", "“sh” was terminated by signal 9"),
      ("exec >&-; exit 1", "“sh” failed with status 1"),
    ] {
      let failed = try run(script: script)
      #expect(failed.status == 4 && failed.messages.contains(message), "\(failed.messages)")
    }
    func runCommand(_ arguments: String...) throws -> ToolRun {
      try ToolRun(
        ["archive", "add", "archive", "--key-file", "key", "--stdin-from-command"] + arguments,
        workingDirectory: made.directory.path)
    }
    let missing = try runCommand("--", "no-such-command")
    #expect(missing.status == 4 && missing.messages.contains("“no-such-command” cannot be run: No such file"))
    #expect(try runCommand().status == 2)
    #expect(try runCommand("--files-from", "key", "--", "true").status == 2)
    let withPath = try runCommand("src", "--", "echo", "text")
    #expect(withPath.status == 2 && withPath.messages.contains("“src” is before --"))
    #expect(try made.snapshots().isEmpty)
    #expect(try made.run("verify").status == 0)
  }

  @Test func `an interrupted add ends its command and waits for it`() throws {
    let adding = try made.start(
      "add", "--key-file", made.keyFile, "--stdin-from-command", "--", "sh", "-c",
      "trap 'echo ended >\(made.directory.path("ended")); exit 0' TERM; echo >\(made.directory.path("started")); "
        + "while :; do sleep 0.05; done")
    while !made.exists("started") { Thread.sleep(forTimeInterval: 0.02) }
    kill(pid_t(adding.processID), SIGINT)
    #expect(adding.waitForExit() >> 8 == 130)
    #expect(made.exists("ended"))
    #expect(try made.snapshots().isEmpty)
  }

  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"))
  func `a process that a command leaves behind does not block add`() throws {
    // The process writes its id, so that the test can end it.
    let held = try run(script: "echo one; sleep 100 & echo $! >held")
    #expect(held.status == 4 && held.messages.contains("holds its output open"), "\(held.messages)")
    let processID = try made.text(of: "held").trimmingCharacters(in: .whitespacesAndNewlines)
    if let processID = pid_t(processID) { kill(processID, SIGTERM) }
    #expect(try made.snapshots().isEmpty)
  }

  @Test func `an empty standard input is refused unless it is allowed`() throws {
    let refused = try made.run("add", "--stdin", "dump", input: "")
    #expect(refused.status == 4 && refused.messages.contains("--allow-empty"), "\(refused.messages)")
    #expect(try made.snapshots().isEmpty)
    #expect(try made.run("add", "--stdin", "dump", "--allow-empty", input: "").status == 0)
    #expect(try made.run("list", "--json").values(ToolArchive.Listed.self).map(\.byteCount) == [0])
  }

  @Test func `the standard input is read for one purpose only`() throws {
    try made.write("a", to: "a")
    let key = String(decoding: [UInt8](repeating: 7, count: 16), as: UTF8.self)
    for command in [
      ["add", "archive", "--stdin", "x"], ["add", "archive", "--files-from", "-"],
      ["add", "archive", "a", "--exclude-from", "-"], ["tar", "import", "archive"], ["tar", "import", "archive", "-"],
      ["rewrite", "archive", "--exclude-from", "-"], ["copy", "archive", "archive", "--new-passphrase-file", "-"],
    ] {
      let run = try ToolRun(
        ["archive"] + command + ["--key-file", "-"], input: key, workingDirectory: made.directory.path)
      #expect(run.status == 2 && run.messages.contains("The standard input cannot be both"), "\(run.messages)")
      #expect(run.messages.contains("Usage: todana archive \(command[0])"), "\(run.messages)")
    }
    let both = try made.run("add", "--stdin", "x", "--files-from", "-")
    #expect(both.status == 2 && both.messages.contains("the content to archive and the list of paths"))
    #expect(try made.snapshots().isEmpty)
    let alone = try ToolRun(
      ["archive", "add", "archive", "a", "--key-file", "-"], input: key, workingDirectory: made.directory.path)
    #expect(alone.status == 0, "\(alone.messages)")
  }

  @Test func `a signal ends the wait for the writer of a FIFO`() throws {
    #expect(unsafe mkfifo(made.directory.path("fifo"), 0o600) == 0)
    let fifo = made.directory.path("fifo")
    for command in [
      ["tar", "import", made.path, fifo, "--key-file", made.keyFile],
      ["add", made.path, "--files-from", fifo, "--key-file", made.keyFile],
      ["list", made.path, "--passphrase-file", fifo], ["unpack", made.directory.path("new"), fifo],
    ] {
      let tool = try ChildProcess(product: "todana", ["archive"] + command)
      // The tool is waiting on the FIFO as soon as a non-blocking open for writing succeeds.
      var writer: Int32 = -1
      let end = ContinuousClock.now + .seconds(60)
      while writer < 0, ContinuousClock.now < end {
        writer = unsafe open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if writer < 0 { Thread.sleep(forTimeInterval: 0.01) }
      }
      kill(pid_t(tool.processID), SIGINT)
      #expect(tool.waitForExit() >> 8 == 130, "\(command)")
      close(writer)
    }
    let writer = try ChildProcess(executable: "/bin/sh", ["-c", "cat \"$0\" >\"$1\"", made.keyFile, fifo])
    #expect(try ToolRun("archive", "snapshots", made.path, "--key-file", fifo).status == 0)
    #expect(writer.waitForExit() == 0)
  }
}
