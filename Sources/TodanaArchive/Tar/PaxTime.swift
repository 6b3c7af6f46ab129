/// Times as pax writes them: seconds as a decimal number, of any sign, with up to nine digits behind the point.
///
/// libarchive writes the whole seconds rounded down and the rest behind the point, so that -0.5 becomes "-1.5", and reads
/// them so. POSIX, GNU tar and Python mean the number that is written; so does this.
enum PaxTime {
  static func text(of time: FileTime) -> [UInt8] {
    guard time.nanoseconds > 0 else { return Array(String(time.seconds).utf8) }
    let isNegative = time.seconds < 0
    let seconds = isNegative ? -(time.seconds + 1) : time.seconds
    let digits = String(isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds)
    let fraction = String(repeating: "0", count: 9 - digits.count) + digits
    return Array("\(isNegative ? "-" : "")\(seconds).\(fraction)".utf8)
  }

  /// Nil for what is no number, or too large for a time.
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
