import Foundation
import TodanaArchive

/// Such as "1 record", "1,234 records".
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(formattedCount(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// A number with commas, whatever the machine's language is: output is compared.
func formattedCount(_ count: Int) -> String {
  let digits = Array("\(count.magnitude)")
  let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
  return (count < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
}

/// A size for people: "512 B", "4.1 kB", "31 MB".
func formattedSize(_ byteCount: Int) -> String {
  var value = Double(byteCount)
  for unit in ["B", "kB", "MB", "GB"] {
    if value < 999.5 { return shortened(value, isWhole: unit == "B") + " " + unit }
    value /= 1000
  }
  return shortened(value, isWhole: false) + " TB"
}

/// Two digits at least of what is not a whole number.
private func shortened(_ value: Double, isWhole: Bool) -> String {
  isWhole || value >= 9.95 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
}

/// A part of 1, as a percentage.
func formattedPercentage(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }

/// A date for people: "2026-11-22 14:05:09", in the time zone of the machine.
func formattedDate(_ date: Date) -> String { dateFormatter.string(from: date) }

/// Made once: a long list has a date in each line.
private let dateFormatter = {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
  return formatter
}()

/// What a person means by "2026-11-22", "2026-11-22 14:05" or "2026-11-22 14:05:09", in the time zone of the machine; nil
/// for anything else.
func date(ofText text: String) -> Date? {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.isLenient = false
  for format in ["yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ssXXXXX"] {
    formatter.dateFormat = format
    if let date = formatter.date(from: text) { return date }
  }
  return nil
}

/// Returns a name of a store or the command line as text that does nothing to a terminal.
///
/// See the same function for bytes.
func printable(_ name: String) -> String { printable(TypedArguments.bytes(name)) }

/// Returns a message as text that does nothing to a terminal; names in the message are printable already.
func printableMessage(_ message: String) -> String { printableMessage(TypedArguments.bytes(message)) }

/// Bytes as 16 columns of hexadecimal digits and the ASCII characters among them, 78 columns wide.
func hexDump(_ bytes: [UInt8]) -> [String] {
  stride(from: 0, to: bytes.count, by: 16).map { start in
    let row = bytes[start..<min(start + 16, bytes.count)]
    let pairs = row.map { hexadecimal(Int($0), digitCount: 2) }
    let left = pairs.prefix(8).joined(separator: " ").padding(toLength: 23, withPad: " ", startingAt: 0)
    let right = pairs.dropFirst(8).joined(separator: " ").padding(toLength: 23, withPad: " ", startingAt: 0)
    let text = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return "\(hexadecimal(start, digitCount: 8))  \(left)  \(right)  |\(text)|"
  }
}

private func hexadecimal(_ value: Int, digitCount: Int) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
