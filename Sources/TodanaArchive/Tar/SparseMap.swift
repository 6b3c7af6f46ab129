/// The data ranges of a sparse file in GNU tar's format 1.0: decimal lines before the data.
///
/// The lines are the number of ranges, then the offset and length of each, padded to a block (GNU tar manual, "Storing
/// Sparse Files").
struct SparseMap {
  let ranges: [Range<Int64>]
  let byteCount: Int64

  /// Creates a map; nil for ranges that are out of order, or beyond the file's end.
  init?(_ ranges: [Range<Int64>], byteCount: Int64) {
    var end: Int64 = 0
    for range in ranges {
      guard range.lowerBound >= end, range.upperBound <= byteCount else { return nil }
      end = range.upperBound
    }
    var known = ranges.filter { !$0.isEmpty }
    // An empty range at the end indicates that the file ends with a hole.
    if known.last?.upperBound ?? 0 < byteCount { known.append(byteCount..<byteCount) }
    self.ranges = known
    self.byteCount = byteCount
  }

  /// Whether the file has no holes.
  var isWhole: Bool { ranges.isEmpty || ranges == [0..<byteCount] }

  var header: [UInt8] {
    var text = "\(ranges.count)\n"
    for range in ranges { text += "\(range.lowerBound)\n\(range.upperBound - range.lowerBound)\n" }
    let bytes = Array(text.utf8)
    return bytes + [UInt8](repeating: 0, count: TarBlock.padded(bytes.count) - bytes.count)
  }

  var storedByteCount: Int64 { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  /// Returns the records that announce the map, with the path and size of its file.
  func records(for path: [UInt8]) -> [(key: String, value: [UInt8])] {
    [
      ("GNU.sparse.major", Array("1".utf8)), ("GNU.sparse.minor", Array("0".utf8)), ("GNU.sparse.name", path),
      ("GNU.sparse.realsize", Array(String(byteCount).utf8)),
    ]
  }

  /// Returns the path under which programs without support for sparse maps extract the file: not its own, as the
  /// content is unusable to them.
  static func placeholder(for path: [UInt8]) -> [UInt8] {
    let (above, last) = SourceStart.split(path)
    return (path.contains(UInt8(ascii: "/")) ? above : []) + Array("GNUSparseFile.0/".utf8) + last
  }
}

/// The current position in the data of an entry that is being written.
struct TarDataPosition {
  struct Step {
    /// The number of stored bytes before the offset that were skipped, and have to be written as zeros.
    var zeroCount: Int64
    /// The number of bytes from the offset on that are stored without a hole.
    var byteCount: Int
  }

  private let ranges: [Range<Int64>]
  private var index = 0
  private var offset: Int64 = 0

  init(_ ranges: [Range<Int64>]) { self.ranges = ranges }

  /// Moves to an offset, and then past up to `byteCount` bytes of the data range at the offset.
  ///
  /// Returns nil, without moving, if the file has no data at the offset, or if the offset is before the current
  /// position.
  mutating func step(to start: Int64, byteCount: Int) -> Step? {
    var next = self
    guard start >= offset, let zeroCount = next.skip(to: start) else { return nil }
    let count = min(Int64(byteCount), ranges[next.index].upperBound - start)
    next.offset = start + count
    self = next
    return Step(zeroCount: zeroCount, byteCount: Int(count))
  }

  /// Moves to an offset, and returns the number of skipped stored bytes; nil if there are no data at the offset.
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
