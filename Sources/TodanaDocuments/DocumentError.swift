/// An error of a document, a value or a path.
public struct DocumentError: Error, Sendable, CustomStringConvertible {
  public let code: Code
  /// The error in plain words.
  public let message: String
  /// The number of bytes before the error in a text or in stored bytes; nil if the error has no such place.
  public let byteOffset: Int?

  @nonexhaustive
  public enum Code: Sendable {
    /// A value has another kind than an operation needs.
    case wrongKind
    /// An index is beyond the end of an array.
    case indexOutOfRange
    /// A number has no exact representation where one is needed.
    case numberOutOfRange
    /// Arrays and dictionaries are nested more than 100 levels deep.
    case tooDeep
    /// A document is larger than the limit.
    case tooLarge
    /// A text is no JSON, or no property list.
    case invalidText
    /// Stored bytes are no document.
    case invalidBytes
    /// The content of a document cannot be loaded.
    case notLoaded
    /// A key is in use, or leads to another document.
    case invalidKey
    /// An object cannot be a member of a bag.
    case invalidMember
    /// A value cannot be converted to a type or a format.
    case notConvertible
  }

  init(_ code: Code, _ message: String, at byteOffset: Int? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
  }

  public var description: String { byteOffset.map { "\(message), at byte \($0)" } ?? message }
}
