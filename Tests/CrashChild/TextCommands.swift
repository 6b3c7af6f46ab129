// Commands of the child that use a store with text indexes.
import Foundation
import Synchronization
import TestSupport
import Todana

extension CrashChild {
  /// Continues the workload of texts from the state of the store, while another thread merges texts and compacts.
  ///
  /// Prints the number of each save after it.
  static func saveTextsForEver(_ path: String, _ settings: Set<String>) throws {
    let store = try openTexts(path, settings)
    let other = try Store(backend: store.backend, classes: TextWorkload.classes, configuration: textConfiguration([]))
    var number = try TextWorkload.saveCount(of: store)
    let merged = Mutex(other)
    Thread {
      merged.withLock { store in
        for round in 1... {
          do {
            try store.buildIndexes()
            if round % 8 == 0 { try store.compact() }
            if round % 11 == 0 { try store.rebuildIndexes(of: TextWorkload.Leaflet.self, named: "text") }
            if round % 13 == 0 { try store.backend.operations?.checkpoint() }
          } catch {
            report("error in a merge: \(error)")
          }
        }
      }
    }.start()
    report("\(number)")
    while true {
      number += 1
      try TextWorkload.save(number, to: store, durability: settings.contains("relaxed") ? .relaxed : .full)
      report("\(number)")
    }
  }

  static func openTexts(_ path: String, _ settings: Set<String>) throws -> Store {
    try Store(.directory(path), classes: TextWorkload.classes, configuration: textConfiguration(settings))
  }

  private static func textConfiguration(_ settings: Set<String>) -> StoreConfiguration {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.indexBuilding = .manual
    if settings.contains("encrypted") { configuration.encryption = TextWorkload.encryption }
    if settings.contains("checkpoints") { configuration.tuning.logLimitByteCount = 64 << 10 }
    return configuration
  }
}
