/// How far the data of an entry are written.
struct TarDataPosition {
  struct Step {
    /// Bytes that were left out before, of all that is stored.
    var zeroCount: Int64
    /// Bytes from the offset on that are stored without a hole.
    var byteCount: Int
  }

  private let ranges: [Range<Int64>]
  private var index = 0
  private var offset: Int64 = 0

  init(_ ranges: [Range<Int64>]) { self.ranges = ranges }

  /// Goes on to an offset, and over bytes from it on.
  ///
  /// Nil, and no step, where the file has no data, or where that is behind.
  mutating func step(to start: Int64, byteCount: Int) -> Step? {
    var next = self
    guard start >= offset, let zeroCount = next.skip(to: start) else { return nil }
    let count = min(Int64(byteCount), ranges[next.index].upperBound - start)
    next.offset = start + count
    self = next
    return Step(zeroCount: zeroCount, byteCount: Int(count))
  }

  /// How many stored bytes are left out; nil where there are no data at the offset.
  private mutating func skip(to start: Int64) -> Int64? {
    var zeroCount: Int64 = 0
    while index < ranges.count, ranges[index].upperBound <= start {
      zeroCount += ranges[index].upperBound - max(offset, ranges[index].lowerBound)
      offset = ranges[index].upperBound
      index += 1
    }
    guard index < ranges.count, ranges[index].contains(start) else { return nil }
    return zeroCount + start - max(offset, ranges[index].lowerBound)
  }
}
