import Foundation
import TestSupport

/// What a run of the command-line tool came to: the executable that was built, in a process of its own.
struct ToolRun {
  let status: Int32
  let output: Data
  /// What it wrote to the standard error.
  let messages: String

  var text: String { String(decoding: output, as: UTF8.self) }
  var lines: [String] { text.split(separator: "\n").map(String.init) }

  /// - Parameters:
  ///   - arguments: Behind `todana`.
  ///   - input: What its standard input has.
  ///   - environment: Beside what this process has, without any passphrase.
  ///   - workingDirectory: Where it runs, if not where this process does.
  ///   - runner: A command that runs it, such as one that makes it another user's.
  /// - Throws: Where the tool cannot be started.
  init(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], workingDirectory: String? = nil,
    runner: [String] = []
  ) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    try Data(input.utf8).write(to: URL(filePath: directory.path("input")))
    var variables = workingDirectory.map { ["-C", $0] } ?? []
    for name in ["TODANA_PASSPHRASE", "TODANA_NEW_PASSPHRASE"] {
      variables += ["\(name)=", "\(name)_FILE=", "\(name)_COMMAND="]
    }
    variables.append("TODANA_ARCHIVE=")
    for (name, value) in environment { variables.append("\(name)=\(value)") }
    // A session of its own has no terminal that it could ask.
    let script = """
      directory="$1"; shift
      exec setsid -w env "$@" <"$directory/input" >"$directory/output" 2>"$directory/messages"
      """
    let tool = try ChildProcess(
      executable: "/bin/sh",
      ["-c", script, "sh", directory.path] + variables + runner + [ChildProcess.path(ofProduct: "todana")] + arguments)
    // The status as the system gives it has the exit status in its second byte.
    status = tool.waitForExit() >> 8
    output = try Data(contentsOf: URL(filePath: directory.path("output")))
    messages = try String(contentsOfFile: directory.path("messages"), encoding: .utf8)
  }

  init(_ arguments: String...) throws { try self.init(arguments) }

  /// The output as one JSON document.
  func document<Value: Decodable>(_ type: Value.Type) throws -> Value { try Self.decoder.decode(type, from: output) }

  /// The output as JSON, one value a line.
  func values<Value: Decodable>(_ type: Value.Type) throws -> [Value] {
    try lines.map { try Self.decoder.decode(type, from: Data($0.utf8)) }
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}
