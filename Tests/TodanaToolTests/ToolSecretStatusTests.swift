import Foundation
import TestSupport
import Testing

/// The exit statuses for passphrases and keys that are malformed or missing, and the messages about changed ones.
@Suite struct ToolSecretStatusTests {
  private let made: ToolStore

  init() throws {
    made = try ToolStore(isEncrypted: true)
    for (name, text) in [
      ("short", "123456789012345"), ("empty", ""), ("mistyped", "S5SCW-!"), ("key16", "1234567890123456"),
    ] {
      try Data(text.utf8).write(to: URL(filePath: made.directory.path(name)))
    }
  }

  private func run(_ arguments: [String]) throws -> ToolRun {
    try ToolRun(arguments, workingDirectory: made.directory.path)
  }

  @Test(arguments: [
    ["--key-file", "short"], ["--recovery-key-file", "mistyped"], ["--passphrase-file", "empty"],
    ["--passphrase-command", "exit 1"], ["--passphrase-command", "printf '\\377'"],
  ])
  func `malformed keys exit with 3 wherever they are used`(_ options: [String]) throws {
    let new = options.map { $0.hasPrefix("--") ? "--new-" + $0.dropFirst(2) : $0 }
    let target = options.map { $0.hasPrefix("--") ? "--target-" + $0.dropFirst(2) : $0 }
    let key = ["--key-file", "key"]
    #expect(try run(["archive", "init", "archive"] + key).status == 0)
    #expect(try run(["archive", "init", "plain", "--plain"]).status == 0)
    for words in [
      ["store", "info", "store"] + options, ["store", "key", "add", "store"] + key + new,
      ["store", "key", "change", "store"] + key + new, ["store", "key", "rotate", "store"] + key + new,
      ["store", "encrypt", "plain"] + new, ["archive", "init", "new"] + new, ["archive", "list", "archive"] + options,
      ["archive", "copy", "plain", "archive"] + target,
      ["store", "backup", "store", "new", "--encrypted"] + key + new, ["store", "salvage", "store", "new"] + options,
    ] {
      let run = try run(words)
      #expect(run.status == 3, "\(words): \(run.status) \(run.messages)")
    }
    #expect(!FileManager.default.fileExists(atPath: made.directory.path("new")))
  }

  @Test func `the end of the input at a prompt exits with 3`() throws {
    let words = [ChildProcess.path(ofProduct: "todana"), "store", "info", made.path]
    try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/script"))
    let tool = try ChildProcess(
      executable: "/usr/bin/env",
      ["-u", "TODANA_PASSPHRASE", "script", "-qec", words.joined(separator: " "), "/dev/null"])
    _ = try #require(tool.output(through: "Passphrase for \(made.path): "))
    tool.write("\u{4}")
    #expect(tool.remainingLines().joined().contains("No passphrase was given."))
    #expect(tool.waitForExit() >> 8 == 3)
  }

  @Test(.enabled(if: geteuid() == 0, "becomes another user: needs root"))
  func `a new directory that cannot be made exits with 4`() throws {
    let directory = made.directory.path
    #expect(try run(["store", "backup", "--series", "store", "series", "--key-file", "key"]).status == 0)
    _ = try ChildProcess(executable: "/bin/chmod", ["-R", "a+rX", directory]).waitForExit()
    for words in [
      ["store", "salvage", "store", "new", "--key-file", "key"], ["store", "restore", "series", "new"],
      ["store", "backup", "store", "new", "--key-file", "key"],
    ] {
      let run = try ToolRun(
        words, workingDirectory: directory,
        runner: ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"])
      #expect(run.status == 4 && run.messages.contains("Permission denied"), "\(words): \(run.messages)")
    }
  }

  @Test func `changes of keys are reported`() throws {
    let key = ["--key-file", "key"]
    let added = try run(["store", "key", "add", "store", "--recovery-key"] + key)
    #expect(added.status == 0 && added.lines.count == 1)
    #expect(added.messages == "todana: added the recovery key as number 2\n")
    try Data(added.output).write(to: URL(filePath: made.directory.path("recovery")))
    let changed = try run(
      ["store", "key", "change", "store", "--recovery-key-file", "recovery", "--new-key-file", "key16"])
    #expect(
      changed.text
        == "Replaced the recovery key with number 2: it no longer opens the store. The new one has number 3.\n")
    let removed = try run(["store", "key", "remove", "store", "1"] + key)
    #expect(
      removed.text
        == "Removed the key with number 1: it no longer opens the store. It is the one that opened the store for this "
        + "command.\n")
    #expect(try run(["store", "info", "store", "--key-file", "key16"]).status == 0)
    let wrong = try run(["store", "key", "import", "store", "short", "--key-file", "key16"])
    #expect(wrong.status == 3 && wrong.messages.contains("short is not a file of keys"), "\(wrong.messages)")
  }
}
