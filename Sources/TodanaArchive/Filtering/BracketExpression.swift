/// Reads `[abc]`, `[a-z]`, `[!a]`, `[^a]`, `[[:digit:]]` and their mixtures.
///
/// Source: POSIX.1-2017, XCU 2.13.1, with what Git does where POSIX leaves it open (gitignore(5), wildmatch.c): a
/// backslash escapes within brackets, `^` negates like `!`, a `]` that comes first stands for itself, `/` is never
/// matched.
enum BracketExpression {
  /// Reads one expression.
  ///
  /// - Parameters:
  ///   - pattern: All of it.
  ///   - start: The index of the `[`.
  ///   - foldsCase: The two cases of an ASCII letter count as one.
  /// - Returns: The bytes that it matches, and the index behind its `]`.
  /// - Throws: Where it is not closed, or names no class of POSIX: then no name matches the pattern.
  static func read(
    _ pattern: [UInt8], at start: Int, foldsCase: Bool
  ) throws(PatternFlaw) -> (set: ByteSet, end: Int) {
    var reader = Reader(pattern: pattern, index: start + 1)
    let isNegated = reader.skipNegation()
    repeat { try reader.readItem() } while !reader.isAtEnd
    if foldsCase { reader.set.addOtherCases() }
    if isNegated { reader.set.invert() }
    reader.set.remove(UInt8(ascii: "/"))
    return (reader.set, reader.index + 1)
  }

  private struct Reader {
    let pattern: [UInt8]
    var index: Int
    var set = ByteSet()
    /// The single byte before, which a `-` makes the start of a range.
    var rangeStart: UInt8?

    init(pattern: [UInt8], index: Int) {
      self.pattern = pattern
      self.index = index
    }

    var isAtEnd: Bool { index < pattern.count && pattern[index] == UInt8(ascii: "]") }

    mutating func skipNegation() -> Bool {
      guard index < pattern.count else { return false }
      guard pattern[index] == UInt8(ascii: "!") || pattern[index] == UInt8(ascii: "^") else { return false }
      index += 1
      return true
    }

    mutating func readItem() throws(PatternFlaw) {
      let byte = try take()
      if byte == UInt8(ascii: "-"), let low = rangeStart, index < pattern.count, !isAtEnd {
        var high = try take()
        if high == UInt8(ascii: "\\") { high = try take() }
        // The low end is in the set already, so `[z-a]` matches z, as it does for Git.
        if low <= high { set.insert(low...high) }
        rangeStart = nil
      } else if byte == UInt8(ascii: "["), index < pattern.count, pattern[index] == UInt8(ascii: ":") {
        try readClass()
      } else {
        let single = byte == UInt8(ascii: "\\") ? try take() : byte
        set.insert(single)
        rangeStart = single
      }
    }

    /// Reads `:name:]`; where the `:` before the `]` is missing, the `[` that came before stands for itself.
    private mutating func readClass() throws(PatternFlaw) {
      let nameStart = index + 1
      guard let close = pattern[nameStart...].firstIndex(of: UInt8(ascii: "]")) else { throw .openBracket }
      guard close > nameStart, pattern[close - 1] == UInt8(ascii: ":") else {
        set.insert(UInt8(ascii: "["))
        rangeStart = UInt8(ascii: "[")
        return
      }
      guard let bytes = CharacterClass.bytes(named: pattern[nameStart..<(close - 1)]) else { throw .unknownClass }
      set.formUnion(bytes)
      rangeStart = nil
      index = close + 1
    }

    private mutating func take() throws(PatternFlaw) -> UInt8 {
      guard index < pattern.count else { throw .openBracket }
      defer { index += 1 }
      return pattern[index]
    }
  }
}
