import CTokyoCabinet
import Foundation

/// A hash database that Tokyo Cabinet makes, with the settings of BNRPersistence.
///
/// Debian's library writes numbers with the most significant byte first. They are swapped here, because the files of
/// BNRPersistence have the other order.
enum TokyoSample {
  struct Failure: Error { let message: String }

  /// Writes records, and removes keys afterwards.
  static func write(
    _ records: [(key: [UInt8], value: [UInt8])], removing removed: [[UInt8]] = [], isLarge: Bool = false,
    isSwapped: Bool = true, to path: String
  ) throws {
    defer { if isSwapped { try? swap(path, isLarge: isLarge) } }
    if FileManager.default.fileExists(atPath: path) { try swap(path, isLarge: isLarge) }
    // The database is deleted before the function returns.
    let database = unsafe tchdbnew()
    defer { unsafe tchdbdel(database) }
    if isLarge { _ = unsafe tchdbtune(database, 1009, 4, 10, UInt8(HDBTLARGE)) }
    guard unsafe tchdbopen(database, path, Int32(HDBOWRITER | HDBOCREAT)) else {
      throw Failure(message: unsafe String(cString: tchdberrmsg(tchdbecode(database))))
    }
    for (key, value) in records {
      guard unsafe tchdbput(database, key, Int32(key.count), value, Int32(value.count)) else {
        throw Failure(message: unsafe String(cString: tchdberrmsg(tchdbecode(database))))
      }
    }
    for key in removed { _ = unsafe tchdbout(database, key, Int32(key.count)) }
    guard unsafe tchdbclose(database) else { throw Failure(message: "cannot close") }
  }

  /// Swaps the numbers of a file; does it again if it was done before.
  private static func swap(_ path: String, isLarge: Bool) throws {
    var bytes = Array(try Data(contentsOf: URL(filePath: path)))
    func number(_ start: Int, _ count: Int, isBigEndian: Bool) -> Int {
      let part = bytes[start..<start + count]
      return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    func flip(_ start: Int, _ count: Int) { bytes[start..<start + count].reverse() }
    // A number of buckets of at most four bytes tells the order.
    let isBigEndian = bytes[40] == 0
    let end = number(56, 8, isBigEndian: isBigEndian)
    let first = number(64, 8, isBigEndian: isBigEndian)
    let bucketCount = number(40, 8, isBigEndian: isBigEndian)
    for start in stride(from: 40, to: 72, by: 8) { flip(start, 8) }
    let width = isLarge ? 8 : 4
    for bucket in 0..<bucketCount { flip(256 + bucket * width, width) }
    var position = first
    while position < end {
      if bytes[position] == 0xB0 {
        let count = number(position + 1, 4, isBigEndian: isBigEndian)
        flip(position + 1, 4)
        position += count
        continue
      }
      flip(position + 2, width)
      flip(position + 2 + width, width)
      let paddingStart = position + 2 + 2 * width
      let padding = number(paddingStart, 2, isBigEndian: isBigEndian)
      flip(paddingStart, 2)
      var next = paddingStart + 2
      var lengths: [Int] = []
      for _ in 0..<2 {
        var length = 0
        var shift = 0
        while bytes[next] >= 0x80 {
          length += Int(~bytes[next]) << shift
          shift += 7
          next += 1
        }
        lengths.append(length + Int(bytes[next]) << shift)
        next += 1
      }
      position = next + lengths[0] + lengths[1] + padding
    }
    try Data(bytes).write(to: URL(filePath: path))
  }
}
