/// The records of a pax extended header: keys with values of any bytes, in order.
///
/// POSIX, pax, "pax Extended Header": each is "<byte count> <key>=<value>\n", and counts itself.
struct PaxRecords: Equatable {
  struct Record: Equatable {
    var key: [UInt8]
    var value: [UInt8]
  }

  /// What libarchive and others read of them; a header with more is refused.
  static let byteCountLimit = 1 << 20

  var records: [Record] = []

  init() {}

  /// Reads what is well-formed, up to the first byte that is not.
  init(_ bytes: [UInt8]) { append(bytes) }

  mutating func append(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let space = rest.prefix(10).firstIndex(of: UInt8(ascii: " ")),
      let count = Int(String(decoding: rest[..<space], as: UTF8.self)),
      count > space - rest.startIndex + 2, count <= rest.count
    {
      let end = rest.startIndex + count
      let text = rest[(space + 1)..<(end - 1)]
      guard rest[end - 1] == UInt8(ascii: "\n"), let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return }
      records.append(Record(key: Array(text[..<equals]), value: Array(text[(equals + 1)...])))
      rest = rest[end...]
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for record in records {
      // With blank, equals sign and end of line; then as often as the digits of the sum make it longer.
      let rest = record.key.count + record.value.count + 3
      var count = rest + String(rest).utf8.count
      count = rest + String(count).utf8.count
      bytes += Array("\(count) ".utf8) + record.key + [UInt8(ascii: "=")] + record.value + [UInt8(ascii: "\n")]
    }
    return bytes
  }

  /// The last value of a key: a later record overrides.
  subscript(key: String) -> [UInt8]? {
    get { records.last { $0.key.elementsEqual(key.utf8) }?.value }
    set {
      records.removeAll { $0.key.elementsEqual(key.utf8) }
      if let newValue { append(key, newValue) }
    }
  }

  mutating func append(_ key: String, _ value: [UInt8]) {
    records.append(Record(key: Array(key.utf8), value: value))
  }
}
