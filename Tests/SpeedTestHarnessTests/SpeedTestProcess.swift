import Foundation
import Testing

/// A run of one of the programs, as a user would start it.
struct SpeedTestProcess {
  var status: Int32
  var output: String
  var messages: String

  /// The directory that holds the programs and the tests' own executable.
  static var productsDirectory: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }

  static func start(
    _ program: String, _ arguments: [String]
  ) throws -> (process: Process, output: Pipe, messages: Pipe) {
    let process = Process()
    process.executableURL = productsDirectory.appendingPathComponent(program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    let output = Pipe()
    let messages = Pipe()
    process.standardOutput = output
    process.standardError = messages
    try process.run()
    return (process, output, messages)
  }

  /// Runs a program to its end.
  ///
  /// Its messages are read after the output; they are few enough to fit into their pipe.
  init(_ program: String, _ arguments: [String]) throws {
    let (process, outputPipe, messagePipe) = try Self.start(program, arguments)
    output = String(decoding: outputPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    messages = String(decoding: messagePipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
  }
}

/// Calls `body` with the path of a fresh directory, and removes it afterwards.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("speed-test-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory.path)
}
