import CPowerFailure
import Foundation
import TestSupport
import Testing

/// Power failures during a recorded workload of the crash-safe layer.
///
/// Each on-disk state that a power failure could have left must recover to exactly one commit, the same in every file.
/// The commit must not be older than the newest acknowledged one. With background checkpoints, flushes take time, so
/// that a commit and a checkpoint overlap.
@Suite(.serialized) struct PowerFailureTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var sectorByteCount: Int32
    var isStrict = false
    var inBackground = false

    var testDescription: String {
      "\(sectorByteCount)-byte sectors\(isStrict ? ", strict" : "")\(inBackground ? ", background checkpoints" : "")"
    }
  }

  enum Workload { case files, cabinet, series }

  static let cases = [
    Case(sectorByteCount: 512),
    Case(sectorByteCount: 4096),
    Case(sectorByteCount: 512, inBackground: true),
    Case(sectorByteCount: 512, isStrict: true),
    Case(sectorByteCount: 4096, isStrict: true),
    Case(sectorByteCount: 4096, isStrict: true, inBackground: true),
  ]

  static let isLong = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil

  @Test(arguments: cases)
  func `every simulated power failure leaves the state of one commit`(_ failure: Case) throws {
    var states: Int64 = 0
    for seed in 1...(Self.isLong ? 10 : 1) as ClosedRange<UInt64> {
      let result = try simulate(failure, seed: seed, commits: 30, states: 120, sessions: 3)
      #expect(result.failures == 0, "\(message(of: result))")
      #expect(result.states == 120)
      #expect(result.direct_commits > 0, "the workload had no large commit")
      #expect(result.cuts > 0, "no file was cut")
      #expect(result.checkpoints > 0, "the workload had no checkpoint")
      states += result.states + result.nested_states
    }
    print("power failures, \(failure.testDescription): \(states) states")
  }

  @Test(arguments: cases, [POWER_FAILURE_NO_KEYS, POWER_FAILURE_ENCRYPTED, POWER_FAILURE_MIGRATING])
  func `every simulated power failure leaves a cabinet in the state of one commit`(
    _ failure: Case, keys: power_failure_keys
  ) throws {
    var states: Int64 = 0
    var compactions: Int64 = 0
    var growths: Int64 = 0
    var migrations: Int64 = 0
    let hasKeys = keys != POWER_FAILURE_NO_KEYS
    for seed in 1...(Self.isLong ? hasKeys ? 2 : 10 : 1) as ClosedRange<UInt64> {
      let count: Int32 = Self.isLong ? 150 : 60
      let result = try simulate(
        failure, of: .cabinet, keys: keys, seed: seed, commits: 30, states: count, sessions: 3)
      #expect(result.failures == 0, "\(message(of: result))")
      #expect(result.states == Int64(count))
      #expect(result.checkpoints > 0, "the workload had no checkpoint")
      states += result.states + result.nested_states
      compactions += result.compactions
      growths += result.growths
      migrations += result.migrations
    }
    // In a short run, it can happen that no compaction succeeds: a migration that replaces a file ends its compaction.
    if Self.isLong || keys != POWER_FAILURE_MIGRATING { #expect(compactions > 0, "nothing was compacted") }
    // Every fifth seed makes files grow in the background.
    if Self.isLong, !hasKeys { #expect(growths > 0, "nothing grew") }
    if Self.isLong, keys == POWER_FAILURE_MIGRATING { #expect(migrations > 0, "no migration was finished") }
    let names = ["", ", encrypted", ", migrating"]
    print("power failures of a cabinet, \(failure.testDescription)\(names[Int(keys.rawValue)]): \(states) states")
  }

  /// Covers cuts during a checkpoint: the torn sector of checksums may also contain the checksums of pages before the
  /// cut.
  @Test(arguments: [512, 4096] as [Int32], [0, 1, 60, 64, 65, 511, 512, 513] as [Int64])
  func `a power failure while a checkpoint truncates a file keeps the checksums of the rest`(
    _ sectorByteCount: Int32, cutPage: Int64
  ) throws {
    let directory = try TemporaryDirectory()
    for pageCount in [cutPage + 1, cutPage + 3, cutPage + 600] {
      var result = power_failure_result()
      let isWhole = unsafe directory.path("crashed").withCString {
        unsafe power_failure_cut_during_checkpoint($0, sectorByteCount, pageCount, cutPage, &result)
      }
      #expect(isWhole, "\(pageCount) pages: \(message(of: result))")
    }
  }

  @Test(arguments: [1, 2, 3] as [Int32])
  func `the simulation detects an omitted kind of flush`(_ sabotage: Int32) throws {
    let result = try simulate(
      Case(sectorByteCount: 512), seed: 5, commits: 40, states: 60, sessions: 1, sabotage: sabotage)
    #expect(result.failures > 0)
  }

  @Test(arguments: [512, 4096] as [Int32])
  func `a power failure leaves every backup of a series whole`(_ sectorByteCount: Int32) throws {
    for seed in 1...(Self.isLong ? 20 : 1) as ClosedRange<UInt64> {
      let result = try simulate(
        Case(sectorByteCount: sectorByteCount), of: .series, seed: seed, commits: 9, states: 80, sessions: 1)
      #expect(result.failures == 0, "\(message(of: result))")
      #expect(result.states == 80)
    }
  }

  @Test(arguments: [2, 3] as [Int32])
  func `the simulation detects an omitted kind of flush of a backup`(_ sabotage: Int32) throws {
    let result = try simulate(
      Case(sectorByteCount: 512), of: .series, seed: 5, commits: 9, states: 80, sessions: 1, sabotage: sabotage)
    #expect(result.failures > 0)
  }

  private func simulate(
    _ failure: Case, of workload: Workload = .files, keys: power_failure_keys = POWER_FAILURE_NO_KEYS, seed: UInt64,
    commits: Int32, states: Int32, sessions: Int32, sabotage: Int32 = 0
  ) throws -> power_failure_result {
    let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    let directory = "\(base)/todana-power-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var result = power_failure_result()
    let ran = unsafe directory.withCString { path in
      var plan = unsafe power_failure_plan()
      unsafe plan.seed = seed
      unsafe plan.commit_count = commits
      unsafe plan.state_count = states
      unsafe plan.session_count = sessions
      unsafe plan.sector_size = failure.sectorByteCount
      unsafe plan.strict = failure.isStrict
      unsafe plan.in_background = failure.inBackground
      unsafe plan.nested = sabotage == 0
      unsafe plan.keys = Int32(keys.rawValue)
      unsafe plan.sabotage = sabotage
      unsafe plan.directory = path
      return switch workload {
      case .files: unsafe power_failure_run(&plan, &result)
      case .cabinet: unsafe power_failure_run_cabinet(&plan, &result)
      case .series: unsafe power_failure_run_series(&plan, &result)
      }
    }
    try #require(ran, "\(failure): \(message(of: result))")
    return result
  }

  private func message(of result: power_failure_result) -> String {
    unsafe withUnsafeBytes(of: result.first_failure) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
