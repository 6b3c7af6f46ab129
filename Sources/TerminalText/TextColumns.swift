// The width of text in columns of a terminal, which differs from the number of characters: an ideograph takes two.
extension Unicode.Scalar {
  /// The number of columns: 0 for a combining mark, 2 for a wide character, otherwise 1.
  ///
  /// The widths are those of the Unicode version in WideCharacters.swift. Characters of ambiguous width take one
  /// column, as in a terminal without an East Asian locale.
  package var columnCount: Int {
    if value < 0x300 { return 1 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and final consonants of Hangul combine with the consonant before them.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return Self.isWide(value) ? 2 : 1
  }

  /// Searches the sorted table by bisection.
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
  /// The number of columns of the text in a terminal.
  ///
  /// The text must not contain characters that move the cursor.
  package var columnCount: Int { unicodeScalars.reduce(0) { $0 + $1.columnCount } }

  /// Returns the longest prefix of whole characters that takes at most the given number of columns.
  package func prefix(columns: Int) -> String {
    var room = columns
    return String(
      prefix { character in
        room -= String(character).columnCount
        return room >= 0
      })
  }

  /// Returns the longest suffix of whole characters that takes at most the given number of columns.
  package func suffix(columns: Int) -> String {
    var room = columns
    let end = reversed().prefix { character in
      room -= String(character).columnCount
      return room >= 0
    }
    return String(end.reversed())
  }

  /// Returns the text in at most the given number of columns, with “…” in place of its middle if it is too long.
  package func shortened(toColumns columns: Int) -> String {
    if columnCount <= columns { return String(self) }
    let room = Swift.max(0, columns - 1)
    let end = suffix(columns: room / 2)
    return prefix(columns: room - end.columnCount) + "…" + end
  }

  /// Adds spaces after the text, or before a number, up to the given number of columns.
  package func padded(toColumns columns: Int, isNumber: Bool = false) -> String {
    let space = String(repeating: " ", count: Swift.max(0, columns - columnCount))
    return isNumber ? space + self : self + space
  }
}
