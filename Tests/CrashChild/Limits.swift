// Saves and reads of a process whose resources are limited, or which receives signals all the time.
import CPrivateMount
import Foundation
import TestSupport
import Todana

/// The resource that a trial limits.
private enum Limit: String {
  case descriptors, addressSpace, stack, fileSize, inodes, signals

  /// Sets the limit; nil lifts it again.
  func set(_ value: UInt64?) -> Bool {
    // The numbers are those of Linux, which Swift does not import: RLIMIT_NOFILE, RLIMIT_AS and RLIMIT_FSIZE.
    let number: UInt32
    switch self {
    case .descriptors: number = 7
    case .addressSpace: number = 9
    case .fileSize: number = 1
    case .stack, .inodes, .signals: return true
    }
    let resource = __rlimit_resource_t(number)
    var limit = rlimit()
    guard unsafe getrlimit(resource, &limit) == 0 else { return false }
    limit.rlim_cur = value.map { rlim_t($0) } ?? limit.rlim_max
    return unsafe setrlimit(resource, &limit) == 0
  }
}

extension CrashChild {
  /// Saves the workload under a limit that becomes tighter, and without it afterwards; prints the errors and the state.
  static func saveUnderLimit(_ path: String, _ arguments: [String]) throws {
    guard arguments.count == 2, let limit = Limit(rawValue: arguments[0]), let rounds = Int(arguments[1]) else {
      return report("usage: store-limits <path> <limit> <rounds>")
    }
    switch limit {
    case .fileSize: _ = signal(SIGXFSZ, SIG_IGN)
    case .inodes:
      let mounted = unsafe tdt_mount_privately(path, "size=64m,nr_inodes=60")
      guard mounted == 0 else { return report("skip: no file system of its own: \(mounted)") }
    case .signals: startSignals()
    default: break
    }
    alarm(120)
    if limit == .stack { return try onSmallStack { try saveInRounds(path, limit, rounds) } }
    try saveInRounds(path, limit, rounds)
  }

  private static func saveInRounds(_ path: String, _ limit: Limit, _ rounds: Int) throws {
    let store = path + "/store"
    var acknowledged = 0
    var codes: Set<String> = []
    // The limits are drawn so that they fall below the need in some rounds.
    var random = SeededGenerator(seed: 11)
    for round in 0..<rounds {
      let value: UInt64? =
        switch limit {
        case .descriptors: UInt64.random(in: 8...40, using: &random)
        case .addressSpace: UInt64.random(in: 300...900, using: &random) << 20
        case .fileSize: UInt64.random(in: 700...2_500, using: &random) << 10
        case .stack, .inodes, .signals: nil
        }
      guard limit.set(value) else { return report("skip: no such limit: \(errno)") }
      if limit == .inodes { round % 7 < 4 ? freeInodes(path) : takeInodes(path) }
      do {
        var configuration = StoreConfiguration()
        configuration.tuning.logLimitByteCount = round % 2 == 0 ? 64 << 10 : 64 << 20
        let store = try Store(.directory(store), classes: SaveWorkload.classes, configuration: configuration)
        defer { try? store.close(discarding: true) }
        acknowledged = max(acknowledged, try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0)
        for _ in 0..<10 {
          try SaveWorkload.save(acknowledged + 1, to: store)
          acknowledged += 1
        }
      } catch let error as StoreError {
        codes.insert("\(error.backendError.map { "\($0.code)" } ?? "\(error.code)")")
      } catch {
        codes.insert("\(error)")
      }
    }
    guard limit.set(nil) else { return report("the limit stays: \(errno)") }
    if limit == .inodes { freeInodes(path) }
    report("errors \(codes.sorted().joined(separator: " "))")
    let opened = try Store(.directory(store), classes: SaveWorkload.classes)
    let state = try SaveWorkload.State(of: opened)
    let isRight = state == SaveWorkload.State(after: state.saveCount)
    let isKnown = (acknowledged...acknowledged + 1).contains(state.saveCount)
    report("\(isRight && isKnown ? "right" : "wrong"), \(try opened.verify().problems.count) problems")
    report(state.saveCount > 20 ? "saved" : "saved only \(state.saveCount)")
    try opened.close()
  }

  /// Makes empty files until the file system has no room for another one.
  private static func takeInodes(_ path: String) {
    for number in 0..<60 {
      let file = unsafe open("\(path)/other \(number)", O_CREAT | O_WRONLY, 0o600)
      guard file >= 0 else { return }
      close(file)
    }
  }

  private static func freeInodes(_ path: String) {
    for number in 0..<60 { _ = unsafe unlink("\(path)/other \(number)") }
  }

  /// Makes a signal interrupt the process every 300 microseconds.
  private static func startSignals() {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    // SA_RESTART is not set, so that calls of the system end with EINTR.
    action.sa_flags = 0
    unsafe sigaction(SIGALRM, &action, nil)
    let interval = timeval(tv_sec: 0, tv_usec: 300)
    var timer = itimerval(it_interval: interval, it_value: interval)
    unsafe setitimer(Int32(ITIMER_REAL.rawValue), &timer, nil)
  }

  /// Runs a closure on a thread with a stack of 128 KiB.
  private static func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
      do { try body() } catch { report("error other: \(error)") }
      isDone.signal()
    }
    thread.stackSize = 128 << 10
    thread.start()
    isDone.wait()
  }
}
