import CPowerFailure
import Foundation
import TestSupport
import Testing
import Todana

@testable import TodanaArchive

/// Tests of archives after a power failure at any moment of adding, removing and compacting.
///
/// A child process that uses the library records its system calls. Any part of the unflushed data may be lost, in any
/// order.
@Suite struct ArchivePowerFailureTests {
  /// The snapshots that existed after a number of operations.
  private struct Mark {
    var operationCount: Int64
    var snapshots: [String]
  }

  private let scratch: ScratchTree
  private var archivePath: String { scratch.path("archive") }

  init() throws { scratch = try ScratchTree(isInMemory: true) }

  @Test(
    .enabled(if: !Sanitizer.isUsed, "the operations of a sanitized process are not recorded"),
    arguments: [Form(), Form(compactsInPlace: true), Form(isStrict: true, compactsInPlace: true)])
  func `every snapshot is whole after a power failure, and more can be added`(_ form: Form) throws {
    let workload = try record(form)
    var states = 0
    for seed in 1...(LongTests.areEnabled ? 4 : 1) as ClosedRange<UInt64> {
      try forEachState(of: workload, seed: seed) { moment, problems in
        #expect(problems == [], "moment \(moment)")
        states += 1
      }
    }
    print("power failures of an archive, \(form): \(states) states")
  }

  @Test(.enabled(if: !Sanitizer.isUsed, "the operations of a sanitized process are not recorded"))
  func `the simulation detects omitted flushes`() throws {
    var problemCount = 0
    try forEachState(of: record(Form()), seed: 1, leavesOutFlushes: true) { problemCount += $1.count }
    #expect(problemCount > 0)
  }

  /// The options with which the archive is opened.
  struct Form: Sendable {
    var isStrict = false
    var compactsInPlace = false

    var configuration: StoreConfiguration {
      var configuration = ScratchArchive.configuration
      configuration.tuning.isStrict = isStrict
      if compactsInPlace { configuration.tuning.compactionRoomByteCount = 0 }
      return configuration
    }
  }

  /// The recorded operations of a child process, and the snapshots expected after them.
  private struct Workload {
    var form: Form
    var marks: [Mark]
    /// The source directory of each snapshot.
    var sources: [String: String]
  }

  private func record(_ form: Form) throws -> Workload {
    try makeSources()
    var settings = Archive.Settings()
    settings.chunkSizes = ScratchArchive.smallChunks
    try Archive.make(at: archivePath, settings: settings, configuration: form.configuration).close()
    try FileManager.default.copyItem(atPath: archivePath, toPath: scratch.path("initial"))
    let child = try ChildProcess(
      ["archive-record", archivePath, scratch.path("log"), scratch.path("first"), scratch.path("second")]
        + (form.isStrict ? ["strict"] : []) + (form.compactsInPlace ? ["in-place"] : []))
    var lines = child.remainingLines()
    child.endInput()
    try #require(lines.popLast() == "recorded", "\(lines)")
    let marks = try lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      return Mark(operationCount: try #require(words.first.flatMap(Int64.init)), snapshots: Array(words.dropFirst()))
    }
    try #require(marks.map(\.snapshots.count) == [0, 1, 2, 1, 1, 2])
    return Workload(
      form: form, marks: marks,
      sources: [marks[1].snapshots[0]: "first", marks[2].snapshots[1]: "second", marks[5].snapshots[1]: "first"])
  }

  /// Simulates power failures at random moments, and calls `body` with each moment and the problems found.
  private func forEachState(
    of workload: Workload, seed: UInt64, leavesOutFlushes: Bool = false, _ body: (Int64, [String]) -> Void
  ) throws {
    let opened = unsafe power_failure_replay_open(
      scratch.path("log"), scratch.path("initial"), 512, workload.form.isStrict, leavesOutFlushes, seed)
    let replay = unsafe try #require(unsafe opened)
    defer { unsafe power_failure_replay_close(replay) }
    let count = unsafe power_failure_replay_count(replay)
    #expect(count > 100)
    var random = SeededGenerator(seed: seed)
    let moments = (0..<(LongTests.areEnabled ? 60 : 20)).map { _ in Int64.random(in: 0...count, using: &random) }
    for (number, moment) in moments.sorted().enumerated() {
      try #require(unsafe power_failure_replay_lay(replay, moment, scratch.path("left")))
      do {
        body(moment, try problems(of: workload, at: moment, goesOn: number % 4 == 0))
      } catch {
        body(moment, ["\(error)"])
      }
    }
  }

  /// Makes two directories that share much of their content.
  private func makeSources() throws {
    var random = SeededGenerator(seed: 7)
    func bytes(_ count: Int) -> Data { Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }) }
    for name in ["first", "second"] { try scratch.make("\(name)/small") }
    for number in 0..<120 {
      let content = bytes(Int.random(in: 0...4000, using: &random))
      for name in ["first", "second"] where name == "first" || number % 3 > 0 {
        try content.write(to: URL(filePath: scratch.path("\(name)/small/\(number)")))
      }
    }
    var large = bytes(2_500_000)
    try large.write(to: URL(filePath: scratch.path("first/large")))
    large.replaceSubrange(1_000_000..<1_200_000, with: bytes(300_000))
    try large.write(to: URL(filePath: scratch.path("second/large")))
    try bytes(700_000).write(to: URL(filePath: scratch.path("second/new")))
  }

  private func problems(of workload: Workload, at moment: Int64, goesOn: Bool) throws -> [String] {
    var problems: [String] = []
    let before = try #require(workload.marks.last { $0.operationCount <= moment } ?? workload.marks.first)
    let after = workload.marks.first { $0.operationCount > moment } ?? before
    let archive = try Archive(at: scratch.path("left"), configuration: workload.form.configuration)
    let snapshots = try archive.snapshots()
    let names = snapshots.map { "\($0.id)" }
    if ![before.snapshots, after.snapshots].contains(names) {
      problems.append("\(names) are there, not \(before.snapshots) or \(after.snapshots)")
    }
    let found = try archive.verify()
    if !found.isSound { problems.append("\(found)") }
    for (snapshot, name) in zip(snapshots, names) {
      let source = try #require(workload.sources[name])
      _ = try archive.extract(snapshot, to: scratch.bytes("out"))
      let restored = scratch.path("out") + scratch.path(source)
      do { try Command.run("diff", ["-r", scratch.path(source), restored]) } catch { problems.append("\(error)") }
      try FileManager.default.removeItem(atPath: scratch.path("out"))
    }
    if goesOn {
      let added = try #require(try archive.add([scratch.bytes("second")]).snapshot)
      try archive.remove(snapshots)
      _ = try archive.compact()
      if try archive.snapshots() != [added] { problems.append("More snapshots are there than the new one.") }
      let found = try archive.verify()
      if !found.isSound { problems.append("Later: \(found)") }
    }
    try archive.close()
    return problems
  }
}
