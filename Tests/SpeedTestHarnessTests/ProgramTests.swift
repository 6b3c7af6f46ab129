import Foundation
import SpeedTestHarness
import Testing

/// Runs of every workload with every subject, at a small size, so that the speed tests keep working.
///
/// The tests are serialized, because each waits for a process and would hold up other tests.
@Suite(.serialized) struct ProgramTests {
  static let programs = [
    ("InsertSpeedTest", ["N1", "W1", "W3", "W5", "W6", "W8", "W8-five"]),
    ("FetchSpeedTest", ["N2", "W10", "W10-killed", "W10-uncached", "W2", "W4", "W7", "W8", "W8-ranges"]),
  ]

  @Test(arguments: programs, [false, true])
  func `all workloads run`(program: (name: String, workloads: [String]), withTitles: Bool) throws {
    try withTemporaryDirectory { directory in
      var arguments = ["--count", "1000", "--repetitions", "1", "--json", "--directory", directory]
      if withTitles {
        let file = directory + "/titles.txt"
        let longTitle = String(repeating: "x", count: 400)
        let titles = "Ein längerer Titel als fünfzehn Bytes\n\nBlue in Green\n\(longTitle)\n"
        try titles.write(toFile: file, atomically: true, encoding: .utf8)
        arguments += ["--titles", file]
      }
      let run = try SpeedTestProcess(program.name, arguments)
      #expect(run.status == 0, "\(run.messages)")
      let measurements = try JSONDecoder().decode([SpeedMeasurement].self, from: Data(run.output.utf8))
      #expect(Set(measurements.map(\.workload)).sorted() == program.workloads)
      for measurement in measurements {
        #expect(measurement.count == 1_000)
        #expect(measurement.repetition == 1)
        #expect(measurement.wallSeconds > 0)
        #expect(measurement.cpuSeconds > 0)
        #expect(measurement.peakBytes > 0)
        #expect(measurement.peakFileBytes > 0)
        #expect(measurement.diskBytes > 0)
        #expect((measurement.p50Microseconds != nil) == (measurement.workload == "W6"))
      }
      let subjects = Set(measurements.filter { $0.workload == "W8" }.map(\.subject))
      #expect(subjects.isSuperset(of: ["todana", "raw", "sqlite", "grdb", "grdb-codable"]))
      let left = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(left.filter { $0 != "titles.txt" } == [])
    }
  }

  @Test func `documents are measured beside JSON in SQLite`() throws {
    try withTemporaryDirectory { directory in
      let arguments = ["--count", "1000", "--repetitions", "1", "--json", "--directory", directory]
      let run = try SpeedTestProcess("DocumentSpeedTest", arguments)
      #expect(run.status == 0, "\(run.messages)")
      let measurements = try JSONDecoder().decode([SpeedMeasurement].self, from: Data(run.output.utf8))
      let workloads = ["D1", "D1-indexed", "D2", "D3", "D4", "D5", "D6"]
      #expect(measurements.filter { $0.subject == "todana" }.map(\.workload).sorted() == workloads)
      #expect(measurements.filter { $0.subject == "grdb-json" }.map(\.workload).sorted() == workloads.dropLast(2))
      #expect(measurements.allSatisfy { $0.wallSeconds > 0 && $0.diskBytes > 0 })
    }
  }

  @Test func `the growth of costs is measured, and the results are right`() throws {
    try withTemporaryDirectory { directory in
      let run = try SpeedTestProcess(
        "CliffSpeedTest", ["--divisor", "1000000", "--repetitions", "1", "--directory", directory])
      #expect(run.status == 0, "\(run.messages)")
      let list = try SpeedTestProcess("CliffSpeedTest", ["--list"])
      let ids = list.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
      let rows = run.output.split(separator: "\n").dropFirst().compactMap { $0.split(separator: " ").first }
      #expect(ids.count > 10)
      #expect(rows == ids)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
    }
  }

  @Test func `the program prints a table without --json`() throws {
    try withTemporaryDirectory { directory in
      let arguments = ["--count", "100", "--repetitions", "2", "--workloads", "simpleinsert", "--peers", "raw"]
      let run = try SpeedTestProcess("InsertSpeedTest", arguments + ["--directory", directory])
      #expect(run.status == 0, "\(run.messages)")
      #expect(run.output.hasPrefix("W1 SimpleInsert: creates 100 songs"))
      #expect(run.output.contains("\nraw "))
      #expect(!run.output.contains("grdb"))
      #expect(run.messages.isEmpty)
    }
  }

  @Test(arguments: [("InsertSpeedTest", ["W1", "W5", "W8"]), ("FetchSpeedTest", ["W2", "W8", "W10"])])
  func `encrypted stores are one more subject`(program: String, workloads: [String]) throws {
    try withTemporaryDirectory { directory in
      let arguments = ["--count", "100", "--repetitions", "1", "--peers", "none", "--encrypted", "--json"]
      let run = try SpeedTestProcess(
        program, arguments + ["--directory", directory, "--workloads", workloads.joined(separator: ",")])
      #expect(run.status == 0, "\(run.messages)")
      let subjects = try JSONDecoder().decode([SpeedMeasurement].self, from: Data(run.output.utf8)).map(\.subject)
      #expect(Set(subjects) == ["todana", "todana-encrypted"])
    }
  }

  @Test(arguments: [
    (["--count", "0"], "--count"), (["--count", "many"], "--count"), (["--repetitions", "0"], "--repetitions"),
    (["--workloads", "W2"], "W1 (SimpleInsert)"),
    (["--workloads", ","], "--workloads"),
    (["--peers", "raw,oracle"], "oracle"), (["--titles", "/no/such/file"], "/no/such/file"),
    (["--directory", "/proc/no"], "/proc/no"), (["--show", "1", "--json"], "--json"), (["--colour"], "--colour"),
  ])
  func `wrong use ends with status 2 and says what is wrong`(arguments: [String], expected: String) throws {
    let run = try SpeedTestProcess("InsertSpeedTest", arguments)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.messages.contains(expected), "\(run.messages)")
  }

  @Test(arguments: ["InsertSpeedTest", "FetchSpeedTest"])
  func `help goes to standard output`(program: String) throws {
    let run = try SpeedTestProcess(program, ["--help"])
    #expect(run.status == 0)
    #expect(run.output.contains("--repetitions"))
    #expect(run.messages.isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an interrupted run leaves nothing behind`(signal: Int32) throws {
    try withTemporaryDirectory { directory in
      let arguments = ["--count", "5000000", "--workloads", "W1", "--directory", directory]
      let (process, _, messages) = try SpeedTestProcess.start("InsertSpeedTest", arguments)
      // Waits until the first child has begun to write.
      var files: [String] = []
      for _ in 0..<1_000 where !files.contains(where: { $0.contains(".") }) {
        Thread.sleep(forTimeInterval: 0.01)
        files = FileManager.default.subpaths(atPath: directory) ?? []
      }
      kill(process.processIdentifier, signal)
      process.waitUntilExit()
      #expect(process.terminationStatus == 130)
      #expect(process.terminationReason == .exit)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
      let text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(text.contains("Interrupted."))
    }
  }
}
