import Foundation
import TestSupport

/// A run of the converter as a process.
struct ConverterRun {
  let status: Int32
  let output: String
  /// The text of the standard error.
  let messages: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let variables = ["TODANA_PASSPHRASE=", "BNR_PASSPHRASE="] + environment.map { "\($0)=\($1)" }
    let script = """
      directory="$1"; shift
      exec env "$@" </dev/null >"$directory/output" 2>"$directory/messages"
      """
    let program = ChildProcess.path(ofProduct: "todana-convert")
    let process = try ChildProcess(
      executable: "/bin/sh", ["-c", script, "sh", directory.path] + variables + [program] + arguments)
    // The exit status is in the second byte of the wait status.
    status = process.waitForExit() >> 8
    output = try String(contentsOfFile: directory.path("output"), encoding: .utf8)
    messages = try String(contentsOfFile: directory.path("messages"), encoding: .utf8)
  }

  init(_ arguments: String...) throws { try self.init(arguments) }
}
