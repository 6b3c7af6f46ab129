/// Where a sparse file has data, as GNU tar's format 1.0 has it: in decimal lines before the data themselves.
///
/// GNU tar manual, "Storing Sparse Files": how many ranges, then of each its offset and its length; padded to a block.
struct SparseMap {
  let ranges: [Range<Int64>]
  let byteCount: Int64

  /// Nil for ranges that are not in order, or beyond the file's end.
  init?(_ ranges: [Range<Int64>], byteCount: Int64) {
    var end: Int64 = 0
    for range in ranges {
      guard range.lowerBound >= end, range.upperBound <= byteCount else { return nil }
      end = range.upperBound
    }
    var known = ranges.filter { !$0.isEmpty }
    // That a file ends with a hole is seen by a range without bytes at its end.
    if known.last?.upperBound ?? 0 < byteCount { known.append(byteCount..<byteCount) }
    self.ranges = known
    self.byteCount = byteCount
  }

  /// Whether the file has no holes at all.
  var isWhole: Bool { ranges.isEmpty || ranges == [0..<byteCount] }

  var header: [UInt8] {
    var text = "\(ranges.count)\n"
    for range in ranges { text += "\(range.lowerBound)\n\(range.upperBound - range.lowerBound)\n" }
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: TarBlock.padded(bytes.count) - bytes.count)
  }

  var storedByteCount: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// The records that say that such a map follows, and of what file.
  func records(for path: [UInt8]) -> [(key: String, value: [UInt8])] {
    [
      ("GNU.sparse.major", Array("1".utf8)), ("GNU.sparse.minor", Array("0".utf8)), ("GNU.sparse.name", path),
      ("GNU.sparse.realsize", Array(String(byteCount).utf8)),
    ]
  }

  /// What a program that does not know of it makes of the file: not the file itself, which would be garbage.
  static func placeholder(for path: [UInt8]) -> [UInt8] {
    let (above, last) = SourceStart.split(path)
    return (path.contains(UInt8(ascii: "/")) ? above : []) + Array("GNUSparseFile.0/".utf8) + last
  }
}

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
