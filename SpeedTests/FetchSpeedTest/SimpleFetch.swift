import SpeedTestHarness

/// W2: fetches all songs as objects and reads title and seconds of each.
struct SimpleFetch: Workload {
  let id = "W2"
  let name = "SimpleFetch"
  let preparation: Preparation? = .songs

  func summary(count: Int) -> String { "fetches all \(grouped(count)) songs, reads title and seconds of each" }

  func run(_ trial: Trial, meter: Meter) throws {
    let found = try meter.measure { try trial.subject.fetchSongs(in: trial.directory) }
    try trial.expect(found, trial.songs.checksum(), "all songs")
  }
}
