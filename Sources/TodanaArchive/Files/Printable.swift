/// Returns a name as one line of text that is safe to print to a terminal.
///
/// Control and format characters, line and paragraph separators, and bytes that are not UTF-8 are written as `\xHH` for
/// each byte. Format characters can, for example, reverse the direction of text. A backslash is doubled, so that
/// different names stay different.
package func printable(_ name: [UInt8]) -> String { escaped(name, doublesBackslashes: true) }

/// Returns a name as one line of text that is safe to print to a terminal; see ``printable(_:)-([UInt8])``.
func printable(_ name: String) -> String { printable(Array(name.utf8)) }

/// Returns a message as one line of text that is safe to print to a terminal.
///
/// Escapes as ``printable(_:)-([UInt8])`` does, but leaves backslashes unchanged: names in the message are already
/// escaped.
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
  /// Whether the scalar neither moves the cursor, ends a line, nor changes the direction of text.
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
