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
    Self.forEach(in: bytes[...]) { records.append(Record(key: Array($0), value: Array($1))) }
  }

  /// Returns the last value of a key without making records of the others.
  static func value(of key: StaticString, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    forEach(in: bytes) { recordKey, value in
      if unsafe recordKey.elementsEqual(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)) {
        found = value
      }
    }
    return found
  }

  /// Passes on the keys and values of well-formed records, up to the first byte that belongs to none.
  private static func forEach(
    in bytes: ArraySlice<UInt8>, _ body: (_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void
  ) {
    var rest = bytes
    while let space = rest.prefix(10).firstIndex(of: UInt8(ascii: " ")), let count = number(rest[..<space]),
      count > space - rest.startIndex + 2, count <= rest.count
    {
      let end = rest.startIndex + count
      let text = rest[(space + 1)..<(end - 1)]
      guard rest[end - 1] == UInt8(ascii: "\n"), let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return }
      body(text[..<equals], text[(equals + 1)...])
      rest = rest[end...]
    }
  }

  /// Returns the number that up to nine decimal digits stand for; nil for anything else.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return digits.isEmpty ? nil : number
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
