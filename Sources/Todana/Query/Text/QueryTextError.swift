/// What is wrong with a query in a text, and where.
///
/// ```
/// Song has no field "titel"; its fields are "title", "seconds".
/// seconds > 200 AND titel = 'Blue'
///                   ^
/// ```
public struct QueryTextError: Error, Sendable, CustomStringConvertible {
  public let code: Code
  /// In plain words, without the place.
  public let message: String
  /// How many characters stand before the place in the text.
  public let position: Int
  private let excerpt: String

  @nonexhaustive
  public enum Code: Sendable {
    /// The text is none that ``Field`` and the grammar know.
    case syntax
    /// The class has no field of this name.
    case unknownField
    /// A field does not take an operator or a value.
    case typeMismatch
    /// There are more question marks than arguments, or fewer.
    case wrongArgumentCount
    /// Parentheses stand within each other more than 100 times.
    case tooDeep
    /// The text is longer than 64 KiB.
    case tooLong
    /// The class's list of fields cannot be: two have one name, or a name is empty or contains a NUL.
    case invalidField
  }

  init(_ code: Code, _ message: String, in text: String, at byteOffset: Int) {
    self.code = code
    self.message = message
    let place = text.utf8.index(text.startIndex, offsetBy: byteOffset, limitedBy: text.endIndex) ?? text.endIndex
    position = text.distance(from: text.startIndex, to: place)
    excerpt = Self.excerpt(of: Array(text), at: position)
  }

  /// The message, then the line of the text and a mark below the place.
  public var description: String { "\(message)\n\(excerpt)" }

  /// More than this is not shown on either side.
  private static let shownCount = 50

  private static func excerpt(of characters: [Character], at position: Int) -> String {
    var start = position
    while start > 0, position - start < shownCount, !characters[start - 1].isNewline { start -= 1 }
    var end = position
    while end < characters.count, end - position < shownCount, !characters[end].isNewline { end += 1 }
    let isCut = start > 0 && !characters[start - 1].isNewline
    var line = isCut ? "…" : ""
    for character in characters[start..<end] {
      let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
      line.append(isControl ? " " : character)
    }
    if end < characters.count, !characters[end].isNewline { line += "…" }
    return line + "\n" + String(repeating: " ", count: position - start + (isCut ? 1 : 0)) + "^"
  }
}
