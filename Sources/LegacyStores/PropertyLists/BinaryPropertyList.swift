internal import Foundation

/// The objects of a binary property list, by their numbers.
///
/// Foundation's reader has no public form for the references of a keyed archive. This one reads objects one by one, and
/// checks every number against the size of the file.
struct BinaryPropertyList {
  private let bytes: [UInt8]
  private let objectCount: Int
  private let offsetByteCount: Int
  private let referenceByteCount: Int
  private let tableStart: Int
  /// The number of the object that contains all others.
  let top: Int

  enum Object {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case date(Date)
    case data(Data)
    case string(String)
    /// A reference of a keyed archive.
    case reference(Int)
    case array([Int])
    case dictionary([(key: Int, value: Int)])
  }

  private static let magic = Array("bplist00".utf8)
  private static let trailerByteCount = 32

  static func isBinary(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: magic) }

  init(_ bytes: [UInt8]) throws(LegacyError) {
    guard Self.isBinary(bytes), bytes.count >= Self.magic.count + Self.trailerByteCount else {
      throw LegacyError(.damaged, "the bytes are no binary property list")
    }
    let trailer = bytes.count - Self.trailerByteCount
    self.bytes = bytes
    offsetByteCount = Int(bytes[trailer + 6])
    referenceByteCount = Int(bytes[trailer + 7])
    func number(_ position: Int) throws(LegacyError) -> Int {
      let value = bytes[position..<position + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      guard value <= UInt64(bytes.count) else { throw Self.damaged }
      return Int(value)
    }
    objectCount = try number(trailer + 8)
    top = try number(trailer + 16)
    tableStart = try number(trailer + 24)
    guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount), top < objectCount,
      tableStart <= trailer, objectCount <= (trailer - tableStart) / offsetByteCount
    else { throw Self.damaged }
  }

  private static var damaged: LegacyError { LegacyError(.damaged, "the binary property list is damaged") }

  /// Returns the object with a number.
  func object(_ number: Int) throws(LegacyError) -> Object {
    guard number < objectCount else { throw Self.damaged }
    var position = try self.number(at: tableStart + number * offsetByteCount, byteCount: offsetByteCount)
    let marker = try byte(at: position)
    position += 1
    switch marker >> 4 {
    case 0x0:
      switch marker {
      case 0x00: return .null
      case 0x08: return .bool(false)
      case 0x09: return .bool(true)
      default: throw Self.damaged
      }
    case 0x1: return .integer(try integer(at: position, byteCount: 1 << Int(marker & 0xF)))
    case 0x2:
      switch marker & 0xF {
      case 2: return .real(Double(Float(bitPattern: UInt32(try bits(at: position, byteCount: 4)))))
      case 3: return .real(Double(bitPattern: try bits(at: position, byteCount: 8)))
      default: throw Self.damaged
      }
    case 0x3:
      let seconds = Double(bitPattern: try bits(at: position, byteCount: 8))
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case 0x4:
      let count = try count(marker, &position)
      return .data(Data(try slice(position, count)))
    case 0x5, 0x6: return .string(try text(marker, position))
    case 0x8: return .reference(try self.number(at: position, byteCount: Int(marker & 0xF) + 1))
    case 0xA:
      let count = try count(marker, &position)
      return .array(try references(position, count))
    case 0xD:
      let count = try count(marker, &position)
      let keys = try references(position, count)
      let values = try references(position + count * referenceByteCount, count)
      return .dictionary(zip(keys, values).map { (key: $0, value: $1) })
    default: throw Self.damaged
    }
  }

  // MARK: Parts of objects

  private func text(_ marker: UInt8, _ start: Int) throws(LegacyError) -> String {
    var position = start
    let count = try count(marker, &position)
    let text: String?
    if marker >> 4 == 0x5 {
      let ascii = try slice(position, count)
      text = ascii.allSatisfy { $0 < 0x80 } ? String(decoding: ascii, as: UTF8.self) : nil
    } else {
      guard count <= bytes.count / 2 else { throw Self.damaged }
      let units = Array(try slice(position, count * 2))
      text = String(
        validating: stride(from: 0, to: units.count, by: 2).map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) },
        as: UTF16.self)
    }
    guard let text else { throw LegacyError(.invalidText, "a text of the property list is not valid") }
    return text
  }

  private func byte(at position: Int) throws(LegacyError) -> UInt8 {
    guard position >= Self.magic.count, position < tableStart else { throw Self.damaged }
    return bytes[position]
  }

  private func slice(_ start: Int, _ count: Int) throws(LegacyError) -> ArraySlice<UInt8> {
    guard start >= 0, count >= 0, count <= bytes.count, start <= bytes.count - count else { throw Self.damaged }
    return bytes[start..<start + count]
  }

  private func bits(at position: Int, byteCount: Int) throws(LegacyError) -> UInt64 {
    try slice(position, byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func number(at position: Int, byteCount: Int) throws(LegacyError) -> Int {
    guard byteCount <= 8, let number = Int(exactly: try bits(at: position, byteCount: byteCount)) else {
      throw Self.damaged
    }
    return number
  }

  private func integer(at position: Int, byteCount: Int) throws(LegacyError) -> Int64 {
    switch byteCount {
    case 1, 2, 4, 8: return Int64(bitPattern: try bits(at: position, byteCount: byteCount))
    case 16:
      // The upper half is the sign of the lower one, or the number has more than 64 bits.
      let high = Int64(bitPattern: try bits(at: position, byteCount: 8))
      let low = Int64(bitPattern: try bits(at: position + 8, byteCount: 8))
      guard high == (low < 0 ? -1 : 0) else {
        throw LegacyError(.tooLarge, "an integer is beyond the range of Int64")
      }
      return low
    default: throw Self.damaged
    }
  }

  /// Reads the number of elements, which is in the marker or in an integer after it.
  private func count(_ marker: UInt8, _ position: inout Int) throws(LegacyError) -> Int {
    if marker & 0xF != 0xF { return Int(marker & 0xF) }
    let marker = try byte(at: position)
    guard marker >> 4 == 0x1, marker & 0xF <= 3 else { throw Self.damaged }
    let byteCount = 1 << Int(marker & 0xF)
    let count = try number(at: position + 1, byteCount: byteCount)
    position += 1 + byteCount
    guard count <= bytes.count else { throw Self.damaged }
    return count
  }

  private func references(_ start: Int, _ count: Int) throws(LegacyError) -> [Int] {
    guard count <= bytes.count / referenceByteCount else { throw Self.damaged }
    let all = try slice(start, count * referenceByteCount)
    var references: [Int] = []
    references.reserveCapacity(count)
    var position = all.startIndex
    for _ in 0..<count {
      references.append(try number(at: position, byteCount: referenceByteCount))
      position += referenceByteCount
    }
    return references
  }
}
