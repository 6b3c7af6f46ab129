/// Bytes of names and patterns as text that is safe to print.
///
/// UTF-8 stays as it is; control characters, which could drive a terminal, and bytes that are not UTF-8 become `\xNN`,
/// and a backslash stays a backslash: this is for reading, not for reading back.
enum PrintableBytes {
  static func text(of bytes: [UInt8]) -> String {
    var text = ""
    var parser = UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        let scalar = UTF8.decode(encoded)
        if scalar.properties.generalCategory == .control {
          for byte in encoded { text += escaped(byte) }
        } else {
          text.unicodeScalars.append(scalar)
        }
        offset += encoded.count
      case .error(let length):
        for byte in bytes[offset..<(offset + length)] { text += escaped(byte) }
        offset += length
      case .emptyInput:
        return text
      }
    }
  }

  private static func escaped(_ byte: UInt8) -> String {
    (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
  }
}
