import SpeedTestHarness

/// W3: creates songs and playlists of a hundred ordered songs each and saves them durably in one save.
struct ComplexInsert: Workload {
  let id = "W3"
  let name = "ComplexInsert"
  let changesData = true

  func summary(count: Int) -> String {
    let playlists = PlaylistSource(songCount: tenth(of: count), titles: ["Test Song"], isNumbered: true)
    let songCount = grouped(playlists.songs.count)
    return "creates \(songCount) songs in \(grouped(playlists.playlistCount)) playlists, one durable save"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let playlists = trial.playlists
    try meter.measure { try trial.subject.insertPlaylists(playlists, in: trial.directory) }
  }

  func verify(_ trial: Trial) throws {
    let found = try trial.subject.fetchPlaylists(in: trial.directory)
    try trial.expect(found, trial.playlists.wholeChecksum, "the inserted playlists")
  }
}
