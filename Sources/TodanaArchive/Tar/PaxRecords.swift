/// The records of a pax extended header: keys with values of arbitrary bytes, in order.
///
/// Each record is "<byte count> <key>=<value>\n", and the count includes the record itself (POSIX, pax, "pax Extended
/// Header").
struct PaxRecords: Equatable {
  struct Record: Equatable {
    var key: [UInt8]
    var value: [UInt8]
  }

  /// The maximum length of records that libarchive and others read; a longer header is refused.
  static let byteCountLimit = 1 << 20

  var records: [Record] = []

  init() {}

  /// Parses well-formed records, up to the first byte that belongs to none.
  init(_ bytes: [UInt8]) { append(bytes) }

  mutating func append(_ bytes: [UInt8]) {
    Self.forEach(in: bytes[...]) { records.append(Record(key: Array($0), value: Array($1))) }
  }

  /// Returns the last value of a key, without creating records of the others.
  static func value(of key: StaticString, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var found: ArraySlice<UInt8>?
    forEach(in: bytes) { recordKey, value in
      if unsafe recordKey.elementsEqual(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)) {
        found = value
      }
    }
    return found
  }

  /// Calls back with the keys and values of well-formed records, up to the first byte that belongs to none.
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

  /// Parses up to nine decimal digits; returns nil for any other text.
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
      // Add blank, equals sign and newline; then the digits of the count itself, which may make it longer.
      let rest = record.key.count + record.value.count + 3
      var count = rest + String(rest).utf8.count
      count = rest + String(count).utf8.count
      bytes += Array("\(count) ".utf8) + record.key + [UInt8(ascii: "=")] + record.value + [UInt8(ascii: "\n")]
    }
    return bytes
  }

  /// The last value of a key, which overrides earlier ones.
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

/// Extended attributes as pax records.
///
/// The key is "SCHILY.xattr.<name>", and the value is unchanged, as star introduced it and GNU tar, libarchive and
/// Python read it. A "=" in a name would end the key, so "=" and "%" are written as "%3D" and "%25", as by GNU tar.
enum PaxAttributes {
  static let prefix = Array("SCHILY.xattr.".utf8)
  private static let (percent, equals) = (UInt8(ascii: "%"), UInt8(ascii: "="))

  static func key(of name: [UInt8]) -> [UInt8] {
    prefix
      + name.flatMap { byte in
        byte == percent ? Array("%25".utf8) : byte == equals ? Array("%3D".utf8) : [byte]
      }
  }

  /// Returns the attribute name of a key; nil for another kind of key.
  ///
  /// All percent-encoded bytes are decoded, as libarchive encodes more of them than GNU tar.
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

/// Times as pax writes them: seconds as a signed decimal number, with up to nine digits after the point.
///
/// libarchive differs for times before 1970: it writes the seconds rounded down, then the fraction, and reads them so.
/// For -0.5 it writes "-1.5". POSIX, GNU tar and Python take the number literally, and so does this type.
enum PaxTime {
  static func text(of time: FileTime) -> [UInt8] {
    guard time.nanoseconds > 0 else { return Array(String(time.seconds).utf8) }
    let isNegative = time.seconds < 0
    let seconds = isNegative ? -(time.seconds + 1) : time.seconds
    let digits = String(isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds)
    let fraction = String(repeating: "0", count: 9 - digits.count) + digits
    return Array("\(isNegative ? "-" : "")\(seconds).\(fraction)".utf8)
  }

  /// Parses a time; nil if the text is not a number, or too large for a time.
  static func time(of text: [UInt8]) -> FileTime? {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let whole = parts.first, !whole.isEmpty, parts.allSatisfy({ $0.allSatisfy(digits.contains) }),
      let seconds = Int64((isNegative ? "-" : "") + String(decoding: whole, as: UTF8.self))
    else { return nil }
    let fraction = parts.count > 1 ? Array(parts[1].prefix(9)) : []
    var nanoseconds: UInt32 = 0
    for index in 0..<9 {
      nanoseconds = nanoseconds * 10 + (index < fraction.count ? UInt32(fraction[index] - digits.lowerBound) : 0)
    }
    guard isNegative, nanoseconds > 0 else { return FileTime(seconds: seconds, nanoseconds: nanoseconds) }
    return seconds == .min ? nil : FileTime(seconds: seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds)
  }
}

/// File flags as the pax record "SCHILY.fflags": names separated by commas, as star and libarchive (bsdtar) write them.
extension FileFlags {
  static let tarKey = "SCHILY.fflags"

  /// The names of each flag: libarchive's preferred name first, then others that it reads.
  ///
  /// ``notCompressed`` has no name.
  private static let tarNames: [(flag: FileFlags, names: [String])] = [
    (.appendOnly, ["sappnd", "sappend"]), (.immutable, ["schg", "schange", "simmutable"]), (.noDump, ["nodump"]),
    (.noAccessTime, ["noatime"]), (.compressed, ["compress"]), (.noCopyOnWrite, ["nocow"]),
    (.synchronous, ["sync"]), (.synchronousDirectory, ["dirsync"]), (.journalData, ["journal-data", "journal"]),
    (.noTail, ["notail"]), (.topOfTree, ["topdir"]), (.undeletable, ["undel"]),
    (.secureDeletion, ["securedeletion"]),
  ]

  /// The names of the flags that tar has names for; nil if there are none.
  var tarText: [UInt8]? {
    let names = Self.tarNames.filter { contains($0.flag) }.map { $0.names[0] }
    return names.isEmpty ? nil : Array(names.joined(separator: ",").utf8)
  }

  /// Parses the names; names without a Linux flag, such as "arch", are skipped.
  init(tarText: [UInt8]) {
    self = []
    for name in tarText.split(separator: UInt8(ascii: ",")) {
      for (flag, names) in Self.tarNames where names.contains(where: { name.elementsEqual($0.utf8) }) { insert(flag) }
    }
  }
}
