import Foundation
import TestSupport
import Testing

/// System calls that fail, one in each run, while a store is opened, saved to, checkpointed and closed.
///
/// No acknowledged save is lost, none is half applied, and the store can be used again.
@Suite(.disabled(if: Sanitizer.isUsed, "a sanitizer replaces the functions that are made to fail"))
struct FaultInjectionTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    /// The kind of call that fails, as in `FaultRun.kinds` of CrashChild.
    let kind: String
    let error: Int32
    let isLasting: Bool
    /// The approximate number of calls made to fail in an ordinary run.
    var sampleCount = 8

    var testDescription: String { isLasting ? "\(name) from then on" : name }
  }

  static let faults: [Fault] = [
    Fault(name: "a write gives EIO", kind: "write", error: EIO, isLasting: false),
    Fault(name: "a write gives ENOSPC", kind: "write", error: ENOSPC, isLasting: true),
    Fault(name: "a flush gives EIO", kind: "flush", error: EIO, isLasting: false),
    Fault(name: "a flush gives EIO", kind: "flush", error: EIO, isLasting: true),
    Fault(name: "a change of size gives ENOSPC", kind: "resize", error: ENOSPC, isLasting: true),
    Fault(name: "opening a file gives EMFILE", kind: "open", error: EMFILE, isLasting: false),
    Fault(name: "opening a file gives EMFILE", kind: "open", error: EMFILE, isLasting: true),
    Fault(name: "a rename gives EIO", kind: "rename", error: EIO, isLasting: false),
    Fault(name: "a removal gives EIO", kind: "remove", error: EIO, isLasting: false),
    Fault(name: "a read gives EIO", kind: "read", error: EIO, isLasting: false),
    Fault(name: "a mapping gives ENOMEM", kind: "map", error: ENOMEM, isLasting: false),
    Fault(name: "a mapping gives ENOMEM", kind: "map", error: ENOMEM, isLasting: true),
    Fault(name: "an allocation fails", kind: "allocate", error: ENOMEM, isLasting: false),
  ]

  /// The approximate number of calls made to fail in a long run; all calls if TODANA_ALL_FAULTS=1.
  private static let longSampleCount =
    ProcessInfo.processInfo.environment["TODANA_ALL_FAULTS"] == "1" ? Int.max : 250

  /// A value in place of an error number, which makes a write write only half of its bytes.
  private static let shortWrite: Int32 = -1

  /// Faults that no caller notices, because they do no harm.
  static let harmless: [Fault] = [
    Fault(name: "a write is interrupted", kind: "write", error: EINTR, isLasting: false),
    Fault(name: "a write is short", kind: "write", error: shortWrite, isLasting: false),
    Fault(name: "all writes are short", kind: "write", error: shortWrite, isLasting: true),
    Fault(name: "a read is interrupted", kind: "read", error: EINTR, isLasting: false),
    Fault(name: "a change of size is interrupted", kind: "resize", error: EINTR, isLasting: false),
    Fault(name: "opening a file is interrupted", kind: "open", error: EINTR, isLasting: false),
    // Commits then do the work of the background thread themselves.
    Fault(name: "a thread cannot be started", kind: "thread", error: EAGAIN, isLasting: true),
  ]

  @Test(arguments: faults, [false, true])
  func `no acknowledged save is lost`(_ fault: Fault, isEncrypted: Bool) throws {
    let result = try run(fault, isEncrypted: isEncrypted)
    #expect(result.faults.isEmpty)
    #expect(result.errorCount > 0, "no failing call caused an error")
    #expect(result.otherErrorCount == 0, "errors are StoreError or BackendError")
  }

  @Test(arguments: harmless) func `a harmless failure is not reported`(_ fault: Fault) throws {
    let result = try run(fault)
    #expect(result.faults.isEmpty)
    #expect(result.errorCount == 0)
  }

  private struct Result {
    var faults: [String] = []
    var runCount = 0
    var errorCount = 0
    var otherErrorCount = 0
    var callCount = 0
  }

  /// Makes one call after the other fail, first in an existing store, then in a new store.
  private func run(_ fault: Fault, isEncrypted: Bool = false) throws -> Result {
    var result = Result()
    for savedBefore in [10, 0] {
      try run(fault, isEncrypted: isEncrypted, savedBefore: savedBefore, first: .max, step: 1, &result)
      let callCount = result.callCount
      guard callCount > 0 else { continue }
      // Starts a long run at a random call, so that each run makes different ones of the thousands of allocations fail.
      let sampleCount = LongTests.areEnabled ? Self.longSampleCount : fault.sampleCount
      let step = max(1, callCount / sampleCount)
      let first = LongTests.areEnabled ? Int.random(in: 1...step) : 1
      if step > 1, LongTests.areEnabled {
        print("\(fault.testDescription): calls \(first), \(first + step), … of \(callCount)")
      }
      try run(fault, isEncrypted: isEncrypted, savedBefore: savedBefore, first: first, step: step, &result)
    }
    #expect(result.runCount > 2)
    print(
      "\(fault.testDescription)\(isEncrypted ? ", encrypted" : ""): \(result.runCount) runs, \(result.errorCount) errors"
    )
    return result
  }

  /// Runs the workload in a child process until it has no more calls to fail.
  private func run(
    _ fault: Fault, isEncrypted: Bool, savedBefore: Int, first: Int, step: Int, _ result: inout Result
  ) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let child = try ChildProcess(
      "faults", directory.path, fault.kind, "\(fault.error)", fault.isLasting ? "1" : "0", "\(savedBefore)",
      isEncrypted ? "1" : "0", "\(first)", "\(step)")
    var call = ""
    var hasEnded = false
    while let line = child.nextLine() {
      let words = line.split(separator: " ")
      switch words.first {
      case "call":
        call = line
        result.runCount += 1
      case "outcome":
        let counts = words.dropFirst().compactMap { Int($0) }
        try #require(counts.count == 5)
        result.errorCount += counts[0] + counts[1] + counts[3]
        result.otherErrorCount += counts[4]
      case "calls":
        result.callCount = try #require(Int(words[1]))
        hasEnded = true
      default: result.faults.append("\(call): \(line)")
      }
    }
    if !hasEnded { result.faults.append("the process ended at \(call)") }
  }
}
