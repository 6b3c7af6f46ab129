// How many columns of a terminal text takes, which is not its number of characters: an ideograph takes two.
extension Unicode.Scalar {
  /// The columns that it takes: 0 for a mark on the character before it, 2 for wide characters.
  ///
  /// As of the Unicode version in WideCharacters.swift. Characters of ambiguous width take one column, as in a terminal
  /// whose language is not an East Asian one.
  var columnCount: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul, which join the consonant before them.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return Self.isWide(value) ? 2 : 1
  }

  /// By halving the ordered table.
  private static func isWide(_ value: UInt32) -> Bool {
    var candidates = wideCharacters[...]
    while let middle = candidates.indices.dropFirst(candidates.count / 2).first {
      let range = candidates[middle]
      if range.contains(value) { return true }
      candidates = value < range.lowerBound ? candidates[..<middle] : candidates[(middle + 1)...]
    }
    return false
  }
}

extension StringProtocol {
  /// The columns that the text takes in a terminal.
  ///
  /// It has no characters that move the cursor.
  var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }

  /// The longest beginning that takes at most so many columns; no character is cut.
  func prefix(columns: Int) -> String {
    var room = columns
    return String(
      prefix { character in
        room -= String(character).columnCount
        return room >= 0
      })
  }

  /// The longest end that takes at most so many columns; no character is cut.
  func suffix(columns: Int) -> String {
    var room = columns
    let end = reversed().prefix { character in
      room -= String(character).columnCount
      return room >= 0
    }
    return String(end.reversed())
  }

  /// The text, or its beginning and its end with “…” between them, in at most so many columns.
  func shortened(toColumns columns: Int) -> String {
    if columnCount <= columns { return String(self) }
    let room = Swift.max(0, columns - 1)
    let end = suffix(columns: room / 2)
    return prefix(columns: room - end.columnCount) + "…" + end
  }

  /// Adds spaces after the text, or before a number, so that it takes so many columns.
  func padded(toColumns columns: Int, isNumber: Bool = false) -> String {
    let space = String(repeating: " ", count: Swift.max(0, columns - columnCount))
    return isNumber ? space + self : self + space
  }
}
