import Foundation
import TodanaArchive

/// Returns a count with its noun, such as "1 record" or "1,234 records".
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(formattedCount(count)) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Returns a number with commas in every locale, so that outputs can be compared.
func formattedCount(_ count: Int) -> String {
  let digits = Array("\(count.magnitude)")
  let groups = stride(from: digits.count, to: 0, by: -3).map { String(digits[max(0, $0 - 3)..<$0]) }
  return (count < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
}

/// Returns a size for people: "512 B", "4.1 kB", "31 MB".
func formattedSize(_ byteCount: Int) -> String {
  var value = Double(byteCount)
  for unit in ["B", "kB", "MB", "GB"] {
    if value < 999.5 { return shortened(value, isWhole: unit == "B") + " " + unit }
    value /= 1000
  }
  return shortened(value, isWhole: false) + " TB"
}

/// Returns at least two digits, unless the value is a whole number.
private func shortened(_ value: Double, isWhole: Bool) -> String {
  isWhole || value >= 9.95 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
}

/// Returns a fraction of 1 as a percentage, with two digits after the point if it is less than 1 %.
func formattedPercentage(_ part: Double) -> String {
  let percent = part * 100
  guard percent > 0, percent < 0.995 else { return "\(Int(percent.rounded())) %" }
  return percent < 0.005 ? "less than 0.01 %" : "\((percent * 100).rounded() / 100) %"
}

/// Returns a date for people: "2026-11-22 14:05:09", in the time zone of the machine.
func formattedDate(_ date: Date) -> String { dateFormatter.string(from: date) }

/// The formatter, which is shared because a long list has a date in each line.
private let dateFormatter = {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
  return formatter
}()

/// Parses a date such as "2026-11-22", "2026-11-22 14:05" or "2026-11-22 14:05:09".
///
/// Those are in the time zone of the machine. A date with a zone is also accepted: "2026-11-22T14:05:09Z". Returns nil
/// for any other text.
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

/// Returns a name from a store or the command line as text without control characters for a terminal.
///
/// The function of the same name for bytes describes the form.
func printable(_ name: String) -> String { printable(TypedArguments.bytes(name)) }

/// Returns a message as text without control characters for a terminal; names in it are printable already.
func printableMessage(_ message: String) -> String { printableMessage(TypedArguments.bytes(message)) }

/// Returns lines of 78 columns, with 16 bytes each as hexadecimal digits and as ASCII characters.
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
