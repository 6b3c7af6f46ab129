import SpeedTestHarness

/// W5: fetches songs, changes the title of every third, saves durably.
struct SimpleUpdate: Workload {
  static let newTitle = "New Title"

  let id = "W5"
  let name = "SimpleUpdate"
  let preparation: Preparation? = .tenthOfSongs
  let changesData = true

  func summary(count: Int) -> String {
    "fetches \(grouped(tenth(of: count))) songs, changes the title of every third, one durable save"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    try meter.measure {
      try trial.subject.updateEveryThirdSong(title: Self.newTitle, in: trial.directory)
    }
  }

  func verify(_ trial: Trial) throws {
    let found = try trial.subject.fetchSongs(in: trial.directory)
    let expected = trial.tenthOfSongs.checksum { $0 % 3 == 0 ? Self.newTitle : nil }
    try trial.expect(found, expected, "the updated songs")
  }
}
