import CFaults
import Foundation
import TestSupport
import Todana

/// A workload in which one system call fails, or all calls of a kind after a certain number.
///
/// In any case, acknowledged saves remain and no save is half applied. The store can be used again: at once, or after
/// `reopen()` if an error asks for it.
struct FaultRun {
  /// The results of one run.
  struct Outcome {
    /// The number of calls of the kind that the workload made.
    var callCount = 0
    var openingFailed = false
    var savesFailed = 0
    var reopened = 0
    var closingFailed = false
    var otherErrors = 0
    /// Violations of the guarantees; empty if there are none.
    var faults: [String] = []
  }

  /// The numbers of the last saves, by their outcome as the program knows it.
  private struct Progress {
    /// The last save that was durable when it returned.
    var durable: Int
    /// The last save that returned, durable or relaxed.
    var acknowledged: Int
    /// The last save that was begun.
    var begun: Int

    init(_ number: Int) {
      durable = number
      acknowledged = number
      begun = number
    }
  }

  let path: String
  let kind: fault_kind
  let error: Int32
  let isLasting: Bool
  /// The number of saves made before anything fails.
  ///
  /// With 0, the store is created while calls fail.
  let savedBefore: Int
  let isEncrypted: Bool

  static let kinds = [
    "write": fault_write, "read": fault_read, "flush": fault_flush, "resize": fault_resize, "open": fault_open,
    "rename": fault_rename, "remove": fault_remove, "map": fault_map, "allocate": fault_allocate,
    "thread": fault_thread,
  ]

  fileprivate var configuration: StoreConfiguration {
    let encryption = isEncrypted ? SaveWorkload.encryption : .none
    var configuration = StoreConfiguration(encryption: encryption, detectsUnannouncedChanges: false)
    // Cause large commits and background checkpoints within a few saves.
    configuration.tuning.directThresholdByteCount = 16 << 10
    configuration.tuning.logLimitByteCount = 32 << 10
    return configuration
  }

  private func open() throws -> Store {
    try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
  }

  fileprivate var backupPath: String { path + ".backup" }
  fileprivate var assembledPath: String { path + ".assembled" }
  fileprivate var series: BackupSeries { BackupSeries(at: path + ".series") }

  /// Makes the store that the workloads start with.
  func prepare() throws {
    guard savedBefore > 0 else {
      return try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let store = try open()
    // Insert objects that are deleted below, so that compaction has space to recover.
    let nodes = (0..<1000).map { _ in Node() }
    for node in nodes { try store.insert(node) }
    try store.saveChanges()
    for number in 1...savedBefore { try SaveWorkload.save(number, to: store) }
    try store.delete(nodes)
    try store.saveChanges()
    try store.close()
    // Make the lock file longer, as if a program with a longer name had left it: the next opening must truncate it.
    let lock = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/lock"))
    try lock.seekToEnd()
    try lock.write(contentsOf: Data(repeating: 0x2A, count: 64))
    try lock.close()
  }

  /// Runs the workload in which the `nth` call fails.
  func run(nth: Int) throws -> Outcome {
    var outcome = Outcome()
    var progress = Progress(savedBefore)
    faults_arm(kind, Int64(nth), error, isLasting)
    do {
      let store = try open()
      save(to: store, &progress, &outcome)
      do {
        // A save that failed leaves its changes pending.
        try store.close(discarding: true)
        progress = Progress(progress.acknowledged)
      } catch {
        outcome.closingFailed = true
        noteType(of: error, &outcome)
      }
    } catch {
      outcome.openingFailed = true
      noteType(of: error, &outcome)
    }
    outcome.callCount = Int(faults_disarm())
    check(progress, &outcome)
    return outcome
  }

  /// Makes six saves, with checkpoints, compactions, new keys, backups and prunings among them.
  ///
  /// Backups are made to a directory, in parts, and into a series. The number of a save decides whether it is relaxed.
  private func save(to store: Store, _ progress: inout Progress, _ outcome: inout Outcome) {
    while progress.acknowledged < savedBefore + 6 {
      let number = progress.acknowledged + 1
      let durability: Durability = number % 7 == 0 ? .relaxed : number % 8 == 0 ? .bulk : .full
      do {
        if number % 3 == 0 { try (store.backend as? KyotoBackend)?.checkpoint() }
        if number % 4 == 0 { try store.compact() }
        if isEncrypted, number % 3 == 1 { try renewKeys(of: store) }
        if number % 5 == 0, !FileManager.default.fileExists(atPath: backupPath) { try store.backUp(to: backupPath) }
        if number % 5 == 1, !FileManager.default.fileExists(atPath: assembledPath) { try assemble(partsOf: store) }
        if number % 2 == 0 { try store.backUp(into: series) }
        if number % 6 == 0 { try series.prune(keeping: 2) }
        try FaultTree.write(number, to: store.backend)
        progress.begun = number
        try SaveWorkload.save(number, to: store, durability: durability)
        progress.acknowledged = number
        if durability == .full { progress.durable = number }
      } catch {
        outcome.savesFailed += 1
        noteType(of: error, &outcome)
        if outcome.savesFailed > 3 {
          return outcome.faults.append("save \(number) fails again and again: \(error)")
        }
        // A lasting fault ends here: the disk works again.
        if isLasting { faults_relent() }
        guard let count = recover(store, from: error, &progress, &outcome) else { return }
        progress = Progress(count)
      }
    }
  }

  /// Restores a store from the parts of a backup.
  private func assemble(partsOf store: Store) throws {
    var parts: [BackupPart] = []
    try store.writeBackup { parts.append($0) }
    var next = parts.makeIterator()
    try Store.restore(at: assembledPath, fromParts: { next.next() })
  }

  /// Renews the keys, or resumes an unfinished migration.
  private func renewKeys(of store: Store) throws {
    if try store.unfinishedMigration() != nil {
      try store.resumeMigration()
    } else {
      try store.keys.rotate(keeping: [SaveWorkload.secret])
    }
  }

  /// Makes the store usable after an error, and returns the number of saves that it holds then.
  ///
  /// Returns nil if the store cannot be used, or holds other saves than expected.
  private func recover(
    _ store: Store, from error: any Error, _ progress: inout Progress, _ outcome: inout Outcome
  ) -> Int? {
    var reopens = needsReopening(error)
    // A failed checkpoint may leave it to the next call to report that the store must be reopened.
    for _ in 0..<2 {
      do {
        if reopens {
          outcome.reopened += 1
          if (try? store.count(Song.self)) != nil { outcome.faults.append("the store goes on without being reopened") }
          try store.reopen()
        }
        store.discardChanges()
        let count = try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
        let expected = reopens ? progress.durable...progress.begun : progress.acknowledged...progress.acknowledged
        if !expected.contains(count) {
          outcome.faults.append("the store holds \(count) saves instead of \(expected), after \(error)")
          return nil
        }
        return count
      } catch let second {
        guard !reopens, needsReopening(second) else {
          outcome.faults.append("the store cannot be used: \(second), after \(error)")
          return nil
        }
        reopens = true
      }
    }
    return nil
  }

  private func needsReopening(_ error: any Error) -> Bool {
    (error as? StoreError)?.code == .mustReopen || (error as? BackendError)?.code == .mustReopen
  }

  private func noteType(of error: any Error, _ outcome: inout Outcome) {
    if !(error is StoreError), !(error is BackendError) { outcome.otherErrors += 1 }
  }

  /// Opens the store once more, and compares all its contents.
  private func check(_ progress: Progress, _ outcome: inout Outcome) {
    do {
      let store = try open()
      let state = try SaveWorkload.State(of: store)
      if state != SaveWorkload.State(after: state.saveCount) {
        outcome.faults.append("the store holds what no save left")
      }
      if !(progress.durable...progress.begun).contains(state.saveCount) {
        outcome.faults.append("there are \(state.saveCount) saves instead of \(progress)")
      }
      if let fault = try FaultTree.fault(in: store.backend, after: state.saveCount, startingAt: savedBefore) {
        outcome.faults.append(fault)
      }
      try store.close()
      for path in [backupPath, assembledPath] { try checkBackup(path, &outcome) }
      try checkSeries(&outcome)
    } catch {
      outcome.faults.append("the store cannot be opened: \(error)")
    }
  }
}

extension FaultRun {
  /// Checks that every backup of the series can be restored, and that another one can be made.
  private func checkSeries(_ outcome: inout Outcome) throws {
    let restored = path + ".restored"
    defer { for name in [series.path, restored] { try? FileManager.default.removeItem(atPath: name) } }
    let store = try open()
    let last = try store.backUp(into: series)
    try store.close()
    let report = try series.verify()
    if !report.isSound { outcome.faults.append("the series is damaged: \(report.damages)") }
    // Restores few in an ordinary run, because each flush of a restored file takes time.
    for info in try series.backups().suffix(LongTests.areEnabled ? .max : 2) {
      try series.restore(info.number, to: restored)
      let copy = try Store(.directory(restored), classes: SaveWorkload.classes, configuration: configuration)
      let state = try SaveWorkload.State(of: copy)
      if state.saveCount < savedBefore || state != SaveWorkload.State(after: state.saveCount) {
        outcome.faults.append("backup \(info.number) of \(last.number) holds what no save left")
      }
      try copy.close()
      try FileManager.default.removeItem(atPath: restored)
    }
  }

  /// Checks that a backup is complete or absent.
  private func checkBackup(_ path: String, _ outcome: inout Outcome) throws {
    let names = [path, path + ".partial"]
    defer { for name in names { try? FileManager.default.removeItem(atPath: name) } }
    guard FileManager.default.fileExists(atPath: path) else { return }
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    let state = try SaveWorkload.State(of: store)
    if state.saveCount < savedBefore || state != SaveWorkload.State(after: state.saveCount) {
      outcome.faults.append("the backup holds what no save left")
    }
    try store.close()
  }
}

extension CrashChild {
  /// Runs the workload repeatedly, and makes a later call fail each time: call `first`, then every `step`th call.
  ///
  /// Ends when the workload makes fewer calls.
  ///
  /// Prints the number of the call before each run, and the outcome after it.
  static func runFaults(_ path: String, _ arguments: [String]) throws {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 6, let kind = FaultRun.kinds[arguments[0]] else {
      return report("usage: faults <path> <kind> <error> <lasting> <saved before> <encrypted> <first> <step>")
    }
    func run(in directory: String) -> FaultRun {
      FaultRun(
        path: path + "/" + directory, kind: kind, error: Int32(numbers[0]), isLasting: numbers[1] != 0,
        savedBefore: numbers[2], isEncrypted: numbers[3] != 0)
    }
    let base = run(in: "base")
    try base.prepare()
    var nth = numbers[4]
    while true {
      let run = run(in: "run")
      try FileManager.default.copyItem(atPath: base.path, toPath: run.path)
      report("call \(nth)")
      let outcome = try run.run(nth: nth)
      let counts = [
        outcome.openingFailed ? 1 : 0, outcome.savesFailed, outcome.reopened, outcome.closingFailed ? 1 : 0,
        outcome.otherErrors,
      ]
      report("outcome " + counts.map { "\($0)" }.joined(separator: " "))
      for fault in outcome.faults { report("fault \(fault)") }
      try FileManager.default.removeItem(atPath: run.path)
      if outcome.callCount < nth { return report("calls \(outcome.callCount)") }
      nth += numbers[5]
    }
  }
}
