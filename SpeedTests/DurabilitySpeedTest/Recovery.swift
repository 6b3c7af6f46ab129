import ArgumentParser
import Foundation
import SpeedTestHarness
import Todana

/// Measures the time that opening takes after a kill, by the size of the data and of the log.
struct Recovery: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Open stores of different sizes after their process was killed.")

  @OptionGroup var place: Place
  @Option(help: "The numbers of objects in the stores, separated by commas.") var counts = "10000,1000000,10000000"
  @Option(help: "The numbers of objects that the killed process changes, in saves of 100, separated by commas.")
  var changes = "1000,10000,100000"

  func run() throws {
    print("   objects   changed  saves recovered  log at kill  opened and one object read")
    for count in numbers(in: counts) {
      let directory = place.directory + "/recovery-\(count)"
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let store = try Store(.directory(directory), classes: [Song.self])
      try store.insertSongs(count)
      try store.close()
      for changed in numbers(in: changes) {
        let copy = directory + "-copy"
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: directory, toPath: copy)
        // Recovery flushes the files that it reads. Flush the copy first, so that its data are not part of the
        // measurement.
        sync()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try killAfterSaves(in: copy, count: count, changed: changed)
        try measure(copy, count: count, changed: changed)
      }
    }
  }

  private func killAfterSaves(in directory: String, count: Int, changed: Int) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["interrupted-saves", directory, "\(count)", "\(changed)"]
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal else {
      throw ValidationError("the process ended before it could be killed")
    }
  }

  private func measure(_ directory: String, count: Int, changed: Int) throws {
    let logByteCount = ["log-a", "log-b"].reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: directory + "/" + name)
      return sum + ((attributes?[.size] as? Int) ?? 0)
    }
    let start = ContinuousClock.now
    let store = try Store(.directory(directory), classes: [Song.self])
    _ = try store.fetch(try store.songID(count / 2))
    let time = ContinuousClock.now - start
    let recovered = store.backend.openReport.recoveredCommitCount
    try store.close()
    print(
      padded("\(count)", 10), padded("\(changed)", 9), padded("\(recovered)", 16),
      padded(String(format: "%.1f MB", Double(logByteCount) / 1e6), 12), padded(milliseconds(time), 27))
  }
}

/// The child process to be killed: saves, and never closes the store.
struct InterruptedSaves: ParsableCommand {
  static let configuration = CommandConfiguration(shouldDisplay: false)

  @Argument var directory: String
  @Argument var count: Int
  @Argument var changed: Int

  func run() throws {
    let store = try Store(.directory(directory), classes: [Song.self])
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<max(1, changed / 100) {
      for _ in 0..<100 {
        guard let song = try store.fetch(try store.songID(Int.random(in: 0..<count, using: &generator))) else {
          continue
        }
        try store.update(song) { $0.title = "Song after" }
      }
      try store.saveChanges(durability: .relaxed)
    }
    try store.saveChanges(durability: .full)
    kill(getpid(), SIGKILL)
  }
}
