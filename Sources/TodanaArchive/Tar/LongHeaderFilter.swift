/// Removes records that make extended headers of a tar longer than libarchive reads.
///
/// GNU tar's incremental tars in pax format (`-g`) have the names of each directory in one record, `GNU.dumpdir`, which
/// is not imported. The filter writes headers of 1 MiB and more again without it.
///
/// The filter follows the tar from header to header. At the first position without a header, or with an unknown data
/// length, it stops filtering, and passes all further bytes unchanged.
struct LongHeaderFilter {
  private enum State {
    /// A header is expected next.
    case header
    /// A continuation of the map of a sparse file in GNU's old format is expected next, then its data.
    case sparseMap(dataByteCount: Int64)
    case data(remaining: Int64)
    /// Filtering has stopped.
    case off
  }

  private static let longestHeader = 64 << 20

  private var state = State.header
  /// Bytes to pass before the source is read again.
  private var pending: ArraySlice<UInt8> = []
  /// The size of the next entry's data, if an extended header specifies it.
  private var nextSize: Int64?

  /// Fills memory with the next bytes of the filtered tar; with fewer only at its end.
  ///
  /// - Parameters:
  ///   - buffer: The memory to fill.
  ///   - source: Fills memory with the next bytes of the tar; returns 0 at its end, and a negative number after a
  ///     failure.
  /// - Returns: The number of bytes; negative after a failure of the source.
  mutating func read(
    into buffer: UnsafeMutableRawBufferPointer, from source: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count: Int
      if !pending.isEmpty {
        count = min(rest.count, pending.count)
        unsafe rest.copyBytes(from: pending.prefix(count))
        pending = pending.dropFirst(count)
      } else {
        switch state {
        case .data(0): state = .header
        case .data, .off: break
        case .header: if unsafe !takeHeader(source) { state = .off }
        case .sparseMap(let dataByteCount): unsafe takeMap(dataByteCount, source)
        }
        if !pending.isEmpty { continue }
        switch state {
        case .data(0), .header, .sparseMap: continue
        case .data(let remaining):
          count = unsafe source(.init(rebasing: rest[..<Int(min(remaining, Int64(rest.count)))]))
          if count > 0 { state = .data(remaining: remaining - Int64(count)) }
        case .off: count = unsafe source(rest)
        }
        if count < 0 { return count }
        if count == 0 { return done }
      }
      done += count
    }
    return done
  }

  // MARK: Headers

  /// Reads a header with its records into the pending bytes; returns false if there is no header or no input.
  private mutating func takeHeader(_ source: (UnsafeMutableRawBufferPointer) -> Int) -> Bool {
    let bytes = unsafe Self.read(TarBlock.byteCount, from: source)
    pending = bytes[...]
    guard bytes.count == TarBlock.byteCount else { return false }
    let block = TarBlock(bytes)
    if block.isEnd { return true }
    guard block.isHeader, let byteCount = block.byteCount else { return false }
    switch block.kind {
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return unsafe takeRecords(block, byteCount, source)
    case UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"), UInt8(ascii: "A"):
      state = .data(remaining: TarBlock.padded(byteCount))
    case UInt8(ascii: "V"): break
    // Whether data follow a hard link depends on the program that wrote the tar.
    case UInt8(ascii: "1") where byteCount > 0: return false
    case UInt8(ascii: "1")...UInt8(ascii: "6"): nextSize = nil
    default:
      let size = TarBlock.padded(nextSize ?? byteCount)
      nextSize = nil
      state = block.hasMoreOfMap ? .sparseMap(dataByteCount: size) : .data(remaining: size)
    }
    return true
  }

  private mutating func takeRecords(
    _ block: TarBlock, _ byteCount: Int64, _ source: (UnsafeMutableRawBufferPointer) -> Int
  ) -> Bool {
    guard byteCount <= Self.longestHeader else { return false }
    let body = unsafe Self.read(Int(TarBlock.padded(byteCount)), from: source)
    pending += body
    guard Int64(body.count) == TarBlock.padded(byteCount) else { return false }
    let content = body.prefix(Int(byteCount))
    if let text = PaxRecords.value(of: "size", in: content) {
      guard let size = Int64(String(decoding: text, as: UTF8.self)), size >= 0 else { return false }
      nextSize = size
    }
    guard byteCount > PaxRecords.byteCountLimit else { return true }
    var records = PaxRecords(Array(content))
    guard records["GNU.dumpdir"] != nil else { return true }
    records["GNU.dumpdir"] = nil
    let rest = records.bytes
    var header = block
    header.dataByteCount = rest.count
    let padding = Int(TarBlock.padded(Int64(rest.count))) - rest.count
    pending = (header.bytes + rest + [UInt8](repeating: 0, count: padding))[...]
    return true
  }

  private mutating func takeMap(_ dataByteCount: Int64, _ source: (UnsafeMutableRawBufferPointer) -> Int) {
    let bytes = unsafe Self.read(TarBlock.byteCount, from: source)
    pending = bytes[...]
    guard bytes.count == TarBlock.byteCount else { return state = .off }
    if !TarBlock(bytes).mapGoesOn { state = .data(remaining: dataByteCount) }
  }

  /// Reads `byteCount` bytes; fewer at the end, and after a failure, which the next call returns again.
  private static func read(_ byteCount: Int, from source: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var done = 0
    unsafe bytes.withUnsafeMutableBytes { buffer in
      while done < byteCount {
        let count = unsafe source(.init(rebasing: buffer[done...]))
        if count <= 0 { break }
        done += count
      }
    }
    bytes.removeLast(byteCount - done)
    return bytes
  }
}

extension TarBlock {
  /// The number of data bytes, in octal digits or in GNU's base 256; nil if the field is neither.
  fileprivate var byteCount: Int64? {
    let field = bytes[124..<136]
    guard let first = field.first, first & 0x80 != 0 else { return dataByteCount.map { Int64($0) } }
    // Negative numbers begin with 0xFF.
    guard first == 0x80, field.dropFirst().prefix(4).allSatisfy({ $0 == 0 }) else { return nil }
    let size = field.suffix(7).reduce(0) { $0 << 8 | Int64($1) }
    return size
  }

  /// Whether the block has a header's magic number or a correct checksum; libarchive checks both.
  fileprivate var isHeader: Bool { bytes[257..<262].elementsEqual("ustar".utf8) || hasChecksum }

  /// Whether the header's checksum is correct, as a sum of signed or of unsigned bytes.
  fileprivate var hasChecksum: Bool {
    let field = 148..<156
    let digits = bytes[field].drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: " ") && $0 != 0 }
    guard let sum = Int(String(decoding: digits, as: UTF8.self), radix: 8) else { return false }
    // The checksum field itself counts as blanks.
    let blanks = field.count * Int(UInt8(ascii: " "))
    var (unsigned, negativeCount) = (blanks, 0)
    for byte in bytes {
      unsigned += Int(byte)
      negativeCount += Int(byte >> 7)
    }
    for byte in bytes[field] {
      unsigned -= Int(byte)
      negativeCount -= Int(byte >> 7)
    }
    return sum == unsigned || sum == unsigned - 256 * negativeCount
  }

  /// Whether more blocks of the map follow a sparse file's header in GNU's old format.
  fileprivate var hasMoreOfMap: Bool { kind == UInt8(ascii: "S") && bytes[482] != 0 }

  /// Whether more blocks of the map follow a map block in GNU's old format.
  fileprivate var mapGoesOn: Bool { bytes[504] != 0 }

  /// Rounds a number of bytes up to a multiple of the block size.
  fileprivate static func padded(_ byteCount: Int64) -> Int64 {
    let blockByteCount = Int64(Self.byteCount)
    let (sum, overflows) = byteCount.addingReportingOverflow(blockByteCount - 1)
    return overflows ? .max : sum / blockByteCount * blockByteCount
  }
}
