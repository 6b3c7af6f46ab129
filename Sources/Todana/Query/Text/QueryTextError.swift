/// An error in the text of a query, with its place.
///
/// ```
/// Song has no field "titel"; its fields are "title", "seconds".
/// seconds > 200 AND titel = 'Blue'
///                   ^
/// ```
public struct QueryTextError: Error, Sendable, CustomStringConvertible {
  public let code: Code
  /// The error in plain words, without its place.
  public let message: String
  /// The number of characters before the place in the text.
  public let position: Int
  private let excerpt: String

  @nonexhaustive
  public enum Code: Sendable {
    /// The text does not follow the grammar.
    case syntax
    /// The class has no field of this name.
    case unknownField
    /// The field does not accept an operator or a value.
    case typeMismatch
    /// The numbers of question marks and arguments differ.
    case wrongArgumentCount
    /// Parentheses are nested more than 100 times.
    case tooDeep
    /// The text is longer than 64 KiB.
    case tooLong
    /// The class's list of fields is invalid.
    ///
    /// Two fields have the same name, a name is empty or contains a NUL, or a field is not a property of the class.
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

  /// The number of characters that are shown on either side of the place.
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
