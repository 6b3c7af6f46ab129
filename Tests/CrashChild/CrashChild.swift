// A process that tests start: to hold a store, to be killed during a commit, to run out of disk space.
//
// Each command prints one line for each step. An error is printed as `error <code>: <message>`.
import Foundation
import TestSupport
import Todana

@main struct CrashChild {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { return report("usage: CrashChild <command> <path> [options]") }
    do {
      switch arguments[1] {
      case "hold": try hold(arguments[2], reading: arguments.contains("read"))
      case "hold-a-second": try holdForASecond(arguments[2])
      case "commit": try commitForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "open-as-nobody": try openAsNobody(arguments[2], reading: arguments.contains("read"))
      case "full-disk-commit": try fillInCommit(arguments[2])
      case "full-disk-checkpoint": try fillInCheckpoint(arguments[2])
      case "large-record": try commitLargeRecord(arguments[2], Array(arguments.dropFirst(3)))
      case "store-save": try saveForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "store-migrate": try migrateForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "store-series": try backUpForEver(arguments[2])
      case "store-series-memory":
        try backUpLargeObject(arguments[2], arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
      case "store-texts": try saveTextsForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "text-faults": try runTextFaults(arguments[2], Array(arguments.dropFirst(3)))
      case "text-full-disk": try fillDiskWithTexts(arguments[2])
      case "text-record":
        guard arguments.count >= 4 else { return report("usage: text-record <store> <log> [options]") }
        try recordTexts(arguments[2], log: arguments[3], Set(arguments.dropFirst(4)))
      case "store-collections": try changeCollectionsForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "store-graph": try saveGraphForEver(arguments[2], Set(arguments.dropFirst(3)))
      case "store-exit": try exitWhileThreadsWork(arguments[2])
      case "store-write": try writeStore(arguments[2], Set(arguments.dropFirst(3)))
      case "store-hold": try holdStore(arguments[2])
      case "store-fill-disk": try fillDisk(arguments[2], Array(arguments.dropFirst(3)))
      case "store-limits": try saveUnderLimit(arguments[2], Array(arguments.dropFirst(3)))
      case "store-fork": try fork(arguments[2], Array(arguments.dropFirst(3)))
      case "store-daemon": try continueAsDaemon(arguments[2], Set(arguments.dropFirst(3)))
      case "store-scan-in-queues": try scanInQueues(arguments[2], arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
      case "store-without-threads": try scanWithoutThreads(arguments[2])
      case "archive-fork":
        guard arguments.count == 4 else { return report("usage: archive-fork <archive> <source>") }
        try forkArchive(arguments[2], arguments[3])
      case "store-open-as-nobody": try openStoreAsNobody(arguments[2], reading: arguments.contains("read"))
      case "store-full-disk-save": try fillStore(arguments[2], checkpoint: false)
      case "store-full-disk-checkpoint": try fillStore(arguments[2], checkpoint: true)
      case "store-stream": try stream(arguments[2], arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
      case "store-insert": try insert(arguments[2], arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
      case "store-open-and-close": try openAndClose(arguments[2], arguments.dropFirst(3).first.flatMap { Int($0) } ?? 0)
      case "archive-record":
        let rest = Array(arguments.dropFirst(3))
        guard rest.count >= 3 else { return report("usage: archive-record <archive> <log> <directory> <directory>") }
        try recordArchive(
          arguments[2], log: rest[0], rest[1], rest[2], isStrict: rest.contains("strict"),
          compactsInPlace: rest.contains("in-place"))
      case "archive-faults":
        let rest = Array(arguments.dropFirst(3))
        guard rest.count == 2, let count = Int(rest[1]) else {
          return report("usage: archive-faults <archive> <source> <count>")
        }
        try ArchiveFaults(archive: arguments[2], source: rest[0]).run(count)
      case "lease": try lease(arguments[2], isKept: arguments.dropFirst(3).first == "kept")
      case "faults": try runFaults(arguments[2], Array(arguments.dropFirst(3)))
      default: report("usage: no command \(arguments[1])")
      }
    } catch let error as BackendError {
      report(error)
    } catch let error as StoreError {
      report("error \(error.code) \(error.backendError.map { "\($0.code)" } ?? "-"): \(error)")
    } catch {
      report("error other: \(error)")
    }
  }

  /// Opens the store and keeps it open until standard input ends.
  private static func hold(_ path: String, reading: Bool) throws {
    var options = KyotoBackend.Options()
    options.access = reading ? .read : .write
    let backend = try KyotoBackend(.directory(path), options: options)
    report("open")
    while readLine() != nil {}
    try backend.close()
    report("closed")
  }

  private static func holdForASecond(_ path: String) throws {
    let backend = try KyotoBackend(.directory(path))
    report("open")
    sleep(1)
    try backend.close()
  }

  /// Continues the workload from the state of the store, and prints the number of each commit after it.
  private static func commitForEver(_ path: String, _ settings: Set<String>) throws {
    var options = KyotoBackend.Options()
    if settings.contains("checkpoints") { options.logLimitByteCount = 64 << 10 }
    if settings.contains("direct") { options.directThresholdByteCount = 16 << 10 }
    let backend = try KyotoBackend(.directory(path), options: options)
    let keyspaces = try CrashWorkload.Keyspaces(of: backend)
    let latest = try backend.newest.value(key: Array("latest".utf8), in: keyspaces[.names]) ?? []
    var number = latest.reduce(0) { $0 << 8 | UInt64($1) }
    report("\(number)")
    while true {
      number += 1
      try CrashWorkload.commit(
        number, to: backend, keyspaces, durability: settings.contains("relaxed") ? .relaxed : .full)
      report("\(number)")
    }
  }

  private static func openAsNobody(_ path: String, reading: Bool) throws {
    guard becomeNobody() else { return report("skip: cannot become another user") }
    var options = KyotoBackend.Options()
    options.access = reading ? .read : .write
    let backend = try KyotoBackend(.directory(path), options: options)
    report("open")
    try backend.close()
  }

  /// Gives up superuser rights, and returns whether the process has none afterwards.
  static func becomeNobody() -> Bool {
    let nobody: UInt32 = 65_534
    return getuid() != 0 || (setgid(nobody) == 0 && setuid(nobody) == 0)
  }
}

/// Prints a line without buffering.
func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func report(_ error: BackendError) { report("error \(error.code): \(error.message)") }
