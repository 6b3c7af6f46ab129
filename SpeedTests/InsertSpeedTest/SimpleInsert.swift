import SpeedTestHarness

/// W1: creates songs and saves them durably in one save.
struct SimpleInsert: Workload {
  let id = "W1"
  let name = "SimpleInsert"
  let changesData = true

  func summary(count: Int) -> String { "creates \(grouped(count)) songs, one durable save" }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songs
    try meter.measure { try trial.subject.insertSongs(songs, in: trial.directory) {} }
  }

  func verify(_ trial: Trial) throws {
    let found = try trial.subject.fetchSongs(in: trial.directory)
    try trial.expect(found, trial.songs.checksum(), "the inserted songs")
  }
}
