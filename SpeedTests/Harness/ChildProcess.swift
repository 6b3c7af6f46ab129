import Foundation
import Glibc

/// A process that runs one phase: this program again, or another program.
package enum ChildProcess {
  /// The line that a child prints when its save begins.
  static let saveAnnouncement = "saving"

  /// Runs a child to its end and returns its standard output.
  static func run(_ arguments: [String]) throws(SpeedTestError) -> String {
    try output(of: try start(arguments), arguments)
  }

  /// Runs a program to its end, and returns its standard output and its peaks of resident memory.
  ///
  /// The program is this one if no path is given.
  package static func runSampled(
    _ program: String?, _ arguments: [String]
  ) throws(SpeedTestError) -> (output: String, peak: ResidentMemory) {
    let process = try start(arguments, program: program)
    let sampler = MemorySampler(of: process.processIdentifier)
    sampler.start()
    defer { sampler.stop() }
    let text = try output(of: process, arguments)
    return (text, sampler.end())
  }

  private static func output(of process: Process, _ arguments: [String]) throws(SpeedTestError) -> String {
    let output = process.standardOutput as? Pipe
    let bytes = output?.fileHandleForReading.readDataToEndOfFile() ?? Data()
    try end(process)
    let status = process.terminationStatus
    guard process.terminationReason == .exit else {
      throw .failed("\(describe(arguments)) was terminated by signal \(status)")
    }
    switch status {
    case 0: return String(decoding: bytes, as: UTF8.self)
    case 1: throw .wrongResult("\(describe(arguments)) found a wrong result")
    default: throw .failed("\(describe(arguments)) failed with status \(status)")
    }
  }

  /// Runs a child, and kills it after a delay from the announcement of its save.
  ///
  /// Without a delay, runs it to its end.
  ///
  /// Returns the time that the child ran after the announcement.
  static func runSave(_ arguments: [String], killingAfter delay: Duration?) throws(SpeedTestError) -> Duration {
    let process = try start(arguments)
    let clock = ContinuousClock()
    var text = ""
    if let output = process.standardOutput as? Pipe {
      while !text.contains(saveAnnouncement) {
        let bytes = output.fileHandleForReading.availableData
        if bytes.isEmpty { break }
        text += String(decoding: bytes, as: UTF8.self)
      }
    }
    let begin = clock.now
    if let delay {
      Thread.sleep(forTimeInterval: delay / .seconds(1))
      kill(process.processIdentifier, SIGKILL)
    }
    try end(process)
    guard text.contains(saveAnnouncement) else { throw .failed("\(describe(arguments)) ended before its save began") }
    return clock.now - begin
  }

  private static func start(
    _ arguments: [String], program: String? = nil
  ) throws(SpeedTestError) -> Process {
    let process = Process()
    process.executableURL =
      program.map { URL(fileURLWithPath: $0) } ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = Pipe()
    do {
      try process.run()
    } catch {
      throw .failed("cannot start \(describe(arguments)): \(error.localizedDescription)")
    }
    Interruption.setChild(process.processIdentifier)
    return process
  }

  private static func end(_ process: Process) throws(SpeedTestError) {
    process.waitUntilExit()
    Interruption.setChild(nil)
  }

  private static func describe(_ arguments: [String]) -> String {
    "‘" + arguments.joined(separator: " ") + "’"
  }

  /// Copies a directory, and keeps holes in files.
  static func copy(_ source: String, to destination: String) throws(SpeedTestError) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/cp")
    process.arguments = ["-R", "--sparse=auto", source, destination]
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw .failed("cannot start cp: \(error.localizedDescription)")
    }
    Interruption.setChild(process.processIdentifier)
    try end(process)
    guard process.terminationStatus == 0 else { throw .failed("cannot copy \(source)") }
  }
}
