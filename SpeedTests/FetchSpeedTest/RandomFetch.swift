import SpeedTestHarness

/// W7: fetches songs by random ids, one at a time.
struct RandomFetch: Workload {
  let id = "W7"
  let name = "RandomFetch"
  let preparation: Preparation? = .songs

  func summary(count: Int) -> String {
    "fetches \(grouped(tenth(of: count))) songs by random ids out of \(grouped(count))"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songs
    var generator = SeededGenerator(seed: 7)
    let indexes = (0..<tenth(of: trial.count)).map { _ in Int.random(in: 0..<songs.count, using: &generator) }
    let found = try meter.measure { try trial.subject.fetchSongs(at: indexes, in: trial.directory) }
    var expected = Checksum()
    for index in indexes { expected.add(title: songs.title(index), seconds: songs.seconds(index)) }
    try trial.expect(found, expected, "songs by id")
  }
}
