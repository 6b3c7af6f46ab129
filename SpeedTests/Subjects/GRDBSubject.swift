import GRDB
public import SpeedTestHarness

/// GRDB.swift in its fastest documented style: structs, prepared statements with unchecked arguments, columns by index.
public struct GRDBSubject: Subject {
  public let name = "grdb"

  public init() {}

  struct Song: FetchableRecord {
    var id: Int64
    var title: String
    var seconds: UInt32

    init(row: Row) {
      id = row[0]
      title = row[1]
      seconds = row[2]
    }
  }

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    try GRDBFile.with(directory) { queue in
      beforeSave()
      try queue.write { db in try insert(songs, db) }
    }
  }

  private func insert(_ songs: SongSource, _ db: Database) throws {
    let statement = try db.makeStatement(sql: "INSERT INTO song (title, seconds) VALUES (?, ?)")
    for index in 0..<songs.count {
      statement.setUncheckedArguments([songs.title(index), songs.seconds(index)])
      try statement.execute()
    }
  }

  public func fetchSongs(in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        var checksum = Checksum()
        for song in try Song.fetchAll(db, sql: "SELECT id, title, seconds FROM song") {
          checksum.add(title: song.title, seconds: song.seconds)
        }
        return checksum
      }
    }
  }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT id, title, seconds FROM song WHERE id = ?")
        var checksum = Checksum()
        for index in indexes {
          statement.setUncheckedArguments([Int64(index + 1)])
          guard let song = try Song.fetchOne(statement) else { continue }
          checksum.add(title: song.title, seconds: song.seconds)
        }
        return checksum
      }
    }
  }

  public func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws {
    try GRDBFile.with(directory) { queue in
      try queue.write { db in
        try GRDBFile.createIndexes(indexes, db)
        try insert(songs, db)
      }
    }
  }

  public func fetchSongs(
    withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String
  ) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        let statement = try db.makeStatement(sql: SongIndexes.selectionBySeconds)
        var checksum = Checksum()
        for number in seconds {
          statement.setUncheckedArguments([number])
          for song in try Song.fetchAll(statement) { checksum.add(title: song.title, seconds: song.seconds) }
        }
        return checksum
      }
    }
  }

  public func fetchSongs(
    sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String
  ) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        let statement = try db.makeStatement(sql: SongIndexes.sortedSelection)
        var checksum = Checksum()
        for range in ranges {
          statement.setUncheckedArguments([range.lowerBound, range.upperBound, limit])
          for (position, song) in try Song.fetchAll(statement).enumerated() {
            checksum.addPositioned(title: song.title, seconds: song.seconds, position: position)
          }
        }
        return checksum
      }
    }
  }

  public func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws {
    try GRDBFile.with(directory) { queue in
      try queue.write { db in
        try insert(playlists.songs, db)
        let list = try db.makeStatement(sql: "INSERT INTO playlist (title) VALUES (?)")
        let entry = try db.makeStatement(sql: "INSERT INTO entry (playlistId, position, songId) VALUES (?, ?, ?)")
        for playlist in 0..<playlists.playlistCount {
          list.setUncheckedArguments([playlists.title(playlist)])
          try list.execute()
          let playlistID = db.lastInsertedRowID
          for (position, index) in playlists.songIndexes(playlist).enumerated() {
            entry.setUncheckedArguments([playlistID, position, Int64(index + 1)])
            try entry.execute()
          }
        }
      }
    }
  }

  public func fetchFirstSongs(in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        let lists = try Row.fetchCursor(db, sql: "SELECT id, title FROM playlist")
        let first = try db.makeStatement(sql: GRDBFile.songsOfPlaylist + " LIMIT 1")
        var checksum = Checksum()
        while let list = try lists.next() {
          first.setUncheckedArguments([list[0] as Int64])
          guard let song = try Song.fetchOne(first) else { continue }
          checksum.add(title: song.title, seconds: song.seconds)
        }
        return checksum
      }
    }
  }

  public func fetchPlaylists(in directory: String) throws -> Checksum { try GRDBFile.fetchPlaylists(in: directory) }

  public func updateEveryThirdSong(title: String, in directory: String) throws {
    try GRDBFile.with(directory) { queue in
      try queue.write { db in
        let songs = try Song.fetchAll(db, sql: "SELECT id, title, seconds FROM song")
        let statement = try db.makeStatement(sql: "UPDATE song SET title = ? WHERE id = ?")
        for var song in songs where song.seconds % 3 == 0 {
          song.title = title
          statement.setUncheckedArguments([song.title, song.id])
          try statement.execute()
        }
      }
    }
  }

  public func withUpdater(
    in directory: String, _ body: (_ update: (Int, String) throws -> Void) throws -> Void
  ) throws {
    try GRDBFile.with(directory) { queue in
      try body { index, title in
        try queue.write { db in
          let statement = try db.cachedStatement(sql: "UPDATE song SET title = ? WHERE id = ?")
          statement.setUncheckedArguments([title, Int64(index + 1)])
          try statement.execute()
        }
      }
    }
  }

  public func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      let song = try queue.read { db in
        try Song.fetchOne(db, sql: "SELECT id, title, seconds FROM song WHERE id = ?", arguments: [index + 1])
      }
      whenRead()
      var checksum = Checksum()
      if let song { checksum.add(title: song.title, seconds: song.seconds) }
      return checksum
    }
  }

  public func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws {
    try GRDBFile.insertNamedBuffers(buffers, in: directory)
  }

  public func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum {
    try GRDBFile.fetchNamedBuffers(buffers, in: directory)
  }
}
