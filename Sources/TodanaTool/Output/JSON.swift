import Foundation

/// Prints a report as one JSON document.
func printJSON(_ value: some Encodable) throws {
  try StandardOutput.line(try text(of: value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]))
}

/// Prints one of many values as JSON, on a line of its own.
func printJSONLine(_ value: some Encodable) throws {
  try StandardOutput.line(try text(of: value, [.sortedKeys, .withoutEscapingSlashes]))
}

private func text(of value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = formatting
  encoder.dateEncodingStrategy = .iso8601
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}
