import Foundation
import GRDB
import SpeedTestHarness

/// The parts that both GRDB subjects share: the file, the schema, and operations with only one style.
enum GRDBFile {
  /// Opens the file with a write-ahead log and a flush at every commit, and closes it after `body`.
  static func with<Result>(_ directory: String, _ body: (DatabaseQueue) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let path = directory + "/songs.sqlite"
    let isNew = !FileManager.default.fileExists(atPath: path)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // Set FULL after opening: with a write-ahead log, GRDB sets NORMAL then, which does not flush at a commit.
    try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    if isNew { try queue.write(createTables) }
    let result = try body(queue)
    try queue.close()
    return result
  }

  private static func createTables(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT NOT NULL, seconds INTEGER NOT NULL);
        CREATE TABLE playlist (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
        CREATE TABLE entry (
          playlistId INTEGER NOT NULL, position INTEGER NOT NULL, songId INTEGER NOT NULL,
          PRIMARY KEY (playlistId, position)
        ) WITHOUT ROWID;
        CREATE TABLE namedBuffer (name TEXT PRIMARY KEY NOT NULL, content BLOB NOT NULL);
        """)
  }

  static func createIndexes(_ indexes: SongIndexes, _ db: Database) throws {
    for sql in indexes.creation { try db.execute(sql: sql) }
  }

  /// Selects the songs of one playlist in order.
  static let songsOfPlaylist = """
    SELECT song.id, song.title, song.seconds FROM entry JOIN song ON song.id = entry.songId
    WHERE entry.playlistId = ? ORDER BY entry.position
    """

  static func fetchPlaylists(in directory: String) throws -> Checksum {
    try with(directory) { queue in
      try queue.read { db in
        var checksum = Checksum()
        for list in try Row.fetchAll(db, sql: "SELECT id, title FROM playlist") {
          checksum.add(title: list[1], seconds: 0)
          let songs = try Row.fetchAll(db, sql: songsOfPlaylist, arguments: [list[0] as Int64])
          for (position, song) in songs.enumerated() {
            checksum.addPositioned(title: song[1], seconds: song[2], position: position)
          }
        }
        return checksum
      }
    }
  }

  static func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws {
    try with(directory) { queue in
      try queue.write { db in
        let statement = try db.makeStatement(sql: "INSERT INTO namedBuffer (name, content) VALUES (?, ?)")
        for index in 0..<buffers.count {
          var content = Data(capacity: NamedBufferSource.numbersPerBuffer * 4)
          for number in buffers.numbers(index) {
            for shift in stride(from: 0, to: 32, by: 8) { content.append(UInt8(truncatingIfNeeded: number >> shift)) }
          }
          statement.setUncheckedArguments([buffers.name(index), content])
          try statement.execute()
        }
      }
    }
  }

  static func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum {
    try with(directory) { queue in
      try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT content FROM namedBuffer WHERE name = ?")
        var checksum = Checksum()
        for index in 0..<buffers.count {
          statement.setUncheckedArguments([buffers.name(index)])
          guard let content = try Data.fetchOne(statement) else { continue }
          checksum.count += 1
          let bytes = content.bytes
          for offset in stride(from: 0, through: bytes.byteCount - 4, by: 4) {
            checksum.add(number: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
          }
        }
        return checksum
      }
    }
  }
}
