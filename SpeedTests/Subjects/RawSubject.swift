import CRawKyoto
public import SpeedTestHarness

/// Stock Kyoto Cabinet through C++: no objects, no transaction, no durability (except for the single saves of W6).
public struct RawSubject: Subject {
  public let name = "raw"
  /// The workloads left out.
  ///
  /// After a kill, its files need a repair that may lose records. For W8, one index is enough.
  public let unsupportedWorkloads: Set = ["W8-five", "W10", "W10-uncached", "W10-killed"]

  public init() {}

  public func insertSongs(_ songs: SongSource, in directory: String, beforeSave: () -> Void) throws {
    try unsafe withRawSongs(songs) { rawSongs throws(SpeedTestError) in
      try unsafe check { unsafe raw_insert_songs(directory, rawSongs, $0) }
    }
  }

  public func fetchSongs(in directory: String) throws -> Checksum {
    try unsafe checksum { unsafe raw_fetch_songs(directory, $0, $1) }
  }

  public func fetchSongs(at indexes: [Int], in directory: String) throws -> Checksum {
    let rows = indexes.map(UInt32.init)
    return try unsafe checksum { unsafe raw_fetch_rows(directory, rows, rows.count, $0, $1) }
  }

  public func insertSongs(_ songs: SongSource, indexes: SongIndexes, in directory: String) throws {
    try unsafe withRawSongs(songs) { rawSongs throws(SpeedTestError) in
      try unsafe check { unsafe raw_insert_indexed_songs(directory, rawSongs, $0) }
    }
  }

  public func fetchSongs(
    withSeconds seconds: [UInt32], indexes: SongIndexes, in directory: String
  ) throws -> Checksum {
    try unsafe checksum { unsafe raw_fetch_by_seconds(directory, seconds, seconds.count, $0, $1) }
  }

  public func fetchSongs(
    sortedWithin ranges: [Range<UInt32>], limit: Int, in directory: String
  ) throws -> Checksum {
    let (lower, upper) = (ranges.map(\.lowerBound), ranges.map(\.upperBound))
    return try unsafe checksum {
      unsafe raw_fetch_ranges(directory, lower, upper, ranges.count, UInt32(limit), $0, $1)
    }
  }

  public func insertPlaylists(_ playlists: PlaylistSource, in directory: String) throws {
    try unsafe withRawSongs(playlists.songs) { rawSongs throws(SpeedTestError) in
      try unsafe check {
        unsafe raw_insert_playlists(directory, rawSongs, UInt32(PlaylistSource.songsPerPlaylist), $0)
      }
    }
  }

  public func fetchFirstSongs(in directory: String) throws -> Checksum {
    try unsafe checksum { unsafe raw_fetch_first_songs(directory, $0, $1) }
  }

  public func fetchPlaylists(in directory: String) throws -> Checksum {
    try unsafe checksum { unsafe raw_fetch_playlists(directory, $0, $1) }
  }

  public func updateEveryThirdSong(title: String, in directory: String) throws {
    try unsafe check { unsafe raw_update_every_third(directory, title, title.utf8.count, $0) }
  }

  public func withUpdater(
    in directory: String, _ body: (_ update: (Int, String) throws -> Void) throws -> Void
  ) throws {
    var failure = raw_failure()
    guard let updater = unsafe raw_updater_open(directory, &failure) else { throw error(failure) }
    do {
      try body { index, title in
        try unsafe check { unsafe raw_updater_set(updater, UInt32(index), title, title.utf8.count, $0) }
      }
    } catch {
      unsafe raw_updater_close(updater, &failure)
      throw error
    }
    try unsafe check { unsafe raw_updater_close(updater, $0) }
  }

  public func insertNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws {
    try unsafe check {
      unsafe raw_insert_buffers(directory, UInt32(buffers.count), UInt32(NamedBufferSource.numbersPerBuffer), $0)
    }
  }

  public func fetchNamedBuffers(_ buffers: NamedBufferSource, in directory: String) throws -> Checksum {
    try unsafe checksum { unsafe raw_fetch_buffers(directory, UInt32(buffers.count), $0, $1) }
  }

  // MARK: Calls into C

  /// Calls `body` with the songs in the form of the C header: all titles concatenated.
  private func withRawSongs(
    _ songs: SongSource, _ body: (UnsafePointer<raw_songs>) throws(SpeedTestError) -> Void
  ) throws {
    var bytes: [CChar] = []
    var offsets: [UInt64] = [0]
    for title in songs.titles {
      bytes.append(contentsOf: title.utf8.lazy.map { CChar(bitPattern: $0) })
      offsets.append(UInt64(bytes.count))
    }
    try unsafe bytes.withUnsafeBufferPointer { bytes in
      try unsafe offsets.withUnsafeBufferPointer { offsets in
        var rawSongs = unsafe raw_songs(
          song_count: UInt32(songs.count), bytes: bytes.baseAddress, offsets: offsets.baseAddress,
          title_count: songs.titles.count, is_numbered: songs.isNumbered, seconds_bound: songs.secondsBound ?? 0)
        try unsafe body(&rawSongs)
      }
    }
  }

  private func check(_ call: (UnsafeMutablePointer<raw_failure>) -> Int32) throws(SpeedTestError) {
    var failure = raw_failure()
    guard unsafe call(&failure) == 0 else { throw error(failure) }
  }

  private func checksum(
    _ call: (UnsafeMutablePointer<raw_checksum>, UnsafeMutablePointer<raw_failure>) -> Int32
  ) throws(SpeedTestError) -> Checksum {
    var checksum = raw_checksum()
    var failure = raw_failure()
    guard unsafe call(&checksum, &failure) == 0 else { throw error(failure) }
    return Checksum(count: Int(checksum.count), sum: checksum.sum)
  }

  private func error(_ failure: raw_failure) -> SpeedTestError {
    var message = failure.message
    let text = unsafe withUnsafeBytes(of: &message) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    return .failed("raw: \(text)")
  }
}
