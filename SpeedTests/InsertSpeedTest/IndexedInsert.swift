import SpeedTestHarness

/// W8: creates songs in a database with indexes and saves them durably in one save.
///
/// W1 is the workload without an index.
struct IndexedInsert: Workload {
  let indexes: SongIndexes
  let changesData = true

  init(_ indexes: SongIndexes) { self.indexes = indexes }

  var id: String { indexes == .seconds ? "W8" : "W8-five" }
  var name: String { indexes == .seconds ? "IndexedInsert" : "IndexedInsert-five" }

  func summary(count: Int) -> String {
    "creates \(grouped(count)) songs with \(indexes == .seconds ? "an index" : "five indexes"), one durable save"
  }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songsToIndex
    try meter.measure { try trial.subject.insertSongs(songs, indexes: indexes, in: trial.directory) }
  }

  /// Reads every song by its seconds, so that a song without an index entry is detected.
  func verify(_ trial: Trial) throws {
    let songs = trial.songsToIndex
    let found = try trial.subject.fetchSongs(
      withSeconds: Array(0..<(songs.secondsBound ?? 0)), indexes: indexes, in: trial.directory)
    try trial.expect(found, songs.checksum(), "the inserted songs by their index")
  }
}
