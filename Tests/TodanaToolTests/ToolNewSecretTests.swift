import Foundation
import TestSupport
import Testing

/// The new passphrase or key of commands that encrypt, which has the same options and variables everywhere.
@Suite struct ToolNewSecretTests {
  private let made: ToolStore
  private let target: String

  init() throws {
    made = try ToolStore()
    target = made.directory.path("new")
  }

  static let commands = ["encrypt", "import", "init", "backup"]

  private func run(
    _ command: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> ToolRun {
    switch command {
    case "encrypt": try ToolRun(["store", "encrypt", made.path] + arguments, environment: environment)
    case "import":
      try ToolRun(
        ["store", "import", target, "--encrypt"] + arguments, input: made.run("dump", made.path).text,
        environment: environment)
    case "backup":
      try ToolRun(["store", "backup", made.path, target, "--encrypted"] + arguments, environment: environment)
    default: try ToolRun(["archive", "init", target] + arguments, environment: environment)
    }
  }

  /// Returns the exit status of a command that opens the result.
  private func opening(_ command: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Int32 {
    let path = command == "encrypt" ? made.path : target
    return try ToolRun(["store", "classes", path] + arguments, environment: environment).status
  }

  @Test(arguments: commands) func `options that begin with new give the new key`(_ command: String) throws {
    let made = try run(command, ["--new-key-file", made.keyFile])
    #expect(made.status == 0, "\(made.messages)")
    #expect(try opening(command, ["--key-file", self.made.keyFile]) == 0)
    #expect(try opening(command, []) == 3)
  }

  @Test(arguments: commands) func `a variable gives the new passphrase`(_ command: String) throws {
    let made = try run(command, [], environment: ["TODANA_NEW_PASSPHRASE": "neu"])
    #expect(made.status == 0, "\(made.messages)")
    #expect(try opening(command, [], environment: ["TODANA_PASSPHRASE": "neu"]) == 0)
  }

  @Test(arguments: ["encrypt", "import", "init"]) func `options without new are still accepted`(
    _ command: String
  ) throws {
    #expect(try run(command, ["--key-file", made.keyFile]).status == 0)
    #expect(try opening(command, ["--key-file", made.keyFile]) == 0)
  }

  @Test(arguments: ["encrypt", "import", "init"]) func `two new keys are refused`(_ command: String) throws {
    let both = try run(command, ["--key-file", made.keyFile, "--new-key-file", made.keyFile])
    #expect(both.status == 2 && both.messages.contains("new passphrase or key once"), "\(both.messages)")
  }

  @Test func `without a terminal the message names the options`() throws {
    for command in Self.commands {
      let run = try run(command, [])
      #expect(run.status == 2 && run.messages.contains("--new-passphrase-file"), "\(run.messages)")
    }
  }
}
