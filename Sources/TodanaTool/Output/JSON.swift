import Foundation

/// Prints a value as JSON on one line: a report, or one value of a list.
///
/// Every command with `--json` uses this form. `docs/formats/tool-json.md` describes the fields of each command.
func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.dateEncodingStrategy = .iso8601
  try StandardOutput.line(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// A path in a JSON report: its text, and its bytes if they are not UTF-8.
struct PathReport {
  let text: String
  /// The bytes of a path that is not UTF-8; nil for any other path.
  let bytes: Data?

  init(_ path: [UInt8]) {
    text = String(decoding: path, as: UTF8.self)
    bytes = String(validating: path, as: UTF8.self) == nil ? Data(path) : nil
  }

  /// Creates the report of a path of the command line.
  init(typed path: String) { self.init(TypedArguments.bytes(path)) }
}

/// Several paths in a JSON report: their texts, and the bytes of all of them if one is not UTF-8.
struct PathsReport {
  let texts: [String]
  /// The bytes of all paths, in the same order; nil if all paths are UTF-8.
  let bytes: [Data]?

  init(_ paths: [[UInt8]]) {
    let reports = paths.map { PathReport($0) }
    texts = reports.map(\.text)
    bytes = reports.contains { $0.bytes != nil } ? paths.map { Data($0) } : nil
  }
}
