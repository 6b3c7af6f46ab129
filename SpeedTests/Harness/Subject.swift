/// A way of storing songs: Todana, or a library that it is compared with.
///
/// Each method opens the database in `directory`, does its work and closes it again. The whole call is measured
/// unless a method says otherwise. A subject lists the workloads that it cannot run.
public protocol Subject: Sendable {
  /// The name in `--peers` and in results.
  var name: String { get }

  /// The ids of workloads that this subject cannot run, or for which it makes no sense.
  var unsupportedWorkloads: Set<String> { get }

  /// Adds all songs to the database, which is created if necessary, and saves once, durably.
  ///
  /// Calls `beforeSave` when all objects exist and the save is about to begin.
  func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws

  /// Fetches all songs as objects and reads title and seconds of each.
  func fetchSongs(in directory: String) throws -> Checksum

  /// Fetches songs one at a time by their index, as objects.
  func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum

  /// Creates a database with indexes of songs, adds all songs and saves once, durably.
  func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws

  /// Fetches by an index, as objects, the songs of each number of seconds, and reads title and seconds of each.
  func fetchSongs(withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String) throws -> Checksum

  /// Fetches at most `limit` songs within each range of seconds, as objects, sorted by seconds, then by id.
  ///
  /// In the checksum, each song is weighted by its position in its range.
  func fetchSongs(sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String) throws -> Checksum

  /// Inserts songs and playlists and saves once, durably.
  func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws

  /// Fetches all playlists and reads the first song of each.
  func fetchFirstSongs(in directory: String) throws -> Checksum

  /// Reads all playlists and all their songs in order; for verification only.
  func fetchPlaylists(in directory: String) throws -> Checksum

  /// Fetches all songs, changes the title of every third one (by its seconds) and saves once, durably.
  func updateEveryThirdSong(title: String, in directory: String) throws

  /// Calls `body` with a function that changes the title of the song at an index and saves durably.
  func withUpdater(
    in directory: String, _ body: (_ update: (_ index: Int, _ title: String) throws -> Void) throws -> Void
  ) throws

  /// Opens the database, reads one song, calls `whenRead`, and closes the database.
  func openAndRead(index: Int, in directory: String, whenRead: () -> Void) throws -> Checksum

  /// Writes all named buffers and saves once, durably.
  func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws

  /// Reads each named buffer by name.
  func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum

  /// Returns the first songs, one line each, to show the stored data.
  func describeSongs(limit: Int, in directory: String) throws -> [String]
}

/// The indexes that a database keeps of its songs.
public enum SongIndexes: Sendable {
  /// One index: by seconds.
  case seconds
  /// Five indexes: by seconds; title; title and seconds; seconds in descending order; seconds and title.
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
    .failed("\(name) does not implement \(function): list its workload in unsupportedWorkloads")
  }
}
