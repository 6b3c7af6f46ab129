/// A hash database of Tokyo Cabinet, of which all records are read in the order of the file.
///
/// The library itself is not used: it maps the file without checking the numbers in it, and writes back an unfinished
/// transaction even if it opens the file for reading. Debian's build also has another byte order than files of Apple's
/// systems, which it cannot open. Both orders are read here.
final class TokyoHashFile {
  private let file: RandomAccessFile
  private let firstRecord: Int
  private let end: Int
  /// Whether the file is large, and so has references of eight bytes.
  private let isLarge: Bool
  private let isBigEndian: Bool
  let recordCount: Int

  /// The place of a record in the file.
  struct Record {
    let key: [UInt8]
    let valueStart: Int
    let valueByteCount: Int
  }

  private static let magic = Array("ToKyO CaBiNeT".utf8)
  fileprivate static let headerByteCount = 256
  private static let hashType: UInt8 = 0
  private static let largeOption: UInt8 = 1

  static func isDatabase(path: String) -> Bool {
    guard let file = try? RandomAccessFile(path: path), let start = try? file.bytes(at: 0, count: magic.count) else {
      return false
    }
    return start == magic
  }

  init(path: String) throws(LegacyError) {
    if let log = try? RandomAccessFile(path: path + ".wal"), log.byteCount > 0 {
      throw LegacyError(
        .unfinishedTransaction,
        "a transaction was not finished: open the store once with the program that wrote it, and close it there")
    }
    let file = try RandomAccessFile(path: path)
    guard file.byteCount >= Self.headerByteCount else {
      throw LegacyError(.notADatabase, "the file is no database of Tokyo Cabinet, or truncated")
    }
    let header = try file.bytes(at: 0, count: Self.headerByteCount)
    guard header.starts(with: Self.magic), header[32] == Self.hashType else {
      throw LegacyError(.notADatabase, "the file is no hash database of Tokyo Cabinet")
    }
    guard header[36] & ~Self.largeOption == 0 else {
      throw LegacyError(.compressed, "the records are compressed, which BNRPersistence never does")
    }
    let orders = [false, true].map { Places(header, isBigEndian: $0) }
    guard let places = orders.first(where: { $0?.areValid(byteCount: file.byteCount) == true }) ?? nil else {
      throw LegacyError(.damaged, "the file is truncated, or its header is damaged")
    }
    isLarge = header[36] & Self.largeOption != 0
    isBigEndian = places.isBigEndian
    recordCount = places.recordCount
    end = places.end
    firstRecord = places.firstRecord
    self.file = file
  }

  /// The numbers of the header, in one of the two byte orders.
  private struct Places {
    let isBigEndian: Bool
    let recordCount: Int
    let end: Int
    let firstRecord: Int

    init?(_ header: [UInt8], isBigEndian: Bool) {
      func number(_ position: Int) -> Int? {
        Int(exactly: TokyoHashFile.number(header[position..<position + 8], isBigEndian))
      }
      guard let recordCount = number(48), let end = number(56), let firstRecord = number(64) else { return nil }
      self.isBigEndian = isBigEndian
      self.recordCount = recordCount
      self.end = end
      self.firstRecord = firstRecord
    }

    func areValid(byteCount: Int) -> Bool {
      end <= byteCount && firstRecord >= TokyoHashFile.headerByteCount && firstRecord <= end
    }
  }

  /// Calls back with each record; the callback returns whether to go on.
  func forEachRecord(_ body: (Record) throws -> Bool) throws {
    var position = firstRecord
    while position < end {
      switch try file.next(at: position, count: 1).first {
      case 0xB0:
        let byteCount = Int(try number(at: position + 1, byteCount: 4))
        guard byteCount >= 5 else { throw damage(position) }
        position += byteCount
      case 0xC8:
        // After the hash and two references: the padding, and two lengths.
        var next = position + 2 + (isLarge ? 16 : 8)
        let padding = Int(try number(at: next, byteCount: 2))
        next += 2
        let keyByteCount = try length(at: &next)
        let valueByteCount = try length(at: &next)
        guard keyByteCount <= end - next, valueByteCount <= end - next - keyByteCount,
          padding <= end - next - keyByteCount - valueByteCount
        else { throw damage(position) }
        let key = Array(try file.next(at: next, count: keyByteCount))
        next += keyByteCount
        let record = Record(key: key, valueStart: next, valueByteCount: valueByteCount)
        if try !body(record) { return }
        position = next + valueByteCount + padding
      default: throw damage(position)
      }
    }
  }

  func value(of record: Record) throws(LegacyError) -> [UInt8] {
    try file.bytes(at: record.valueStart, count: record.valueByteCount)
  }

  private func damage(_ position: Int) -> LegacyError {
    LegacyError(.damaged, "the block at byte \(position) is damaged: the records after it cannot be found")
  }

  private func number(at position: Int, byteCount: Int) throws(LegacyError) -> UInt64 {
    Self.number(try file.next(at: position, count: byteCount), isBigEndian)
  }

  private static func number(_ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> UInt64 {
    var number: UInt64 = 0
    for byte in bytes { number = isBigEndian ? number << 8 | UInt64(byte) : number >> 8 | UInt64(byte) << 56 }
    return isBigEndian ? number : number >> UInt64(64 - 8 * bytes.count)
  }

  /// Reads a length of seven bits in each byte; a byte with the sign set stands for the bits of its complement.
  private func length(at position: inout Int) throws(LegacyError) -> Int {
    var length = 0
    for shift in stride(from: 0, to: 35, by: 7) {
      let byte = try file.next(at: position, count: 1).first ?? 0
      position += 1
      if byte < 0x80 { return length | Int(byte) << shift }
      length |= Int(~byte) << shift
    }
    throw LegacyError(.damaged, "a length at byte \(position) is damaged")
  }
}
