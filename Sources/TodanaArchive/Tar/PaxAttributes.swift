/// Extended attributes as records of pax.
///
/// "SCHILY.xattr.<name>" with the value as it is: what star began and GNU tar, libarchive and Python know. A name may
/// have "=", which would end the key: GNU tar writes that and "%" as "%3D" and "%25".
enum PaxAttributes {
  static let prefix = Array("SCHILY.xattr.".utf8)
  private static let (percent, equals) = (UInt8(ascii: "%"), UInt8(ascii: "="))

  static func key(of name: [UInt8]) -> [UInt8] {
    prefix
      + name.flatMap { byte in
        byte == percent ? Array("%25".utf8) : byte == equals ? Array("%3D".utf8) : [byte]
      }
  }

  /// The name that a key means; nil for a key of something else.
  ///
  /// libarchive writes more bytes than GNU tar in this way, so all are read.
  static func name(of key: [UInt8]) -> [UInt8]? {
    guard key.starts(with: prefix) else { return nil }
    var name: [UInt8] = []
    var rest = key.dropFirst(prefix.count)
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == percent, digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
        value > 0, digits.first != UInt8(ascii: "+")
      {
        name.append(value)
        rest = rest.dropFirst(2)
      } else {
        name.append(byte)
      }
    }
    return name.isEmpty || name.contains(0) ? nil : name
  }
}
