/// A reader of values in the binary form, which checks every byte.
///
/// It borrows the bytes: they must stay in place as long as it reads.
@safe
struct ValueReader {
  private let base: UnsafeRawPointer
  private(set) var position: Int
  private(set) var end: Int

  /// Reads bytes from a position on.
  init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
    // An empty buffer is never read.
    unsafe base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
    self.position = position
    end = bytes.count
  }

  /// Reads a part of the bytes of another reader, which contain the range.
  init(_ other: ValueReader, _ range: Range<Int>) {
    unsafe base = other.base
    position = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { position == end }

  enum Failure: Error {
    case tooShort
    case unknownTag(UInt8)
    case longVarint
    case invalidText
    case repeatedKey
    case trailingBytes
  }

  // MARK: Parts

  @inline(__always)
  mutating func readByte() throws(Failure) -> UInt8 {
    guard position < end else { throw .tooShort }
    defer { position += 1 }
    return unsafe base.load(fromByteOffset: position, as: UInt8.self)
  }

  @inline(__always)
  var nextTag: UInt8? { position < end ? unsafe base.load(fromByteOffset: position, as: UInt8.self) : nil }

  @inline(__always)
  mutating func readVarint() throws(Failure) -> UInt64 {
    let byte = try readByte()
    return byte < 0x80 ? UInt64(byte) : try readLongVarint(UInt64(byte & 0x7F))
  }

  @inline(never)
  private mutating func readLongVarint(_ first: UInt64) throws(Failure) -> UInt64 {
    var number = first
    var shift: UInt64 = 7
    while true {
      let byte = try readByte()
      if shift == 63, byte > 1 { throw .longVarint }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  @inline(__always)
  mutating func readBits() throws(Failure) -> UInt64 {
    guard end - position >= 8 else { throw .tooShort }
    defer { position += 8 }
    return unsafe UInt64(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// Reads a number of bytes, and moves behind these bytes.
  @inline(__always)
  mutating func readCounted() throws(Failure) -> Range<Int> { try read(count: try readVarint()) }

  @inline(__always)
  mutating func read(count: UInt64) throws(Failure) -> Range<Int> {
    guard count <= UInt64(end - position) else { throw .tooShort }
    defer { position += Int(count) }
    return position..<position + Int(count)
  }

  @inline(__always)
  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
  }

  /// Reads bytes that another reader of the same memory has found.
  mutating func move(to position: Int) { self.position = position }

  func string(_ range: Range<Int>) throws(Failure) -> String {
    let text = unsafe bytes(range)
    guard let string = unsafe String(validating: text, as: UTF8.self) else { throw .invalidText }
    return string
  }

  // MARK: Values

  @inline(__always)
  static func integer(zigzag: UInt64) -> Int64 {
    Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }

  /// Moves behind the next value, whose parts are not checked.
  @inline(__always)
  mutating func skipValue() throws(Failure) {
    let tag = try readByte()
    if tag >= ValueTag.shortString {
      _ = try read(count: UInt64(tag - ValueTag.shortString))
    } else if tag < ValueTag.smallInteger {
      try skipRest(of: tag)
    }
  }

  @inline(never)
  private mutating func skipRest(of tag: UInt8) throws(Failure) {
    switch tag {
    case ValueTag.null, ValueTag.true, ValueTag.false: return
    case ValueTag.integer: _ = try readVarint()
    case ValueTag.double, ValueTag.date: _ = try readBits()
    case ValueTag.uuid: _ = try read(count: 16)
    case ValueTag.string, ValueTag.bytes, ValueTag.array, ValueTag.dictionary: _ = try readCounted()
    default: throw .unknownTag(tag)
    }
  }

  /// Whether bytes are a text.
  @inline(__always)
  func isEqual(_ range: Range<Int>, _ text: String) -> Bool {
    guard range.count == text.utf8.count else { return false }
    let bytes = unsafe bytes(range)
    // Strings in a foreign encoding have no contiguous bytes.
    return unsafe text.utf8.withContiguousStorageIfAvailable { text in
      var position = 0
      while position < bytes.count {
        if unsafe bytes[position] != text[position] { return false }
        position += 1
      }
      return true
    } ?? bytes.elementsEqual(text.utf8)
  }
}
