import Foundation
import TestSupport
import Testing
import Todana

/// The tool's passphrases and keys: their sources, and the commands that manage them.
@Suite struct ToolKeyTests {
  private struct Key: Decodable {
    let number: Int
    let kind: String
    let time: Date
    let isInUse: Bool
  }
  private struct Added: Decodable {
    let number: Int
    let recoveryKey: String?
  }

  @Test func `keys are added, changed, removed, exported and put back`() throws {
    let made = try ToolStore(isEncrypted: true)
    let (path, directory) = (made.path, made.directory)
    func keys(_ arguments: String...) throws -> [Key] {
      try ToolRun(["store", "key", "list", "--json", path] + arguments).values(Key.self)
    }
    let added = try made.run("key", "add", "--json", "--recovery-key", path).document(Added.self)
    let recovery = directory.path("recovery")
    try Data(((try #require(added.recoveryKey)) + "\r\n").utf8).write(to: URL(filePath: recovery))
    var found = try keys("--recovery-key-file", recovery)
    #expect(found.map(\.kind) == ["key", "recovery key"] && found.map(\.isInUse) == [false, true])

    #expect(try made.run("key", "add", "--recovery-key", path, "--new-key-file", made.keyFile).status == 2)

    let exported = directory.path("exported")
    #expect(try made.run("key", "export", path, exported).status == 0)
    #expect(try made.run("key", "export", path, exported).status == 4)
    #expect(try made.run("key", "export", path, "-").output == Data(contentsOf: URL(filePath: exported)))

    let newKey = directory.path("new")
    try Data([UInt8](repeating: 9, count: 16)).write(to: URL(filePath: newKey))
    #expect(try made.run("key", "change", path, "--new-key-file", newKey).status == 0)
    #expect(try made.run("key", "list", path).status == 3)
    found = try keys("--key-file", newKey)
    #expect(found.count == 2)
    let number = try #require(found.first { $0.kind == "recovery key" }?.number)
    #expect(try ToolRun("store", "key", "remove", path, "\(number)", "--key-file", newKey).status == 0)
    #expect(try ToolRun("store", "key", "remove", path, "99", "--key-file", newKey).status == 4)
    #expect(try ToolRun("store", "info", path, "--recovery-key-file", recovery).status == 3)

    #expect(try ToolRun("store", "key", "import", path, exported, "--key-file", newKey).status == 3)
    #expect(try made.run("key", "import", path, exported).status == 0)
    found = try keys("--recovery-key-file", recovery)
    #expect(found.count == 2)
    #expect(try made.run("key", "list", path).lines.count == 3)
  }

  @Test func `all keys are renewed`() throws {
    let made = try ToolStore(isEncrypted: true)
    let dump = try made.run("dump", made.path).lines.dropFirst()
    let newKey = made.directory.path("new")
    try Data([UInt8](repeating: 9, count: 16)).write(to: URL(filePath: newKey))
    #expect(try made.run("key", "rotate", made.path, "--new-key-file", newKey).status == 0)
    #expect(try made.run("dump", made.path).status == 3)
    #expect(try ToolRun("store", "dump", made.path, "--key-file", newKey).lines.dropFirst() == dump)
    #expect(try ToolRun("store", "key", "rotate", made.path, "--key-file", newKey).status == 0)
    #expect(try ToolRun("store", "dump", made.path, "--key-file", newKey).lines.dropFirst() == dump)
  }

  @Test func `a store is encrypted and decrypted`() throws {
    let made = try ToolStore()
    let dump = try made.run("dump", made.path).lines.dropFirst()
    #expect(try ToolRun("store", "encrypt", made.path, "--key-file", made.keyFile).status == 0)
    #expect(try ToolRun("store", "dump", made.path).status == 3)
    #expect(try ToolRun("store", "encrypt", made.path, "--key-file", made.keyFile).status == 3)
    #expect(try ToolRun("store", "dump", made.path, "--key-file", made.keyFile).lines.dropFirst() == dump)
    #expect(try ToolRun("store", "decrypt", made.path, "--key-file", made.keyFile).status == 0)
    #expect(try ToolRun("store", "dump", made.path).lines.dropFirst() == dump)
    for command in [["decrypt", made.path], ["key", "list", made.path], ["key", "export", made.path, "x"]] {
      #expect(try ToolRun(["store"] + command).status == 3)
    }
  }

  /// Uses one store for all sources of its passphrase, because deriving a key takes a long time.
  @Test func `a passphrase comes from a file, a command, the input or the environment`() throws {
    let made = try ToolStore()
    let path = made.directory.path("locked")
    let file = made.directory.path("passphrase")
    func say(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file)) }
    try say("  zwei Wörter \n")
    let dump = try made.run("dump", made.path).text
    let run = try ToolRun(["store", "import", path, "--passphrase-file", file], input: dump)
    #expect(run.status == 0)
    func status(_ arguments: [String], input: String = "", _ environment: [String: String] = [:]) throws -> Int32 {
      try ToolRun(["store", "classes", path] + arguments, input: input, environment: environment).status
    }
    // Only one line ending is removed.
    for (text, expected) in [
      ("  zwei Wörter ", 0), ("  zwei Wörter \r\n", 0), ("zwei Wörter\n", 3), ("  zwei Wörter \n\n", 3), ("", 3),
    ] as [(String, Int32)] {
      try say(text)
      #expect(try status(["--passphrase-file", file]) == expected)
    }
    #expect(try status(["--passphrase-file", "-"], input: "  zwei Wörter \n") == 0)
    #expect(try status(["--passphrase-command", "echo '  zwei Wörter '"]) == 0)
    #expect(try status(["--passphrase-command", "printf '\\377'"]) == 3)
    #expect(try status(["--passphrase-command", "echo '  zwei Wörter '; exit 7"]) == 3)
    // An endless input is refused.
    #expect(try status(["--passphrase-command", "yes"]) == 3)
    #expect(try status(["--passphrase-file", "/dev/zero"]) == 3)
    #expect(try status([], ["TODANA_PASSPHRASE": "  zwei Wörter "]) == 0)
    #expect(try status([], ["TODANA_PASSPHRASE": "falsch"]) == 3)
    #expect(try status([]) == 3)
    #expect(try status(["--passphrase-file", made.directory.path("nothing")]) == 3)
    #expect(try status(["--key-file", file]) == 3)
    #expect(try status(["--passphrase-file", file, "--key-file", file]) == 2)
    #expect(try status(["--passphrase", "zwei"]) == 2)
    // An unneeded option is an error. The environment may be set for other stores.
    #expect(try ToolRun(["store", "classes", made.path, "--key-file", made.keyFile]).status == 3)
    #expect(try ToolRun(["store", "classes", made.path], environment: ["TODANA_PASSPHRASE": "x"]).status == 0)
  }

  @Test func `a passphrase is asked for on the terminal, twice for a new one`() throws {
    let made = try ToolStore()
    func terminal(_ arguments: [String]) throws -> ChildProcess {
      let words = [ChildProcess.path(ofProduct: "todana"), "store"] + arguments
      return try ChildProcess(
        executable: "/usr/bin/env",
        ["-u", "TODANA_PASSPHRASE", "script", "-qec", words.joined(separator: " "), "/dev/null"])
    }
    try #require(FileManager.default.isExecutableFile(atPath: "/usr/bin/script"))
    var tool = try terminal(["encrypt", made.path])
    var shown = try #require(tool.output(through: "New passphrase"))
    shown += try #require(tool.output(through: ": "))
    tool.write("geheim\r")
    shown += try #require(tool.output(through: "Again: "))
    tool.write("anders\r")
    shown += tool.remainingLines().joined()
    #expect(shown.contains("not the same") && !shown.contains("geheim"))
    #expect(tool.waitForExit() >> 8 == 3)
    #expect(try made.run("classes", made.path).status == 0)

    tool = try terminal(["encrypt", made.path])
    _ = try #require(tool.output(through: ": "))
    tool.write("geheim\r")
    _ = try #require(tool.output(through: "Again: "))
    tool.write("geheim\r")
    #expect(tool.waitForExit() >> 8 == 0)

    tool = try terminal(["list", "--json", "--limit", "1", made.path, "Song"])
    shown = try #require(tool.output(through: "Passphrase for \(made.path): "))
    tool.write("geheim\r")
    shown += tool.remainingLines().joined()
    #expect(shown.contains(#""row":1"#) && !shown.contains("geheim"))
    #expect(tool.waitForExit() >> 8 == 0)
  }
}
