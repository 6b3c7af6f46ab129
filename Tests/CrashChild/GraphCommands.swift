// A command of the child that saves objects with relationships.
import TestSupport
import Todana

extension CrashChild {
  /// Continues the workload of relationships from the state of the store, and prints the number of each save after it.
  static func saveGraphForEver(_ path: String, _ settings: Set<String>) throws {
    var configuration = StoreConfiguration()
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    if settings.contains("checkpoints") { configuration.tuning.logLimitByteCount = 64 << 10 }
    let store = try Store(.directory(path), classes: GraphWorkload.classes, configuration: configuration)
    var number = try GraphWorkload.saveCount(of: store)
    report("\(number)")
    while true {
      number += 1
      try GraphWorkload.save(number, to: store, durability: settings.contains("relaxed") ? .relaxed : .full)
      report("\(number)")
    }
  }
}
