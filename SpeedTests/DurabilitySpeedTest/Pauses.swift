import ArgumentParser
import Foundation
import SpeedTestHarness
import Synchronization
import Todana

/// Measures the longest saves and fetches during checkpoints and compaction.
struct Pauses: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fetch and save without other work, during checkpoints, and during compaction.")

  @OptionGroup var place: Place
  @Option(help: "The number of objects in the store.") var count = 10_000_000
  @Option(help: "The duration of each measurement but that of compaction, in seconds.") var seconds = 5.0

  func run() throws {
    let directory = place.directory + "/pauses"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let store = try Store(.directory(directory), classes: [Song.self])
    try store.insertSongs(count)
    // Deletes a tenth of the objects: enough to compact, but too little to start compaction automatically.
    for start in stride(from: 0, to: count / 10, by: 100_000) {
      let ids = try (start..<min(count / 10, start + 100_000)).map { try store.songID($0) }
      try store.delete(try store.fetch(ids).compactMap(\.self))
      try store.saveChanges()
    }
    guard let backend = store.backend as? KyotoBackend else { throw MissingClass() }
    try backend.checkpoint()
    // Data that the system has not written yet would slow everything measured.
    sync()
    print("situation             fetches      p50    p99.9      max      saves      p50    p99.9      max    took")
    try report("nothing else", backend) { try sleep() }
    try report("checkpoints", backend) {
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end { try backend.checkpoint() }
    }
    var compacted: [String] = []
    try report("compaction", backend) { compacted = try store.compact() }
    guard !compacted.isEmpty else { throw ValidationError("nothing was compacted: ignore the last line") }
    try store.close()
  }

  private func sleep() throws { Thread.sleep(forTimeInterval: seconds) }

  private func report(_ situation: String, _ backend: KyotoBackend, _ body: () throws -> Void) throws {
    let isOver = Atomic(false)
    let laps = Mutex<(fetches: [Double], saves: [Double])>(([], []))
    let users = Threads(2) { thread in
      var times: [Double] = []
      let store = try Store(backend: backend, classes: [Song.self])
      var generator = SeededGenerator(seed: UInt64(thread))
      while !isOver.load(ordering: .relaxed) {
        let id = try store.songID(Int.random(in: count / 10..<count, using: &generator))
        if thread == 0 {
          times.append(inSeconds(try ContinuousClock().measure { _ = try store.fetch(id) }))
        } else if let song = try store.fetch(id) {
          try store.update(song) { $0.seconds &+= 1 }
          // A relaxed save does not wait for the disk, which would be a pause of its own.
          times.append(inSeconds(try ContinuousClock().measure { try store.saveChanges(durability: .relaxed) }))
        }
        Thread.sleep(forTimeInterval: 0.0002)
      }
      laps.withLock { if thread == 0 { $0.fetches = times } else { $0.saves = times } }
    }
    let took = try ContinuousClock().measure(body)
    isOver.store(true, ordering: .relaxed)
    try users.join()
    let (fetches, saves) = laps.withLock { $0 }
    print(
      situation.padding(toLength: 18, withPad: " ", startingAt: 0), columns(fetches), columns(saves),
      padded(String(format: "%.1f s", inSeconds(took)), 7))
  }

  private func columns(_ laps: [Double]) -> String {
    [
      padded("\(laps.count)", 10), padded(microseconds(percentile(0.5, of: laps)), 8),
      padded(microseconds(percentile(0.999, of: laps)), 8), padded(microseconds(laps.max()), 8),
    ].joined(separator: " ")
  }
}
