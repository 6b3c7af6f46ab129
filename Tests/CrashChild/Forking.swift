// Forks while a store is open, and uses the copies of the store on both sides.
import CFaults
import Foundation
import TestSupport
import Todana
import TodanaArchive

/// The activity of the parent during the fork.
private enum ForkStage: String {
  case idle, pending, savepoint, snapshot, query, relaxed, checkpoints, sharing, encrypted, memory
}

/// A store of a process that forks.
private final class ForkingStore {
  let path: String
  let stage: ForkStage
  /// The store, and another one over its backend if they share it; empty after they were released.
  var stores: [Store]
  private(set) var saveCount = 0

  var store: Store { stores[0] }

  private static func configuration(_ stage: ForkStage) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    if stage == .encrypted { configuration.encryption = SaveWorkload.encryption }
    if stage == .checkpoints { configuration.tuning.logLimitByteCount = 64 << 10 }
    return configuration
  }

  init(_ path: String, _ stage: ForkStage) throws {
    self.path = path
    self.stage = stage
    let store = try Store(
      stage == .memory ? .inMemory : .directory(path), classes: SaveWorkload.classes,
      configuration: Self.configuration(stage))
    stores = [store]
    if stage == .sharing { stores.append(try Store(backend: store.backend, classes: SaveWorkload.classes)) }
  }

  func save(_ count: Int) throws {
    for _ in 0..<count {
      saveCount += 1
      try SaveWorkload.save(saveCount, to: store, durability: stage == .relaxed ? .relaxed : .full)
    }
  }

  /// Calls `body` in the middle of the stage's activity.
  func during(_ body: () throws -> Void) throws {
    switch stage {
    case .pending:
      try store.insert(Song("pending", seconds: 0))
      try body()
      store.discardChanges()
    case .savepoint:
      try store.savepoint {
        try store.insert(Song("pending", seconds: 0))
        try body()
      }
      store.discardChanges()
    case .snapshot: try store.withSnapshot { try body() }
    case .query:
      var count = 0
      try store.forEach(Node.self) { _, _ in
        count += 1
        if count == 5 { try body() }
      }
    case .idle, .relaxed, .checkpoints, .sharing, .encrypted, .memory: try body()
    }
  }

  /// Opens the directory again, and prints whether it has exactly the saved content.
  func check() throws {
    guard stage != .memory else { return report("content right, 0 problems") }
    let store = try Store(
      .directory(path), classes: SaveWorkload.classes, configuration: Self.configuration(stage))
    let isRight = try SaveWorkload.State(of: store) == SaveWorkload.State(after: saveCount)
    report("content \(isRight ? "right" : "wrong"), \(try store.verify().problems.count) problems")
    try store.close()
  }
}

extension CrashChild {
  /// Saves, forks during an activity, does something to the copy of the store in the child, saves again and reopens.
  ///
  /// Prints the child's results, the status of its end, and the state of the store afterwards.
  static func fork(_ path: String, _ arguments: [String]) throws {
    guard arguments.count == 2, let stage = ForkStage(rawValue: arguments[0]) else {
      return report("usage: store-fork <path> <stage> <action>")
    }
    let forking = try ForkingStore(path, stage)
    try forking.save(30)
    var child: pid_t = 0
    try forking.during {
      child = forking_fork()
      guard child == 0 else { return }
      // A child that hangs is ended, and reports that by its status.
      alarm(20)
      do {
        try act(arguments[1], on: forking)
      } catch {
        report("child: unexpected \(error)")
      }
      _exit(0)
    }
    if arguments[1] == "late" {
      try forking.save(10)
      kill(child, SIGUSR1)
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    report("child ended with \(status)")
    try forking.save(30)
    for store in forking.stores { try store.close() }
    try forking.check()
  }

  private static func act(_ action: String, on forking: ForkingStore) throws {
    switch action {
    case "exit": break
    case "close":
      for store in forking.stores { try store.close() }
      report("child closed: \(forking.store.isClosed)")
    case "release":
      weak let store = forking.store
      forking.stores = []
      report("child released: \(store == nil)")
    case "read":
      report(
        "child reads \(try SaveWorkload.State(of: forking.store) == SaveWorkload.State(after: 30) ? "right" : "wrong")")
    case "late":
      var signals = sigset_t()
      unsafe sigemptyset(&signals)
      unsafe sigaddset(&signals, SIGUSR1)
      unsafe sigprocmask(SIG_BLOCK, &signals, nil)
      var signal: Int32 = 0
      unsafe sigwait(&signals, &signal)
      try change(forking.store)
    case "change": try change(forking.store)
    case "open":
      for store in forking.stores { try store.close() }
      attempt("open") { _ = try Store(.directory(forking.path), classes: SaveWorkload.classes) }
    default: report("usage: no action \(action)")
    }
  }

  /// Tries everything that changes a store, and prints the codes of the errors.
  private static func change(_ store: Store) throws {
    var found: Song?
    attempt("fetch") { found = try store.fetch(Song.self).first }
    guard let song = found else { return }
    attempt("insert") { try store.insert(Song("of the child", seconds: 1)) }
    attempt("update") { try store.update(song) { $0.seconds += 1 } }
    attempt("delete") { try store.delete(song) }
    attempt("delete all") { try store.removeAll(Node.self) }
    attempt("write") { try store.writeNamedBuffer("child") { $0.writeUInt64(1) } }
    attempt("savepoint") { try store.savepoint {} }
    attempt("save") { try store.saveChanges() }
    attempt("back up") {
      _ = try store.backUp(into: BackupSeries(at: NSTemporaryDirectory() + "never-made-\(getpid())"))
    }
    attempt("compact") { _ = try store.compact() }
    attempt("verify") { _ = try store.verify() }
    attempt("anchor") { _ = try store.anchor() }
    attempt("reopen") { try store.reopen() }
    attempt("index") { try store.buildIndexes() }
    attempt("commit") {
      var batch = WriteBatch()
      batch.put([1], key: [1], in: KeyspaceID(rawValue: 2))
      _ = try store.backend.commit(batch, durability: .full)
    }
  }

  private static func attempt(_ name: String, _ body: () throws -> Void) {
    do {
      try body()
      report("child \(name): done")
    } catch let error as StoreError {
      report("child \(name): \(error.code)")
    } catch let error as BackendError {
      report("child \(name): \(error.code)")
    } catch {
      report("child \(name): \(error)")
    }
  }
}

// MARK: Daemons

extension CrashChild {
  /// Saves, and continues as a daemon, which closes its copy of the store, opens it again (`reopening`) and saves.
  static func continueAsDaemon(_ path: String, _ settings: Set<String>) throws {
    var store = try Store(.directory(path), classes: SaveWorkload.classes)
    for number in 1...10 { try SaveWorkload.save(number, to: store) }
    guard forking_daemon() == 0 else { return report("skip: no daemon: \(errno)") }
    alarm(20)
    attempt("save") { try SaveWorkload.save(11, to: store) }
    try store.close()
    report("child closed")
    if settings.contains("reopening") {
      // The process that the daemon comes from keeps the store open until it ends.
      let waiting = StoreConfiguration(waitDuration: .seconds(10))
      store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: waiting)
      for number in 11...20 { try SaveWorkload.save(number, to: store) }
      try store.close()
      report("child saved")
    }
    _exit(0)
  }
}

// MARK: Archives

extension CrashChild {
  /// Adds a directory to an archive, forks, uses the copy of the archive in the child, and adds the directory again.
  static func forkArchive(_ path: String, _ source: String) throws {
    let archive = try Archive.make(at: path, configuration: StoreConfiguration(encryption: SaveWorkload.encryption))
    _ = try archive.add([Array(source.utf8)])
    let child = forking_fork()
    if child == 0 {
      alarm(20)
      attempt("count") { report("child snapshots: \(try archive.snapshots().count)") }
      attempt("add") { _ = try archive.add([Array(source.utf8)]) }
      attempt("close") { try archive.close() }
      _exit(0)
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    report("child ended with \(status)")
    _ = try archive.add([Array(source.utf8)])
    try archive.close()
    let opened = try Archive(at: path, configuration: StoreConfiguration(encryption: SaveWorkload.encryption))
    report("snapshots: \(try opened.snapshots().count), \(try opened.verify().problems.count) problems")
    try opened.close()
  }
}
