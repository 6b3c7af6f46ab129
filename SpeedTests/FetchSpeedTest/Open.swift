import SpeedTestHarness

/// W10: opens an existing database and reads one song; closing it is not measured.
struct Open: Workload {
  enum State: String {
    /// The files are in the page cache.
    case cached
    /// The files are not in the page cache.
    case uncached
    /// The last process was killed while it saved the same number of songs again.
    case killed
  }

  let state: State

  init(_ state: State) { self.state = state }

  var id: String { state == .cached ? "W10" : "W10-\(state.rawValue)" }
  var name: String { state == .cached ? "Open" : "Open-\(state.rawValue)" }
  var startsUncached: Bool { state == .uncached }
  var changesData: Bool { state == .killed }
  var preparation: Preparation? { state == .killed ? Self.killedInSave : .songs }

  func summary(count: Int) -> String {
    let files =
      switch state {
      case .cached: "files cached"
      case .uncached: "files not cached"
      case .killed: "after kill -9 in mid-save of \(grouped(count)) more"
      }
    return "opens \(grouped(count)) songs and reads one, \(files)"
  }

  private static let killedInSave = Preparation(name: "killed-in-save", basis: .songs, isKilledInSave: true) {
    trial, beforeSave in
    try trial.subject.insertSongs(trial.songs, in: trial.directory, beforeSave: beforeSave)
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songs
    let index = songs.count / 2
    meter.start()
    let found = try trial.subject.openAndRead(index: index, in: trial.directory) { meter.stop() }
    var expected = Checksum()
    expected.add(title: songs.title(index), seconds: songs.seconds(index))
    try trial.expect(found, expected, "one song")
  }

  /// Checks after the kill that the interrupted save is present completely or not at all.
  func verify(_ trial: Trial) throws {
    let once = trial.songs.checksum()
    let twice = Checksum(count: once.count * 2, sum: once.sum &* 2)
    let found = try trial.subject.fetchSongs(in: trial.directory)
    try trial.expect(found, found == twice ? twice : once, "the songs after a kill")
  }
}
