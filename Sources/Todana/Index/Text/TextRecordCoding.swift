/// Writes numbers of 8 bytes, the least significant first, and lists of bytes after their lengths.
struct TextRecordWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(byte: UInt8) { bytes.append(byte) }

  mutating func append(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func append(_ list: [UInt8]) {
    append(UInt64(list.count))
    bytes += list
  }
}

/// Reads such numbers and lists; nil at the end.
///
/// Safe: the bytes are valid as long as it is used.
@safe
struct TextRecordReader {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { unsafe rest = bytes }

  var leftCount: Int { unsafe rest.count }

  mutating func byte() -> UInt8? {
    guard let byte = unsafe rest.first else { return nil }
    skip(1)
    return byte
  }

  mutating func number() -> UInt64? {
    guard leftCount >= 8 else { return nil }
    let number = unsafe UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self))
    skip(8)
    return number
  }

  mutating func bytes() -> [UInt8]? {
    guard let count = number().flatMap(Int.init(exactly:)), count <= leftCount else { return nil }
    let bytes = unsafe Array(rest.prefix(count))
    skip(count)
    return bytes
  }

  private mutating func skip(_ count: Int) { unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
}
