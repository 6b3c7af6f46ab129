import SpeedTestHarness

/// W8: fetches songs by their seconds, each time all of the same number, and reads title and seconds.
struct IndexedQuery: Workload {
  let id = "W8"
  let name = "IndexedQuery"
  let preparation: Preparation? = .indexedSongs

  func summary(count: Int) -> String {
    "fetches the songs of \(grouped(queryCount(count))) random numbers of seconds out of \(grouped(count))"
  }

  private func queryCount(_ count: Int) -> Int { max(1, count / 1_000) }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songsToIndex
    var generator = SeededGenerator(seed: 8)
    let seconds = (0..<queryCount(trial.count)).map { _ in
      UInt32.random(in: 0..<(songs.secondsBound ?? 1), using: &generator)
    }
    let found = try meter.measure {
      try trial.subject.fetchSongs(withSeconds: seconds, indexes: .seconds, in: trial.directory)
    }
    // Compute the indexes after the measured part, so that their memory does not count.
    let indexes = songs.indexesBySeconds()
    var expected = Checksum()
    for number in seconds {
      for index in indexes[Int(number)] { expected.add(title: songs.title(index), seconds: number) }
    }
    try trial.expect(found, expected, "songs by their seconds")
  }
}

/// W8-ranges: fetches the first songs of ranges of seconds, in order.
struct SortedQuery: Workload {
  static let rangeLength = 10
  static let limit = 50

  let id = "W8-ranges"
  let name = "SortedQuery"
  let preparation: Preparation? = .indexedSongs

  func summary(count: Int) -> String {
    "fetches the first \(Self.limit) songs of \(grouped(queryCount(count))) random ranges of \(Self.rangeLength) "
      + "numbers of seconds out of \(grouped(count)), sorted"
  }

  private func queryCount(_ count: Int) -> Int { max(1, count / 10_000) }

  func run(_ trial: Trial, meter: Meter) throws {
    let songs = trial.songsToIndex
    let bound = Int(songs.secondsBound ?? 1)
    var generator = SeededGenerator(seed: 88)
    let ranges = (0..<queryCount(trial.count)).map { _ in
      let start = Int.random(in: 0...max(0, bound - Self.rangeLength), using: &generator)
      return UInt32(start)..<UInt32(start + Self.rangeLength)
    }
    let found = try meter.measure {
      try trial.subject.fetchSongs(sortedWithin: ranges, limit: Self.limit, in: trial.directory)
    }
    // Compute the indexes after the measured part, so that their memory does not count.
    let indexes = songs.indexesBySeconds()
    var expected = Checksum()
    for range in ranges {
      let sorted = range.prefix { $0 < bound }.flatMap { indexes[Int($0)] }
      for (position, index) in sorted.prefix(Self.limit).enumerated() {
        expected.addPositioned(title: songs.title(index), seconds: songs.seconds(index), position: position)
      }
    }
    try trial.expect(found, expected, "songs of ranges in their order")
  }
}
