import SpeedTestHarness
import SpeedTestSubjects

/// W6: saves one changed song at a time; each save is durable and timed separately.
struct SmallCommits: Workload {
  let id = "W6"
  let name = "SmallCommits"
  let preparation: Preparation? = .tenthOfSongs
  let changesData = true
  let references: [any Subject] = [DeviceSubject()]

  func summary(count: Int) -> String {
    "\(grouped(saveCount(count))) durable saves of one changed song each, among \(grouped(tenth(of: count))) songs"
  }

  /// Returns the number of saves.
  ///
  /// Small counts have fewer, because a thousand flushes would take too long.
  private func saveCount(_ count: Int) -> Int { min(1_000, max(1, count / 100)) }

  /// Returns the songs to change, one for each save, and their new titles.
  private func changes(_ trial: Trial) -> [(index: Int, title: String)] {
    var generator = SeededGenerator(seed: 6)
    let songCount = trial.tenthOfSongs.count
    return (0..<saveCount(trial.count)).map { save in
      (Int.random(in: 0..<songCount, using: &generator), "Save \(save)")
    }
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let changes = changes(trial)
    meter.reserveLaps(changes.count)
    try trial.subject.withUpdater(in: trial.directory) { update in
      try meter.measure {
        for change in changes { try meter.lap { try update(change.index, change.title) } }
      }
    }
  }

  func verify(_ trial: Trial) throws {
    guard !(trial.subject is DeviceSubject) else { return }
    var lastTitles: [Int: String] = [:]
    for change in changes(trial) { lastTitles[change.index] = change.title }
    let found = try trial.subject.fetchSongs(in: trial.directory)
    try trial.expect(found, trial.tenthOfSongs.checksum { lastTitles[$0] }, "the songs after their saves")
  }
}
