import FoundationEssentials

/// The songs of a workload: song `i` lasts `i` seconds, or a pseudorandom number of seconds that depends on `i` only.
public struct SongSource: Sendable {
  public let count: Int
  /// The titles of the songs, repeated if there are more songs than titles.
  public let titles: [String]
  /// Whether the song's number follows its title, as in "Test Song 7".
  public let isNumbered: Bool
  /// The exclusive upper bound of the random seconds; if nil, song `i` lasts `i` seconds.
  public let secondsBound: UInt32?

  public init(count: Int, titles: [String], isNumbered: Bool = false, secondsBound: UInt32? = nil) {
    self.count = count
    self.titles = titles
    self.isNumbered = isNumbered
    self.secondsBound = secondsBound
  }

  @inlinable public func title(_ index: Int) -> String {
    isNumbered ? "\(titles[index % titles.count]) \(index)" : titles[index % titles.count]
  }

  @inlinable public func seconds(_ index: Int) -> UInt32 {
    guard let secondsBound else { return UInt32(truncatingIfNeeded: index) }
    var generator = SeededGenerator(seed: UInt64(index))
    return UInt32(generator.next() % UInt64(secondsBound))
  }

  /// Returns the indexes of the songs for each number of seconds below the bound, in ascending order.
  public func indexesBySeconds() -> [[Int]] {
    var indexes = [[Int]](repeating: [], count: Int(secondsBound ?? 0))
    for index in 0..<count { indexes[Int(seconds(index))].append(index) }
    return indexes
  }

  /// Returns the checksum of all songs, some with replaced titles.
  public func checksum(replacing title: (Int) -> String? = { _ in nil }) -> Checksum {
    let sums = titles.map(Checksum.byteSum)
    var checksum = Checksum()
    for index in 0..<count {
      if let replaced = title(index) {
        checksum.add(title: replaced, seconds: seconds(index))
      } else if isNumbered {
        checksum.add(title: self.title(index), seconds: seconds(index))
      } else {
        checksum.count += 1
        checksum.sum &+= sums[index % sums.count] &+ UInt64(seconds(index))
      }
    }
    return checksum
  }
}

/// The playlists of the complex workloads: each has the next `songsPerPlaylist` songs.
public struct PlaylistSource: Sendable {
  public static let songsPerPlaylist = 100

  public let songs: SongSource
  public let playlistCount: Int

  /// Creates playlists for a number of songs, which is rounded up to whole playlists.
  public init(songCount: Int, titles: [String], isNumbered: Bool) {
    playlistCount = max(1, (songCount + Self.songsPerPlaylist - 1) / Self.songsPerPlaylist)
    songs = SongSource(
      count: playlistCount * Self.songsPerPlaylist, titles: titles, isNumbered: isNumbered)
  }

  @inlinable public func title(_ playlist: Int) -> String { "Playlist \(playlist)" }

  @inlinable public func songIndexes(_ playlist: Int) -> Range<Int> {
    playlist * Self.songsPerPlaylist..<(playlist + 1) * Self.songsPerPlaylist
  }

  /// The checksum of the first song of each playlist.
  public var firstSongsChecksum: Checksum {
    var checksum = Checksum()
    for playlist in 0..<playlistCount {
      let index = songIndexes(playlist).lowerBound
      checksum.add(title: songs.title(index), seconds: songs.seconds(index))
    }
    return checksum
  }

  /// The checksum of all playlists and songs, weighted by position so that a wrong order is detected.
  public var wholeChecksum: Checksum {
    var checksum = Checksum()
    for playlist in 0..<playlistCount {
      checksum.add(title: title(playlist), seconds: 0)
      for (position, index) in songIndexes(playlist).enumerated() {
        checksum.addPositioned(
          title: songs.title(index), seconds: songs.seconds(index), position: position)
      }
    }
    return checksum
  }
}

extension Checksum {
  /// Adds a song weighted by its position in a list.
  @inlinable public mutating func addPositioned(title: String, seconds: UInt32, position: Int) {
    count += 1
    sum &+= (Checksum.byteSum(of: title) &+ UInt64(seconds)) &* UInt64(position + 1)
  }
}

/// The named buffers of a workload: buffer `i` holds consecutive numbers from `i`.
public struct NamedBufferSource: Sendable {
  public static let numbersPerBuffer = 100

  public let count: Int

  public init(count: Int) { self.count = count }

  @inlinable public func name(_ index: Int) -> String { "buffer \(index)" }

  @inlinable public func numbers(_ index: Int) -> Range<UInt32> {
    UInt32(index)..<UInt32(index + Self.numbersPerBuffer)
  }

  public var checksum: Checksum {
    var checksum = Checksum(count: count)
    for index in 0..<count { for number in numbers(index) { checksum.add(number: number) } }
    return checksum
  }
}

/// Reads a file of titles, one a line; skips empty lines.
public func readTitles(from path: String) throws(SpeedTestError) -> [String] {
  let content: String
  do {
    content = try String(contentsOfFile: path, encoding: .utf8)
  } catch {
    throw SpeedTestError.wrongUse("cannot read titles from \(path): \(error)")
  }
  // Substrings are copied so that no title keeps the whole text in memory.
  let titles = content.split(whereSeparator: \.isNewline).map { String($0) }
  guard !titles.isEmpty else { throw SpeedTestError.wrongUse("\(path) contains no titles") }
  return titles
}
