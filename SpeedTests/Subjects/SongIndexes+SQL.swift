import SpeedTestHarness

extension SongIndexes {
  /// The statements that create the indexes.
  var creation: [String] {
    let bySeconds = "CREATE INDEX songSeconds ON song (seconds)"
    switch self {
    case .seconds: return [bySeconds]
    case .five:
      return [
        bySeconds, "CREATE INDEX songTitle ON song (title)", "CREATE INDEX songTitleSeconds ON song (title, seconds)",
        "CREATE INDEX songSecondsDescending ON song (seconds DESC)",
        "CREATE INDEX songSecondsTitle ON song (seconds, title)",
      ]
    }
  }

  // The queries that the subjects in the fastest styles execute.
  static let selectionBySeconds = "SELECT id, title, seconds FROM song WHERE seconds = ?"
  static let sortedSelection =
    "SELECT id, title, seconds FROM song WHERE seconds >= ? AND seconds < ? ORDER BY seconds, id LIMIT ?"
}
