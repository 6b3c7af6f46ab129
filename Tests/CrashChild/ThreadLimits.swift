// Queries and saves where the process gets no further threads.
import Foundation
import Synchronization
import TestSupport
import Todana

extension CrashChild {
  private static func fill(_ store: Store, _ count: Int) throws {
    for number in 0..<count { try store.insert(Song("song \(number)", seconds: UInt32(number))) }
    try store.saveChanges()
  }

  /// Scans from many queues at the same time, each of which occupies a thread of Dispatch.
  static func scanInQueues(_ path: String, _ queueCount: Int) throws {
    let store = try Store(.directory(path), classes: [Song.self])
    try fill(store, 40_000)
    let backend = store.backend
    let group = DispatchGroup()
    let counts = Mutex<[Int]>([])
    for number in 0..<queueCount {
      DispatchQueue(label: "queue \(number)").async(group: group) {
        do {
          let store = try Store(backend: backend, classes: [Song.self])
          let count = try store.count(Song.where { $0.title.contains("99") })
          counts.withLock { $0.append(count) }
          try store.close()
        } catch {
          report("error in a queue: \(error)")
        }
      }
    }
    alarm(120)
    group.wait()
    report("\(counts.withLock { Set($0).map { "\($0)" }.joined(separator: " ") }) in \(queueCount) queues")
    try store.close()
  }

  /// Becomes a user who may have no other process or thread; then saves, encrypted, and scans.
  static func scanWithoutThreads(_ path: String) throws {
    // An id of its own, as the limit counts all processes of the user.
    let user: UInt32 = 54_321
    guard unsafe chmod(path, 0o777) == 0, getuid() != 0 || (setgid(user) == 0 && setuid(user) == 0) else {
      return report("skip: cannot become another user")
    }
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    // RLIMIT_NPROC of Linux, which Swift does not import.
    guard unsafe setrlimit(__rlimit_resource_t(6), &limit) == 0 else {
      return report("skip: no limit of processes: \(errno)")
    }
    alarm(120)
    var configuration = StoreConfiguration()
    configuration.encryption = SaveWorkload.encryption
    let store = try Store(.directory(path + "/store"), classes: [Song.self], configuration: configuration)
    try fill(store, 40_000)
    report("saved")
    report("\(try store.count(Song.where { $0.title.contains("99") })) found")
    try store.backend.operations?.checkpoint()
    _ = try store.compact()
    try store.close()
    report("closed")
  }
}
