import FoundationEssentials

/// The songs that a workload puts in: song `i` lasts `i` seconds, or a number of seconds that `i` alone decides.
public struct SongSource: Sendable {
  public let count: Int
  /// Used from the start again when there are more songs than titles.
  public let titles: [String]
  /// Whether a title has the song's number behind it, as in "Test Song 7".
  public let isNumbered: Bool
  /// Seconds are random numbers below this; nil: song `i` lasts `i` seconds.
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

  /// The songs of each number of seconds below the bound, in order.
  public func indexesBySeconds() -> [[Int]] {
    var indexes = [[Int]](repeating: [], count: Int(secondsBound ?? 0))
    for index in 0..<count { indexes[Int(seconds(index))].append(index) }
    return indexes
  }

  /// What reading all of the songs must give, with some titles replaced.
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

/// The playlists of the complex workloads: playlist `p` has `songsPerPlaylist` songs, one after the other.
public struct PlaylistSource: Sendable {
  public static let songsPerPlaylist = 100

  public let songs: SongSource
  public let playlistCount: Int

  /// Rounds the songs up to whole playlists.
  public init(songCount: Int, titles: [String], isNumbered: Bool) {
    playlistCount = max(1, (songCount + Self.songsPerPlaylist - 1) / Self.songsPerPlaylist)
    songs = SongSource(
      count: playlistCount * Self.songsPerPlaylist, titles: titles, isNumbered: isNumbered)
  }

  @inlinable public func title(_ playlist: Int) -> String { "Playlist \(playlist)" }

  @inlinable public func songIndexes(_ playlist: Int) -> Range<Int> {
    playlist * Self.songsPerPlaylist..<(playlist + 1) * Self.songsPerPlaylist
  }

  /// What reading the first song of each playlist must give.
  public var firstSongsChecksum: Checksum {
    var checksum = Checksum()
    for playlist in 0..<playlistCount {
      let index = songIndexes(playlist).lowerBound
      checksum.add(title: songs.title(index), seconds: songs.seconds(index))
    }
    return checksum
  }

  /// What reading everything must give: songs weighted by their position, so that a wrong order shows.
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
  /// Adds a song so that its position in a list counts.
  @inlinable public mutating func addPositioned(title: String, seconds: UInt32, position: Int) {
    count += 1
    sum &+= (Checksum.byteSum(of: title) &+ UInt64(seconds)) &* UInt64(position + 1)
  }
}

/// The named buffers: buffer `i` holds the numbers from `i` on.
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

/// Reads titles, one a line; empty lines are left out.
public func readTitles(from path: String) throws(SpeedTestError) -> [String] {
  let content: String
  do {
    content = try String(contentsOfFile: path, encoding: .utf8)
  } catch {
    throw SpeedTestError.wrongUse("cannot read titles from \(path): \(error)")
  }
  // Copies, so that no title keeps the whole text in memory.
  let titles = content.split(whereSeparator: \.isNewline).map { String($0) }
  guard !titles.isEmpty else { throw SpeedTestError.wrongUse("\(path) holds no titles") }
  return titles
}
