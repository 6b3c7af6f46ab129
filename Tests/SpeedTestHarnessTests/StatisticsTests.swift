import SpeedTestHarness
import Testing

@Suite struct StatisticsTests {
  @Test(arguments: [
    ([3.0], 3.0, 3.0, 3.0), ([4, 1, 9], 4, 1, 9), ([4, 1, 9, 2], 3, 1, 9), ([5, 5], 5, 5, 5),
  ])
  func `a spread has the median, minimum and maximum of its values`(
    values: [Double], median: Double, minimum: Double, maximum: Double
  ) throws {
    let spread = try #require(Spread(values))
    #expect(spread.median == median)
    #expect(spread.minimum == minimum)
    #expect(spread.maximum == maximum)
  }

  @Test func `an empty list has no spread and no percentile`() {
    #expect(Spread([]) == nil)
    #expect(percentile(0.5, of: []) == nil)
  }

  @Test(arguments: [(0.5, 50.0), (0.99, 99.0), (1, 100), (0, 1), (0.991, 100)])
  func `a percentile is one of the values`(share: Double, expected: Double) {
    #expect(percentile(share, of: (1...100).reversed().map(Double.init)) == expected)
  }
}

@Suite struct ChecksumTests {
  @Test func `a checksum counts bytes of titles and seconds`() {
    var checksum = Checksum()
    checksum.add(title: "aé", seconds: 5)
    #expect(checksum == Checksum(count: 1, sum: 97 + 0xC3 + 0xA9 + 5))
  }

  @Test(arguments: [false, true])
  func `the expected checksum covers every song`(isNumbered: Bool) {
    let titles = ["Blue in Green", "So What", "A title that is longer than fifteen bytes"]
    let songs = SongSource(count: 10, titles: titles, isNumbered: isNumbered)
    var expected = Checksum()
    for index in 0..<10 {
      let title = index == 4 ? "changed" : titles[index % 3] + (isNumbered ? " \(index)" : "")
      expected.add(title: title, seconds: UInt32(index))
    }
    #expect(songs.checksum { $0 == 4 ? "changed" : nil } == expected)
  }

  @Test func `random seconds are below their bound and the same in every run`() {
    let songs = SongSource(count: 1_000, titles: ["Song"], secondsBound: 10)
    let indexes = songs.indexesBySeconds()
    #expect(indexes.count == 10)
    #expect(indexes.allSatisfy { (50...150).contains($0.count) })
    #expect(indexes.flatMap { $0 }.sorted() == Array(0..<1_000))
    // The first number of SplitMix64 with seed 0 is 0xE220A8397B1DCDAF.
    #expect(songs.seconds(0) == UInt32(0xE220_A839_7B1D_CDAF % 10 as UInt64))
  }

  @Test func `a wrong order within a playlist changes the checksum`() {
    var ordered = Checksum()
    var swapped = Checksum()
    for (position, index) in [0, 1].enumerated() {
      ordered.addPositioned(title: "Song", seconds: UInt32(index), position: position)
      swapped.addPositioned(title: "Song", seconds: UInt32(1 - index), position: position)
    }
    #expect(ordered != swapped)
  }

  @Test(arguments: [(1, 1), (100, 1), (101, 2), (100_000, 1_000)])
  func `every playlist has 100 songs`(songCount: Int, playlistCount: Int) {
    let playlists = PlaylistSource(songCount: songCount, titles: ["Test Song"], isNumbered: true)
    #expect(playlists.playlistCount == playlistCount)
    #expect(playlists.songs.count == playlistCount * 100)
    #expect(playlists.firstSongsChecksum.count == playlistCount)
  }
}
