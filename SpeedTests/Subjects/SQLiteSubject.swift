public import SpeedTestHarness

/// SQLite through its C interface: prepared statements, as durable as GRDB, but without objects and strings.
public struct SQLiteSubject: Subject {
  public let name = "sqlite"
  public let unsupportedWorkloads: Set = ["W3", "W4", "W5", "N1", "N2"]

  public init() {}

  // MARK: Writing

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    try SQLiteFile.with(directory) { file in
      beforeSave()
      try insert(songs, into: file)
    }
  }

  public func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws {
    try SQLiteFile.with(directory) { file in
      for sql in indexes.creation { try file.execute(sql) }
      try insert(songs, into: file)
    }
  }

  private func insert(_ songs: SongSource, into file: SQLiteFile) throws {
    try file.execute("BEGIN IMMEDIATE")
    try file.with("INSERT INTO song (title, seconds) VALUES (?, ?)") { statement in
      for index in 0..<songs.count {
        statement.bind(songs.seconds(index), at: 2)
        try statement.execute(binding: songs.title(index), at: 1)
      }
    }
    try file.execute("COMMIT")
  }

  public func withUpdater(
    in directory: String, _ body: (_ update: (Int, String) throws -> Void) throws -> Void
  ) throws {
    try SQLiteFile.with(directory) { file in
      try file.with("UPDATE song SET title = ? WHERE id = ?") { statement in
        try body { index, title in
          statement.bind(index + 1, at: 2)
          try statement.execute(binding: title, at: 1)
        }
      }
    }
  }

  // MARK: Reading

  public func fetchSongs(in directory: String) throws -> Checksum {
    try SQLiteFile.with(directory) { file in
      try file.with("SELECT id, title, seconds FROM song") { statement in
        var checksum = Checksum()
        try statement.forEachRow { checksum.addSong(of: statement) }
        return checksum
      }
    }
  }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum {
    try SQLiteFile.with(directory) { file in try fetch(at: indexes, from: file) }
  }

  public func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum {
    try SQLiteFile.with(directory) { file in
      let checksum = try fetch(at: [index], from: file)
      whenRead()
      return checksum
    }
  }

  private func fetch(at indexes: [Int], from file: SQLiteFile) throws -> Checksum {
    try file.with("SELECT id, title, seconds FROM song WHERE id = ?") { statement in
      var checksum = Checksum()
      for index in indexes {
        statement.bind(index + 1, at: 1)
        try statement.forEachRow { checksum.addSong(of: statement) }
      }
      return checksum
    }
  }

  public func fetchSongs(
    withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String
  ) throws -> Checksum {
    try SQLiteFile.with(directory) { file in
      try file.with(SongIndexes.selectionBySeconds) { statement in
        var checksum = Checksum()
        for number in seconds {
          statement.bind(number, at: 1)
          try statement.forEachRow { checksum.addSong(of: statement) }
        }
        return checksum
      }
    }
  }

  public func fetchSongs(
    sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String
  ) throws -> Checksum {
    try SQLiteFile.with(directory) { file in
      try file.with(SongIndexes.sortedSelection) { statement in
        var checksum = Checksum()
        for range in ranges {
          statement.bind(range.lowerBound, at: 1)
          statement.bind(range.upperBound, at: 2)
          statement.bind(limit, at: 3)
          var position: UInt64 = 0
          try statement.forEachRow {
            position += 1
            checksum.addSong(of: statement, weight: position)
          }
        }
        return checksum
      }
    }
  }
}

extension Checksum {
  /// Adds the current row of a statement: id, title, seconds.
  fileprivate mutating func addSong(of statement: borrowing SQLiteStatement, weight: UInt64 = 1) {
    count += 1
    sum &+= (statement.byteSum(1) &+ statement.number(2)) &* weight
  }
}
