/// An error of an import, with its place in the file.
///
/// All rows before the place of the error are saved: ``savedRowCount``. Only for ``Code/notSaved`` the last batch is not.
public struct ImportError: Error, Sendable, CustomStringConvertible {
  public let code: Code
  /// The error in plain words, without its place.
  public let message: String
  /// The number of the line, from 1; nil if the error has no place in a text.
  public let lineNumber: Int?
  /// The number of the character in its line, from 1; nil if it is unknown.
  public let column: Int?
  /// The number of bytes before the error, or before the row that has it; nil if it is unknown.
  public let byteOffset: Int?
  /// The number of rows of the file that are saved, including those of earlier imports that this one has continued.
  public internal(set) var savedRowCount = 0
  /// The error that was the reason, such as `UniqueViolation` or ``DocumentError``.
  public let underlying: (any Error)?

  @nonexhaustive
  public enum Code: Sendable {
    /// The file cannot be opened or read.
    case cannotRead
    /// The file is no text of the format.
    case invalidText
    /// The file has another encoding than UTF-8.
    case wrongEncoding
    /// A row is larger than ``ImportOptions/rowByteLimit``, or a file is too large for its format.
    case tooLarge
    /// A row of CSV has more or fewer fields than there are columns.
    case wrongFieldCount
    /// Two columns have the same name, or one is the beginning of another's path.
    case invalidColumns
    /// A quoted field of CSV has no end.
    case unterminatedQuote
    /// A row cannot be a document, such as a number or a document over the collection's limit.
    case invalidRow
    /// A row has a value that a unique index has already.
    case notUnique
    /// The store has unsaved changes, which the import would save.
    case unsavedChanges
    /// The unfinished import was one of another file, or of this file before it was changed.
    case otherFile
    /// There is no unfinished import to resume.
    case nothingToResume
    /// An import of the same file is unfinished: resume it, or forget it by
    /// ``DocumentCollection/forgetUnfinishedImport()``.
    case unfinished
    /// The task was cancelled.
    case cancelled
    /// A batch cannot be saved; the underlying error has the reason.
    case notSaved
    /// An option has an invalid value.
    case invalidOption
  }

  init(_ code: Code, _ message: String, _ place: RowPlace? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    lineNumber = place?.lineNumber
    column = place?.column
    byteOffset = place?.byteOffset
    self.underlying = underlying
  }

  public var description: String {
    let place = lineNumber.map { line in "line \(line)" + (column.map { ", column \($0)" } ?? "") + ": " } ?? ""
    let saved = savedRowCount > 0 ? " (\(savedRowCount) rows are saved)" : ""
    return place + message + saved
  }
}

/// A place in a file of rows.
struct RowPlace: Sendable, Equatable {
  /// The number of bytes before the place.
  var byteOffset = 0
  /// The number of the line, from 1; nil if the format has no lines.
  var lineNumber: Int?
  /// The number of the character in its line, from 1; nil if it is unknown.
  var column: Int?
}
