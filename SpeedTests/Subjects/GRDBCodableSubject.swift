import GRDB
public import SpeedTestHarness

/// GRDB.swift as most programs use it: Codable records, inserted, updated and fetched by record methods.
public struct GRDBCodableSubject: Subject {
  public let name = "grdb-codable"

  public init() {}

  struct Song: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "song"

    var id: Int64?
    var title: String
    var seconds: UInt32

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  struct Playlist: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "playlist"

    var id: Int64?
    var title: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
  }

  struct Entry: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "entry"

    var playlistId: Int64
    var position: Int
    var songId: Int64
  }

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    try GRDBFile.with(directory) { queue in
      beforeSave()
      try queue.write { db in try insert(songs, db) }
    }
  }

  private func insert(_ songs: SongSource, _ db: Database) throws {
    for index in 0..<songs.count {
      var song = Song(title: songs.title(index), seconds: songs.seconds(index))
      try song.insert(db)
    }
  }

  public func fetchSongs(in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        var checksum = Checksum()
        for song in try Song.fetchAll(db) { checksum.add(title: song.title, seconds: song.seconds) }
        return checksum
      }
    }
  }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        var checksum = Checksum()
        for index in indexes {
          guard let song = try Song.fetchOne(db, key: Int64(index + 1)) else { continue }
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
        var checksum = Checksum()
        for number in seconds {
          let songs = try Song.filter(Column("seconds") == number).fetchAll(db)
          for song in songs { checksum.add(title: song.title, seconds: song.seconds) }
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
        let seconds = Column("seconds")
        var checksum = Checksum()
        for range in ranges {
          let request = Song.filter(seconds >= range.lowerBound && seconds < range.upperBound)
            .order(seconds, Column("id")).limit(limit)
          for (position, song) in try request.fetchAll(db).enumerated() {
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
        for number in 0..<playlists.playlistCount {
          var playlist = Playlist(title: playlists.title(number))
          try playlist.insert(db)
          for (position, index) in playlists.songIndexes(number).enumerated() {
            var song = Song(title: playlists.songs.title(index), seconds: playlists.songs.seconds(index))
            try song.insert(db)
            guard let playlistId = playlist.id, let songId = song.id else { continue }
            try Entry(playlistId: playlistId, position: position, songId: songId).insert(db)
          }
        }
      }
    }
  }

  public func fetchFirstSongs(in directory: String) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      try queue.read { db in
        var checksum = Checksum()
        for playlist in try Playlist.fetchAll(db) {
          let sql = GRDBFile.songsOfPlaylist + " LIMIT 1"
          guard let song = try Song.fetchOne(db, sql: sql, arguments: [playlist.id]) else { continue }
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
        for var song in try Song.fetchAll(db) where song.seconds % 3 == 0 {
          song.title = title
          try song.update(db)
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
          guard var song = try Song.fetchOne(db, key: Int64(index + 1)) else { return }
          song.title = title
          try song.update(db)
        }
      }
    }
  }

  public func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum {
    try GRDBFile.with(directory) { queue in
      let song = try queue.read { db in try Song.fetchOne(db, key: Int64(index + 1)) }
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
