public import SpeedTestHarness
import Todana

/// Todana, used in the style of its README.
public struct TodanaSubject: Subject {
  public let name: String
  private let encryption: StoreEncryption

  /// Creates the subject for plain or encrypted stores.
  ///
  /// - Parameter isEncrypted: Whether to encrypt with a key; a passphrase would take longer than some workloads.
  public init(isEncrypted: Bool = false) {
    name = isEncrypted ? "todana-encrypted" : "todana"
    encryption = isEncrypted ? .key([UInt8](repeating: 0x5A, count: 16)) : .none
  }

  final class Song: StoredObject {
    var title = ""
    var seconds: UInt32 = 0

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      seconds = try buffer.readUInt32()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeUInt32(seconds)
    }
  }

  final class Playlist: StoredObject {
    var title = ""
    var songs: [Song] = []

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      songs = try buffer.readReferences(Song.self)
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeReferences(songs)
    }
  }

  /// The records of ``Playlist``, for programs that read only some of a playlist's songs.
  final class LazyPlaylist: StoredObject {
    var title = ""
    var songs = LazyReferences<Song>()

    override class var storedName: String { "Playlist" }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      songs = try buffer.readLazyReferences(Song.self)
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeReferences(songs)
    }
  }

  func withStore<Result>(
    _ directory: String, classes: [StoredObject.Type] = [Song.self, Playlist.self], _ body: (Store) throws -> Result
  ) throws -> Result {
    let configuration = StoreConfiguration(encryption: encryption)
    let store = try Store(.directory(directory), classes: classes, configuration: configuration)
    let result = try body(store)
    try store.close()
    return result
  }

  /// Returns a function from a song's index to its id: row ids start at 1 and follow the order of insertion.
  private func songIDs(_ store: Store) throws -> (Int) -> ObjectID<Song> {
    guard let classID = try store.catalog[Song.self]?.id else {
      throw SpeedTestError.failed("todana: there are no songs")
    }
    return { index in ObjectID(unchecked: AnyObjectID(classID: classID, rowID: RowID(index + 1))) }
  }

  private func makeSong(_ index: Int, of songs: SongSource) -> Song {
    let song = Song()
    song.title = songs.title(index)
    song.seconds = songs.seconds(index)
    return song
  }

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    try withStore(directory) { store in
      for index in 0..<songs.count { try store.insert(makeSong(index, of: songs)) }
      beforeSave()
      try store.saveChanges()
    }
  }

  public func fetchSongs(in directory: String) throws -> Checksum {
    try withStore(directory) { store in
      var checksum = Checksum()
      for song in try store.fetch(Song.self) { checksum.add(title: song.title, seconds: song.seconds) }
      return checksum
    }
  }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum {
    try withStore(directory) { store in
      let songID = try songIDs(store)
      var checksum = Checksum()
      for index in indexes {
        guard let song = try store.fetch(songID(index)) else { continue }
        checksum.add(title: song.title, seconds: song.seconds)
      }
      return checksum
    }
  }

  public func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws {
    try withStore(directory) { store in
      for number in 0..<playlists.playlistCount {
        let playlist = Playlist()
        playlist.title = playlists.title(number)
        for index in playlists.songIndexes(number) {
          let song = makeSong(index, of: playlists.songs)
          try store.insert(song)
          playlist.songs.append(song)
        }
        try store.insert(playlist)
      }
      try store.saveChanges()
    }
  }

  public func fetchFirstSongs(in directory: String) throws -> Checksum {
    try withStore(directory, classes: [Song.self, LazyPlaylist.self]) { store in
      let firstSongs = try store.fetch(LazyPlaylist.self).compactMap(\.songs.first)
      try store.load(firstSongs)
      var checksum = Checksum()
      for song in firstSongs { checksum.add(title: song.title, seconds: song.seconds) }
      return checksum
    }
  }

  public func fetchPlaylists(in directory: String) throws -> Checksum {
    try withStore(directory) { store in
      var checksum = Checksum()
      for playlist in try store.fetch(Playlist.self, loading: \.songs) {
        checksum.add(title: playlist.title, seconds: 0)
        for (position, song) in playlist.songs.enumerated() {
          checksum.addPositioned(title: song.title, seconds: song.seconds, position: position)
        }
      }
      return checksum
    }
  }

  public func updateEveryThirdSong(title: String, in directory: String) throws {
    try withStore(directory) { store in
      for song in try store.fetch(Song.self) where song.seconds % 3 == 0 {
        try store.update(song) { $0.title = title }
      }
      try store.saveChanges()
    }
  }

  public func withUpdater(
    in directory: String, _ body: (_ update: (Int, String) throws -> Void) throws -> Void
  ) throws {
    try withStore(directory) { store in
      let songID = try songIDs(store)
      try body { index, title in
        guard let song = try store.fetch(songID(index)) else { return }
        try store.update(song) { $0.title = title }
        try store.saveChanges()
      }
    }
  }

  public func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum {
    try withStore(directory) { store in
      let song = try store.fetch(songIDs(store)(index))
      whenRead()
      var checksum = Checksum()
      if let song { checksum.add(title: song.title, seconds: song.seconds) }
      return checksum
    }
  }

  public func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws {
    try withStore(directory) { store in
      for index in 0..<buffers.count {
        try store.writeNamedBuffer(buffers.name(index)) { buffer in
          for number in buffers.numbers(index) { buffer.writeUInt32(number) }
        }
      }
      try store.saveChanges()
    }
  }

  public func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum {
    try withStore(directory) { store in
      var checksum = Checksum()
      for index in 0..<buffers.count {
        let found: Void? = try store.readNamedBuffer(buffers.name(index)) { buffer in
          for _ in 0..<NamedBufferSource.numbersPerBuffer { checksum.add(number: try buffer.readUInt32()) }
        }
        if found != nil { checksum.count += 1 }
      }
      return checksum
    }
  }

  public func describeSongs(limit: Int, in directory: String) throws -> [String] {
    try withStore(directory) { store in
      var lines: [String] = []
      try store.forEach(Song.self) { song, stop in
        if lines.count < limit { lines.append("“\(song.title)”, \(song.seconds) seconds") }
        stop = lines.count >= limit
      }
      return lines
    }
  }
}
