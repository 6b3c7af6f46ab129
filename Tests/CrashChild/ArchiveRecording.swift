import CFaults
import Todana

@testable import TodanaArchive

extension CrashChild {
  /// Adds two directories to an archive, removes the first snapshot and compacts, while all that is done to the archive's
  /// files goes to a log.
  ///
  /// After each step it prints how many operations there were, and the snapshots that stand from there on.
  static func recordArchive(
    _ path: String, log: String, _ first: String, _ second: String, isStrict: Bool, compactsInPlace: Bool
  ) throws {
    guard unsafe recording_start(path, log) else { return report("error: nothing can be recorded") }
    var configuration = StoreConfiguration(encryption: .key([UInt8](repeating: 7, count: 16)))
    // Checkpoints and large commits within few megabytes.
    configuration.backendOptions.isStrict = isStrict
    configuration.backendOptions.directThresholdByteCount = 256 << 10
    if compactsInPlace { configuration.backendOptions.compactionRoomByteCount = 0 }
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
