/// Returns a name as text on one line that does nothing to a terminal.
///
/// Control characters, format characters such as those that reverse the direction of text, separators of lines and
/// paragraphs, and bytes that are not UTF-8 become `\xHH`, one for each byte. A backslash is doubled, so different names
/// stay different.
package func printable(_ name: [UInt8]) -> String { escaped(name, doublesBackslashes: true) }

/// Returns a name as text on one line that does nothing to a terminal.
func printable(_ name: String) -> String { printable(Array(name.utf8)) }

/// Returns a message as text on one line that does nothing to a terminal.
///
/// Escapes as ``printable(_:)-([UInt8])`` does, but leaves backslashes as they are: names in the message are escaped
/// already.
package func printableMessage(_ message: [UInt8]) -> String { escaped(message, doublesBackslashes: false) }

private let backslash = UInt8(ascii: "\\")

private func escaped(_ bytes: [UInt8], doublesBackslashes: Bool) -> String {
  let isPlain = bytes.allSatisfy { 0x20..<0x7F ~= $0 && (!doublesBackslashes || $0 != backslash) }
  if isPlain { return String(decoding: bytes, as: UTF8.self) }
  var text = ""
  forEachScalar(of: bytes) { scalar, encoded in
    if let scalar, scalar.isPrintable {
      text += doublesBackslashes && scalar == "\\" ? "\\\\" : String(scalar)
    } else {
      text += encoded.map(escaped).joined()
    }
  }
  return text
}

private func escaped(_ byte: UInt8) -> String { (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16) }

extension Unicode.Scalar {
  /// Whether the scalar neither moves the cursor, nor ends a line, nor turns the direction of text.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
