// A command of the child that changes collections and saves their objects.
import TestSupport
import Todana

extension CrashChild {
  /// Continues the workload of collections from the state of the store, and prints the number of each step after it.
  static func changeCollectionsForEver(_ path: String, _ settings: Set<String>) throws {
    var configuration = StoreConfiguration()
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    if settings.contains("checkpoints") { configuration.tuning.logLimitByteCount = 64 << 10 }
    let store = try Store(.directory(path), classes: [], configuration: configuration)
    var number = try CollectionWorkload.stepCount(of: store)
    report("\(number)")
    while true {
      number += 1
      try CollectionWorkload.carryOut(
        number, in: store, durability: settings.contains("relaxed") ? .relaxed : .full)
      report("\(number)")
    }
  }
}
