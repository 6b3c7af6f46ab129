/// A format of files that contain rows: documents, or values of a collection.
///
/// | format | a file | a row |
/// |---|---|---|
/// | JSON lines | UTF-8; a JSON object on each line | a line that is not blank |
/// | JSON array | UTF-8; one JSON array | an element, which is an object |
/// | CSV | UTF-8; RFC 4180 | a row after the header |
/// | property list | XML or binary; an array | an element, which is a dictionary |
///
/// A byte order mark of UTF-8 is accepted, and lines may end with CRLF.
public enum RowFormat: Sendable {
  /// JSON lines, which are read and written row by row.
  case jsonLines(JSONForm = .extended)
  /// A JSON array, which is read and written element by element.
  case jsonArray(JSONForm = .extended)
  /// CSV, which is read and written row by row.
  case csv(CSVFormat = CSVFormat())
  /// A property list. Its files are in memory as a whole while they are read or written, and have at most 64 MiB.
  case propertyList(isBinary: Bool = false)

  /// Guesses the format from the extension of a file: `jsonl`, `ndjson`, `json`, `csv`, `tsv` or `plist`.
  ///
  /// - Returns: Nil for another extension.
  public init?(pathExtension: String) {
    switch pathExtension.lowercased() {
    case "jsonl", "ndjson": self = .jsonLines()
    case "json": self = .jsonArray()
    case "csv": self = .csv()
    case "tsv": self = .csv(CSVFormat(delimiter: "\t"))
    case "plist": self = .propertyList()
    default: return nil
    }
  }

  /// The name, which the position of an unfinished import contains.
  var name: String {
    switch self {
    case .jsonLines: "jsonl"
    case .jsonArray: "json"
    case .csv: "csv"
    case .propertyList: "plist"
    }
  }
}
