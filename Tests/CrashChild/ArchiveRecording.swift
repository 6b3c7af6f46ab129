import CFaults
import Todana

@testable import TodanaArchive

extension CrashChild {
  /// Adds two directories to an archive, removes the first snapshot, compacts, and adds a directory again.
  ///
  /// All operations on the archive's files are recorded in a log. After each step, prints the number of operations so
  /// far and the ids of the snapshots.
  static func recordArchive(
    _ path: String, log: String, _ first: String, _ second: String, isStrict: Bool, compactsInPlace: Bool
  ) throws {
    guard unsafe recording_start(path, log) else { return report("error: nothing can be recorded") }
    var configuration = StoreConfiguration(encryption: .key([UInt8](repeating: 7, count: 16)))
    // With these options, a few megabytes cause checkpoints and large commits.
    configuration.tuning.isStrict = isStrict
    configuration.tuning.directThresholdByteCount = 256 << 10
    if compactsInPlace { configuration.tuning.compactionRoomByteCount = 0 }
    let archive = try Archive(at: path, configuration: configuration)
    archive.content.saveByteCount = 512 << 10
    func done() throws {
      let count = recording_count()
      report("\(count) \(try archive.snapshots().map { "\($0.id)" }.joined(separator: " "))")
    }
    try done()
    for directory in [first, second] {
      _ = try archive.add([Array(directory.utf8)])
      try done()
      if directory == first { try archive.store.backend.operations?.checkpoint() }
    }
    try archive.remove(Array(try archive.snapshots().prefix(1)))
    try done()
    _ = try archive.compact()
    try done()
    _ = try archive.add([Array(first.utf8)])
    try done()
    try archive.close()
    report(recording_stop() ? "recorded" : "error: the log is not whole")
  }
}
