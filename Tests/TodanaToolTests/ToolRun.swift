import Foundation
import TestSupport

/// The result of a run of the command-line tool, as the built executable in a separate process.
struct ToolRun {
  let status: Int32
  let output: Data
  /// The text that the tool wrote to the standard error.
  let messages: String

  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// Runs the tool and waits for it to exit.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after `todana`.
  ///   - input: The content of its standard input.
  ///   - environment: Variables added to those of this process, from which the passphrases are removed.
  ///   - workingDirectory: Its working directory; nil for the one of this process.
  ///   - runner: A command that runs the tool, for example as another user.
  /// - Throws: An error if the tool cannot be started.
  init(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], workingDirectory: String? = nil,
    runner: [String] = []
  ) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    try Data(input.utf8).write(to: URL(filePath: directory.path("input")))
    var variables = workingDirectory.map { ["-C", $0] } ?? []
    for name in ["TODANA_PASSPHRASE", "TODANA_NEW_PASSPHRASE", "TODANA_TARGET_PASSPHRASE"] {
      variables += ["\(name)=", "\(name)_FILE=", "\(name)_COMMAND="]
    }
    variables.append("TODANA_ARCHIVE=")
    for (name, value) in environment { variables.append("\(name)=\(value)") }
    // A new session has no terminal on which the tool could ask.
    let script = """
      directory="$1"; shift
      exec setsid -w env "$@" <"$directory/input" >"$directory/output" 2>"$directory/messages"
      """
    let tool = try ChildProcess(
      executable: "/bin/sh",
      ["-c", script, "sh", directory.path] + variables + runner + [ChildProcess.path(ofProduct: "todana")] + arguments)
    // The exit status is in the second byte of the wait status.
    status = tool.waitForExit() >> 8
    output = try Data(contentsOf: URL(filePath: directory.path("output")))
    messages = try String(contentsOfFile: directory.path("messages"), encoding: .utf8)
  }

  init(_ arguments: String...) throws { try self.init(arguments) }

  func document<Value: Decodable>(_ type: Value.Type) throws -> Value { try Self.decoder.decode(type, from: output) }

  /// Decodes the output as JSON, one value on each line.
  func values<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
    try lines.map { try Self.decoder.decode(type, from: Data($0.utf8)) }
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}
