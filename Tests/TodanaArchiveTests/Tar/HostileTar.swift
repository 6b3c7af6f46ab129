@testable import TodanaArchive

/// A tar that is built by hand.
struct HostileTar {
  private(set) var bytes: [UInt8] = []

  /// Adds a block with any field values and a valid checksum.
  mutating func add(
    _ kind: Character, name: String = "name", size: String = "0", fields: [Int: [UInt8]] = [:], data: [UInt8] = []
  ) {
    var block = [UInt8](repeating: 0, count: 512)
    func set(_ start: Int, _ value: [UInt8]) { block.replaceSubrange(start..<start + value.count, with: value) }
    set(0, Array(name.utf8.prefix(100)))
    set(100, Array("0000644\0".utf8))
    set(108, Array("0000000\0".utf8))
    set(116, Array("0000000\0".utf8))
    set(124, Array(size.utf8.prefix(12)))
    set(136, Array("00000000000\0".utf8))
    set(156, Array(String(kind).utf8))
    set(257, Array("ustar\u{0}00".utf8))
    for (start, value) in fields { set(start, value) }
    bytes += Self.summed(block)
    bytes += data + [UInt8](repeating: 0, count: TarBlock.padded(data.count) - data.count)
  }

  /// Adds an extended header with records, and the file that it describes.
  mutating func add(records: [(String, String)], size: String = "0", data: [UInt8] = []) {
    var all = PaxRecords()
    for (key, value) in records { all.append(key, Array(value.utf8)) }
    add("x", size: String(all.bytes.count, radix: 8), data: all.bytes)
    add("0", size: size, data: data)
  }

  mutating func add(record key: String, _ value: [UInt8]) {
    var all = PaxRecords()
    all.append(key, value)
    add("x", size: String(all.bytes.count, radix: 8), data: all.bytes)
    add("0")
  }

  mutating func end() { bytes += [UInt8](repeating: 0, count: 1024) }

  /// Returns a block with the checksum of its bytes.
  static func summed(_ block: [UInt8]) -> [UInt8] {
    var block = block
    block.replaceSubrange(148..<156, with: [UInt8](repeating: 0x20, count: 8))
    let digits = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
    let sum = Array((String(repeating: "0", count: 6 - digits.count) + digits).utf8) + [0, 0x20]
    block.replaceSubrange(148..<156, with: sum)
    return block
  }
}
