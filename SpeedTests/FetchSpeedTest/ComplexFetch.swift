import SpeedTestHarness

/// W4: fetches all playlists and reads the title of each one's first song.
struct ComplexFetch: Workload {
  let id = "W4"
  let name = "ComplexFetch"
  let preparation: Preparation? = .playlists

  func summary(count: Int) -> String {
    let playlists = PlaylistSource(songCount: tenth(of: count), titles: ["Test Song"], isNumbered: true)
    return "fetches \(grouped(playlists.playlistCount)) playlists of \(PlaylistSource.songsPerPlaylist) songs, "
      + "reads the first song of each"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let found = try meter.measure { try trial.subject.fetchFirstSongs(in: trial.directory) }
    try trial.expect(found, trial.playlists.firstSongsChecksum, "the first songs")
  }
}
