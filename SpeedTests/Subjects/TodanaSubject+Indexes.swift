public import SpeedTestHarness
import Todana

extension TodanaSubject {
  final class IndexedSong: StoredObject, Titled {
    var title = ""
    var seconds: UInt32 = 0

    override class var indexes: [Index] { [Index(\IndexedSong.seconds)] }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      seconds = try buffer.readUInt32()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeUInt32(seconds)
    }
  }

  final class ManyIndexesSong: StoredObject, Titled {
    var title = ""
    var seconds: UInt32 = 0

    override class var indexes: [Index] {
      [
        Index(\ManyIndexesSong.seconds), Index(\ManyIndexesSong.title),
        Index(\ManyIndexesSong.title, \ManyIndexesSong.seconds), Index(.descending(\ManyIndexesSong.seconds)),
        Index(\ManyIndexesSong.seconds, \ManyIndexesSong.title),
      ]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      seconds = try buffer.readUInt32()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeUInt32(seconds)
    }
  }

  public func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws {
    switch indexes {
    case .seconds: try insert(songs, as: IndexedSong.self, in: directory)
    case .five: try insert(songs, as: ManyIndexesSong.self, in: directory)
    }
  }

  private func insert<Song: StoredObject & Titled>(
    _ songs: SongSource, as type: Song.Type, in directory: String
  ) throws {
    try withStore(directory, classes: [type]) { store in
      for index in 0..<songs.count {
        let song = Song()
        song.title = songs.title(index)
        song.seconds = songs.seconds(index)
        try store.insert(song)
      }
      try store.saveChanges()
    }
  }

  public func fetchSongs(
    withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String
  ) throws -> Checksum {
    switch indexes {
    case .seconds: try fetch(seconds, in: directory) { number in IndexedSong.where { $0.seconds == number } }
    case .five: try fetch(seconds, in: directory) { number in ManyIndexesSong.where { $0.seconds == number } }
    }
  }

  private func fetch<Song: StoredObject & Titled>(
    _ seconds: [UInt32], in directory: String, _ query: (UInt32) -> Query<Song>
  ) throws -> Checksum {
    try withStore(directory, classes: [Song.self]) { store in
      var checksum = Checksum()
      for number in seconds {
        for song in try store.fetch(query(number)) { checksum.add(title: song.title, seconds: song.seconds) }
      }
      return checksum
    }
  }

  public func fetchSongs(
    sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String
  ) throws -> Checksum {
    try withStore(directory, classes: [IndexedSong.self]) { store in
      var checksum = Checksum()
      for range in ranges {
        let query = IndexedSong.where { $0.seconds >= range.lowerBound && $0.seconds < range.upperBound }
          .sorted(by: \.seconds).limit(limit)
        for (position, song) in try store.fetch(query).enumerated() {
          checksum.addPositioned(title: song.title, seconds: song.seconds, position: position)
        }
      }
      return checksum
    }
  }
}

/// The properties of both song classes.
protocol Titled: AnyObject {
  var title: String { get set }
  var seconds: UInt32 { get set }
}
