import ArgumentParser
import Foundation
import SpeedTestHarness
import Synchronization
import Todana

/// Measures durable saves by several threads.
///
/// Each thread has its own store over one shared backend, and changes one object in each save.
struct GroupCommit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "commits", abstract: "Save with 1, 2, 4 and 8 threads at once.")

  @OptionGroup var place: Place
  @Option(help: "The duration for each number of threads, in seconds.") var seconds = 3.0

  func run() throws {
    let directory = place.directory + "/group-commit"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try Store(.directory(directory), classes: [Song.self])
    try store.insertSongs(100_000)
    print("threads  saves/s  × one thread      p50      p99  flushes per save")
    var alone = 0.0
    for threadCount in [1, 2, 4, 8] {
      guard let backend = store.backend as? KyotoBackend else { throw MissingClass() }
      let before = try backend.statistics()
      let laps = try save(backend, threadCount: threadCount)
      let after = try backend.statistics()
      let rate = Double(laps.count) / seconds
      if threadCount == 1 { alone = rate }
      let flushes = Double(after.flushCount - before.flushCount) / Double(max(laps.count, 1))
      print(
        padded("\(threadCount)", 7), padded(String(format: "%.0f", rate), 8),
        padded(String(format: "%.2f", rate / alone), 13), padded(microseconds(percentile(0.5, of: laps)), 8),
        padded(microseconds(percentile(0.99, of: laps)), 8), padded(String(format: "%.2f", flushes), 17))
    }
    try store.close()
  }

  /// Returns the time that each save took, in seconds.
  private func save(_ backend: KyotoBackend, threadCount: Int) throws -> [Double] {
    let end = ContinuousClock.now + .seconds(seconds)
    return try onThreads(threadCount) { thread in
      let store = try Store(backend: backend, classes: [Song.self])
      // Each thread changes its own row, so there are no conflicts.
      guard let song = try store.fetch(try store.songID(thread * 1000)) else { throw MissingClass() }
      var laps: [Double] = []
      while ContinuousClock.now < end {
        try store.update(song) { $0.seconds &+= 1 }
        laps.append(inSeconds(try ContinuousClock().measure { try store.saveChanges() }))
      }
      return laps
    }
  }
}
