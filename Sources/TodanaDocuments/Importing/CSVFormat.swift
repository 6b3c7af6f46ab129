/// The form of CSV files.
///
/// Quotation marks, line breaks and delimiters within a quoted field are part of it. Spaces are never removed, and blank
/// lines are skipped. A row with another number of fields than there are columns is an error.
public struct CSVFormat: Sendable, Hashable {
  /// The byte between two fields: an ASCII character other than a quotation mark or a line break.
  public var delimiter: Unicode.Scalar
  /// The names of the columns.
  ///
  /// If they are nil, a file is read with the names of its first row, and written with the
  /// keys of the documents. If they are set, a file that is read has no header.
  public var columnNames: [String]?
  /// The way in which fields become values.
  public var fieldTypes: FieldTypes
  /// Whether `address.city` is the key `city` of a dictionary `address`, and not one key.
  public var nestsDottedNames: Bool
  /// The ends of lines that are written.
  public var lineEnding: LineEnding

  /// The way in which fields become values.
  ///
  /// An empty field without quotation marks is a missing value in any case.
  public enum FieldTypes: Sendable, Hashable {
    /// Numbers, Booleans and dates are recognized; all other fields are texts.
    ///
    /// A field is a number only if the number is written with the same characters: `7` and `-0.5`, but not `007`, `1e3`
    /// or `1.50`. `true` and `false` are Booleans, and a date has the form `2026-11-30T08:15:21Z`. Quotation marks make
    /// no difference.
    case inferred
    /// All fields are texts.
    case texts
  }

  public enum LineEnding: String, Sendable, Hashable {
    case lf = "\n"
    case crlf = "\r\n"
  }

  public init(
    delimiter: Unicode.Scalar = ",", columnNames: [String]? = nil, fieldTypes: FieldTypes = .inferred,
    nestsDottedNames: Bool = false, lineEnding: LineEnding = .lf
  ) {
    self.delimiter = delimiter
    self.columnNames = columnNames
    self.fieldTypes = fieldTypes
    self.nestsDottedNames = nestsDottedNames
    self.lineEnding = lineEnding
  }

  /// The delimiter as a byte; nil if it cannot be one.
  var delimiterByte: UInt8? {
    guard delimiter.isASCII, !"\"\r\n\0".unicodeScalars.contains(delimiter) else { return nil }
    return UInt8(delimiter.value)
  }
}
