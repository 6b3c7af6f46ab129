/// One way of storing songs: Todana, or what it is measured against.
///
/// Each method opens the database in `directory`, does its job and closes it again. Speed is measured around the
/// whole call unless a method says otherwise. A subject leaves out what it has no way of doing, and lists the workloads
/// concerned.
public protocol Subject: Sendable {
  /// The name in `--peers` and in results.
  var name: String { get }

  /// Workloads that make no sense for this subject.
  var unsupportedWorkloads: Set<String> { get }

  /// Adds all songs to the database, creating it where there is none, and saves once, durably.
  ///
  /// Calls `beforeSave` when the objects are there and the save is about to begin.
  func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws

  /// Fetches all songs as objects and reads title and seconds of each.
  func fetchSongs(in directory: String) throws -> Checksum

  /// Fetches songs one at a time by their index, as objects.
  func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum

  /// Creates a database that keeps indexes of songs, adds all songs and saves once, durably.
  func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws

  /// Fetches the songs of each number of seconds in turn by an index, as objects, and reads title and seconds of each.
  func fetchSongs(withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String) throws -> Checksum

  /// Fetches as many as `limit` of the songs within each range of seconds, as objects, sorted by seconds, then by id.
  ///
  /// In the checksum a song's position within its range counts.
  func fetchSongs(sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String) throws -> Checksum

  /// Inserts songs and playlists and saves once, durably.
  func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws

  /// Fetches all playlists and reads the first song of each.
  func fetchFirstSongs(in directory: String) throws -> Checksum

  /// Reads all playlists and all their songs in order; for verification only.
  func fetchPlaylists(in directory: String) throws -> Checksum

  /// Fetches all songs, gives every third (by its seconds) the title and saves once, durably.
  func updateEveryThirdSong(title: String, in directory: String) throws

  /// Calls `body` with a function that changes the title of one song, by its index, and saves durably.
  func withUpdater(
    in directory: String, _ body: (_ update: (_ index: Int, _ title: String) throws -> Void) throws -> Void
  ) throws

  /// Opens, reads one song, calls `whenRead`, and closes.
  func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum

  /// Writes all named buffers and saves once, durably.
  func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws

  /// Reads each named buffer by its name.
  func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum

  /// The first songs, one line each, to show what is stored.
  func describeSongs(limit: Int, in directory: String) throws -> [String]
}

/// The indexes that a database keeps of its songs.
public enum SongIndexes: Sendable {
  /// One: by seconds.
  case seconds
  /// Five: by seconds; title; title and seconds; seconds in descending order; seconds and title.
  case five
}

extension Subject {
  public var unsupportedWorkloads: Set<String> { [] }

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    throw unsupported()
  }

  public func fetchSongs(in directory: String) throws -> Checksum { throw unsupported() }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum { throw unsupported() }

  public func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws {
    throw unsupported()
  }
  public func fetchSongs(
    withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String
  ) throws -> Checksum {
    throw unsupported()
  }
  public func fetchSongs(
    sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String
  ) throws -> Checksum {
    throw unsupported()
  }
  public func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws { throw unsupported() }

  public func fetchFirstSongs(in directory: String) throws -> Checksum { throw unsupported() }

  public func fetchPlaylists(in directory: String) throws -> Checksum { throw unsupported() }

  public func updateEveryThirdSong(title: String, in directory: String) throws { throw unsupported() }

  public func withUpdater(
    in directory: String, _ body: (_ update: (_ index: Int, _ title: String) throws -> Void) throws -> Void
  ) throws {
    throw unsupported()
  }

  public func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum {
    throw unsupported()
  }

  public func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws { throw unsupported() }

  public func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum {
    throw unsupported()
  }

  public func describeSongs(limit: Int, in directory: String) throws -> [String] { [] }

  private func unsupported(_ function: String = #function) -> SpeedTestError {
    .failed("\(name) has no \(function): its unsupportedWorkloads must say so")
  }
}
