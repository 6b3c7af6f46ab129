// Failing calls of the system while texts are merged.
import CFaults
import Foundation
import TestSupport
import Todana

/// A run of saves and merges in which one call to the system fails, and the repair of the store after it.
struct TextFaultRun {
  let path: String
  let kind: fault_kind
  let error: Int32
  let isLasting: Bool
  let isEncrypted: Bool
  /// The number of saves before the run.
  static let savedBefore = 12

  static let kinds: [String: fault_kind] = [
    "write": fault_write, "flush": fault_flush, "resize": fault_resize, "open": fault_open, "rename": fault_rename,
    "remove": fault_remove, "map": fault_map, "allocate": fault_allocate, "thread": fault_thread, "read": fault_read,
  ]

  private var settings: Set<String> { isEncrypted ? ["encrypted", "checkpoints"] : ["checkpoints"] }

  func open() throws -> Store { try CrashChild.openTexts(path, settings) }

  func prepare() throws {
    let store = try open()
    for number in 1...Self.savedBefore {
      try TextWorkload.save(number, to: store, durability: .relaxed)
      if number % 5 == 0 { try store.buildIndexes() }
    }
    try store.close()
  }

  struct Outcome {
    var callCount = 0
    var errorCount = 0
    var faults: [String] = []
  }

  /// Makes the `nth` call fail, and checks the store afterwards.
  func run(nth: Int) -> Outcome {
    var outcome = Outcome()
    var saved = (acknowledged: Self.savedBefore, begun: Self.savedBefore)
    faults_arm(kind, Int64(nth), error, isLasting)
    do {
      let store = try open()
      for step in 0..<10 {
        do {
          if step % 3 == 2 {
            try store.buildIndexes()
          } else if step == 7 {
            try store.rebuildIndexes(of: TextWorkload.Leaflet.self)
          } else {
            saved.begun = saved.acknowledged + 1
            try TextWorkload.save(saved.begun, to: store)
            saved.acknowledged = saved.begun
          }
        } catch {
          outcome.errorCount += 1
          note(error, &outcome)
          faults_relent()
          try recover(store, from: error, &saved, &outcome)
        }
      }
      try store.close()
    } catch {
      outcome.errorCount += 1
      note(error, &outcome)
    }
    outcome.callCount = Int(faults_disarm())
    check(saved.acknowledged...saved.begun, &outcome)
    return outcome
  }

  private func note(_ error: any Error, _ outcome: inout Outcome) {
    if !(error is StoreError) { outcome.faults.append("an error has no type: \(error)") }
  }

  /// Makes the store usable after an error.
  private func recover(
    _ store: Store, from error: any Error, _ saved: inout (acknowledged: Int, begun: Int), _ outcome: inout Outcome
  ) throws {
    func mustReopen(_ error: any Error) -> Bool {
      (error as? StoreError).map { $0.code == .mustReopen || $0.backendError?.code == .mustReopen } ?? false
    }
    if mustReopen(error) { try store.reopen() }
    store.discardChanges()
    var count: Int
    do {
      count = try TextWorkload.saveCount(of: store)
    } catch  where mustReopen(error) {
      try store.reopen()
      count = try TextWorkload.saveCount(of: store)
    }
    if !(saved.acknowledged...saved.begun).contains(count) {
      outcome.faults.append("there are \(count) saves instead of \(saved), after \(error)")
    }
    saved = (count, count)
  }

  /// Opens the store once more, and compares its contents and searches; merges the texts that are pending.
  private func check(_ saveCounts: ClosedRange<Int>, _ outcome: inout Outcome) {
    do {
      var store = try open()
      let count = try TextWorkload.saveCount(of: store)
      if !saveCounts.contains(count) {
        outcome.faults.append("there are \(count) saves instead of \(saveCounts)")
      }
      if try TextWorkload.state(of: store) != TextWorkload.state(after: count) {
        outcome.faults.append("the store holds what no save left")
      }
      try checkSearches(of: store, "after the run", &outcome)
      try store.buildIndexes()
      try store.close()
      store = try open()
      try checkSearches(of: store, "after a merge", &outcome)
      if try store.storedIndexes.contains(where: { $0.pendingCount > 0 }) {
        outcome.faults.append("texts stay pending")
      }
      let names = try store.backend.keyspaces().map { String(decoding: $0.name, as: UTF8.self) }
      let files = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.contains(".kc") }
      let dataFiles = files.filter { !$0.hasSuffix(".sums") }
      // The catalog, and the states of all keyspaces, are not listed.
      if dataFiles.count > names.count + 2 { outcome.faults.append("files are left: \(dataFiles), of \(names)") }
      try store.close()
    } catch {
      outcome.faults.append("the store cannot be used: \(error)")
    }
  }

  private func checkSearches(of store: Store, _ moment: String, _ outcome: inout Outcome) throws {
    for expression: TextExpression in [
      .word("lanterns"), .substring("uns th"), !.word("the"), .phrase("the of"), .prefix("harb"),
    ] {
      let found = try store.ids(TextWorkload.Leaflet.where { $0.text.matches(expression) })
      // The index does not serve a part of a disjunction.
      let tested = try store.ids(TextWorkload.Leaflet.where { $0.text.matches(expression) || $0.number < -1 })
      if found != tested { outcome.faults.append("\(expression) finds \(found.count), not \(tested.count) \(moment)") }
    }
    let problems = try store.verify().problems
    if !problems.isEmpty { outcome.faults.append("a verification finds \(problems) \(moment)") }
  }
}

extension CrashChild {
  /// Runs the workload repeatedly, and makes a later call fail each time: call `first`, then every `step`th call.
  ///
  /// Ends when the workload makes fewer calls. Prints the number of the call before each run, and the outcome after it.
  static func runTextFaults(_ path: String, _ arguments: [String]) throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 5, let kind = TextFaultRun.kinds[arguments[0]] else {
      return report("usage: text-faults <path> <kind> <error> <lasting> <encrypted> <first> <step>")
    }
    func run(in directory: String) -> TextFaultRun {
      TextFaultRun(
        path: path + "/" + directory, kind: kind, error: Int32(numbers[0]), isLasting: numbers[1] != 0,
        isEncrypted: numbers[2] != 0)
    }
    let base = run(in: "base")
    try base.prepare()
    var nth = numbers[3]
    while true {
      let run = run(in: "run")
      try FileManager.default.copyItem(atPath: base.path, toPath: run.path)
      report("call \(nth)")
      let outcome = run.run(nth: nth)
      report("errors \(outcome.errorCount)")
      for fault in outcome.faults { report("fault \(fault)") }
      try FileManager.default.removeItem(atPath: run.path)
      if outcome.callCount < nth { return report("calls \(outcome.callCount)") }
      nth += numbers[4]
    }
  }

  /// Merges texts until no file may grow further, and merges them again when there is room.
  static func fillDiskWithTexts(_ path: String) throws {
    let store = try openTexts(path, [])
    func matches() throws -> [Int] {
      try [TextExpression.word("lanterns"), !.word("the"), .substring("uns th")].map { expression in
        let found = try store.ids(TextWorkload.Leaflet.where { $0.text.matches(expression) })
        let tested = try store.ids(TextWorkload.Leaflet.where { $0.text.matches(expression) || $0.number < -1 })
        if found != tested { report("error: \(expression) finds \(found.count), not \(tested.count)") }
        return found.count
      }
    }
    for number in 1...40 { try TextWorkload.save(number, to: store, durability: .relaxed) }
    let before = try matches()
    // The log has its size already.
    try limitFiles(to: 24 << 10)
    do {
      try store.buildIndexes()
      report("nothing failed")
    } catch let error as StoreError {
      report("error \(error.code) \(error.backendError.map { "\($0.code)" } ?? "-")")
    }
    report(try matches() == before ? "searched" : "wrong")
    try limitFiles(to: nil)
    try TextWorkload.save(41, to: store)
    report("saved")
    try store.buildIndexes()
    report("merged \(try store.storedIndexes.map(\.pendingCount))")
    _ = try matches()
    report("problems \(try store.verify().problems.count)")
    try store.close()
  }

  /// Saves and merges texts, and records all operations on the store's files in a log.
  ///
  /// After each step, prints the number of operations so far and the number of saves.
  static func recordTexts(_ path: String, log: String, _ settings: Set<String>) throws {
    guard unsafe recording_start(path, log) else { return report("error: nothing can be recorded") }
    let store = try openTexts(path, settings)
    var number = try TextWorkload.saveCount(of: store)
    report("\(recording_count()) \(number)")
    for step in 0..<36 {
      number += 1
      try TextWorkload.save(number, to: store, durability: step % 4 == 0 ? .full : .relaxed)
      // Only the saves before a full one, and that one, are sure to last.
      if step % 4 == 0 { report("\(recording_count()) \(number)") }
      if step % 2 == 1 { try store.buildIndexes() }
      if step % 11 == 10 { try store.backend.operations?.checkpoint() }
      if step == 20 { try store.rebuildIndexes(of: TextWorkload.Leaflet.self, named: "text") }
      if step == 25 { try store.compact() }
    }
    try store.close()
    report(recording_stop() ? "recorded" : "error: the log is not whole")
  }
}
