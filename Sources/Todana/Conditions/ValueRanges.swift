/// The ranges of values among the keys of a property: byte ranges in ascending order that do not overlap.
struct ValueRanges {
  var path: PropertyPath
  var ranges: [ByteRange]
  /// Whether every value within the ranges passes the test; otherwise each one has to be tested.
  var isExact: Bool
}

/// A range of bytes from a lower bound up to an upper bound, which is not part of it.
struct ByteRange: Equatable {
  var lower: [UInt8]
  /// The upper bound; nil if the range has no end.
  var upper: [UInt8]?
  /// Whether the range is that of one value.
  var isSingle = false

  static let everything = ByteRange(lower: [], upper: nil)

  init(lower: [UInt8], upper: [UInt8]?, isSingle: Bool = false) {
    self.lower = lower
    self.upper = upper
    self.isSingle = isSingle
  }

  /// Makes the range of all bytes that begin with a prefix.
  init(prefix: [UInt8], isSingle: Bool = false) {
    self.init(lower: prefix, upper: Self.successor(of: prefix), isSingle: isSingle)
  }

  private func hasSameBounds(as other: ByteRange) -> Bool { lower == other.lower && upper == other.upper }

  var isEmpty: Bool {
    guard let upper else { return false }
    return !lower.lexicographicallyPrecedes(upper)
  }

  /// Returns the smallest bytes above all bytes that begin with a prefix; nil if there are none.
  static func successor(of prefix: [UInt8]) -> [UInt8]? {
    guard let last = prefix.lastIndex(where: { $0 != 0xFF }) else { return nil }
    var next = Array(prefix[...last])
    next[last] += 1
    return next
  }

  /// The range that the values have in a descending part of a key; nil if it is empty.
  ///
  /// In a descending part, every bit of a value is inverted.
  var inverted: ByteRange? {
    func inverted(_ bytes: [UInt8]) -> [UInt8] { bytes.map { ~$0 } }
    // The bytes of a single value are a prefix of its keys. The bounds of other ranges may be successors, which are not
    // prefixes.
    if isSingle { return ByteRange(prefix: inverted(lower), isSingle: true) }
    var newLower: [UInt8] = []
    if let upper {
      guard let above = Self.successor(of: inverted(upper)) else { return nil }
      newLower = above
    }
    let newUpper = lower.isEmpty ? nil : Self.successor(of: inverted(lower))
    return ByteRange(lower: newLower, upper: newUpper, isSingle: isSingle)
  }

  /// Returns the range with a prefix added before both of its bounds.
  func following(_ prefix: [UInt8]) -> ByteRange {
    ByteRange(
      lower: prefix + lower, upper: upper.map { prefix + $0 } ?? Self.successor(of: prefix), isSingle: isSingle)
  }

  func intersection(_ other: ByteRange) -> ByteRange? {
    let lower = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
    let upper: [UInt8]? =
      switch (upper, other.upper) {
      case (nil, let bound), (let bound, nil): bound
      case (.some(let mine), .some(let theirs)): mine.lexicographicallyPrecedes(theirs) ? mine : theirs
      }
    var range = ByteRange(lower: lower, upper: upper)
    // A proper part of a single value's range does not begin with the complete value.
    range.isSingle = isSingle && range.hasSameBounds(as: self) || other.isSingle && range.hasSameBounds(as: other)
    return range.isEmpty ? nil : range
  }
}

extension ValueRanges {
  /// Returns the values that are in both.
  func intersection(_ other: ValueRanges) -> ValueRanges {
    var common: [ByteRange] = []
    for range in ranges {
      for theirs in other.ranges { if let both = range.intersection(theirs) { common.append(both) } }
    }
    return ValueRanges(path: path, ranges: common, isExact: isExact && other.isExact)
  }
}
