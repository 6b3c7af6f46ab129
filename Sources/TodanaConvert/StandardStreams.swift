import Foundation

/// Writes a text to the standard error; a text that cannot be written is dropped.
func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

/// Writes a message with the name of the program before it.
func report(_ message: String) { write("todana-convert: \(printable(message))\n") }

/// Returns a text without control characters, which names in a file could send to the terminal.
func printable(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator:
      result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Returns a count with its noun, such as "1 object" or "1,234 objects".
func counted(_ count: Int, _ noun: String) -> String {
  let digits = Array("\(count)")
  let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
  return "\(groups.reversed().joined(separator: ",")) \(noun)\(count == 1 ? "" : "s")"
}
