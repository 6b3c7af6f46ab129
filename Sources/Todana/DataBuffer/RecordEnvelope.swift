import CXXHash

/// The bytes around a record's content, in a store that is not encrypted: `docs/formats/record-envelope.md`.
///
/// ```
/// format byte 0x01 | version byte | content | check 8
/// ```
///
/// The check is an XXH3-64 of everything before it, with a seed made of the store's id, the structure's and the row's:
/// so damage is found, and a record that stands in another's place too. It protects against accidents, not against
/// people. One value serves all records of one structure, on any thread.
package struct RecordEnvelope: Sendable {
  package static let headerByteCount = 2
  package static let trailerByteCount = 8
  package static var minimumByteCount: Int { headerByteCount + trailerByteCount }

  /// What the first byte of a record says about the rest; never 0, so that zeroed bytes are not a record.
  package enum Format: UInt8, Sendable {
    case plain = 1
    /// Reserved: plain, the content compressed.
    case compressed = 2
    /// Reserved: encrypted and authenticated.
    case sealed = 3
    /// Reserved: encrypted and authenticated, the content compressed before.
    case sealedCompressed = 4
    /// Reserved: several rows together.
    case packed = 5
  }

  /// XXH3-64, seed 0, of the store id and the structure's number.
  let structureSeed: UInt64

  package init(storeID: StoreID, structure: ClassID) {
    var identity = DataBuffer(capacity: 20)
    identity.writeUInt64(storeID.high.byteSwapped)
    identity.writeUInt64(storeID.low.byteSwapped)
    identity.writeUInt32(structure.rawValue)
    structureSeed = unsafe checksum(of: identity.allBytes, seed: 0)
  }

  /// What makes the check of one record its own: XXH3-64 of its row id's 8 bytes.
  @inline(__always)
  func seed(_ rowID: RowID) -> UInt64 {
    var bytes = rowID.littleEndian
    return unsafe withUnsafeBytes(of: &bytes) { unsafe checksum(of: $0, seed: structureSeed) }
  }

  /// What makes the check of one record its own: XXH3-64 of its byte key.
  func seed(_ key: [UInt8]) -> UInt64 {
    unsafe key.withUnsafeBytes { unsafe checksum(of: $0, seed: structureSeed) }
  }
}

// Writing.
extension RecordEnvelope {
  /// A record that was written.
  package struct Written: Sendable {
    /// Where it stands in the arena.
    package var range: Range<Int>
    /// Its last 8 bytes, by which a later save knows it.
    package var token: UInt64
  }

  /// Starts a record at the end of the buffer's arena; now its content can be written.
  @inline(__always)
  package func begin(version: UInt8, in buffer: inout DataBuffer) {
    buffer.beginRecord(version: version, headerByteCount: Self.headerByteCount)
  }

  /// Ends a row's record.
  ///
  /// - Throws: The first error of the content; then the arena is as it was before the record.
  package func finish(_ rowID: RowID, in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    try finish(seed: seed(rowID), in: &buffer)
  }

  /// Ends the record of a byte key.
  ///
  /// - Throws: As ``finish(_:in:)``.
  package func finish(_ key: [UInt8], in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    try finish(seed: seed(key), in: &buffer)
  }

  @inline(__always)
  private func finish(seed: UInt64, in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    guard buffer.isOpen, buffer.firstError == nil else { throw abandon(in: &buffer) }
    // In bounds: the record began with room for a header, and there always is room for a trailer.
    let end = unsafe buffer.writeCursor
    let record = unsafe UnsafeMutableRawPointer(mutating: buffer.readStart) - Self.headerByteCount
    unsafe record.storeBytes(of: Format.plain.rawValue, as: UInt8.self)
    unsafe record.storeBytes(of: buffer.version, toByteOffset: 1, as: UInt8.self)
    let token = unsafe checksum(of: UnsafeRawBufferPointer(start: record, count: end - record), seed: seed)
    unsafe end.storeBytes(of: token.littleEndian, as: UInt64.self)
    return Written(range: buffer.endRecord(trailerByteCount: Self.trailerByteCount), token: token)
  }

  @inline(never)
  private func abandon(in buffer: inout DataBuffer) -> DataBufferError {
    let error = buffer.firstError ?? DataBufferError(.notWritable, "no record was begun")
    buffer.abandonRecord()
    return error
  }
}

// Reading.
extension RecordEnvelope {
  /// A record that was checked.
  @safe
  package struct Opened {
    package var version: UInt8
    /// Part of the bytes that were opened.
    package var content: UnsafeRawBufferPointer
    /// The record's last 8 bytes, by which a later save knows it.
    package var token: UInt64
  }

  /// Checks a row's record.
  package func open(_ record: UnsafeRawBufferPointer, _ rowID: RowID) throws(RecordEnvelopeError) -> Opened {
    unsafe try open(record, seed: seed(rowID))
  }

  /// The same; nil where the record cannot be opened.
  @inline(__always)
  package func openIfSound(_ record: UnsafeRawBufferPointer, _ rowID: RowID) -> Opened? {
    do throws(RecordEnvelopeError) {
      return unsafe try open(record, seed: seed(rowID))
    } catch {
      return nil
    }
  }

  /// Checks the record of a byte key.
  package func open(_ record: UnsafeRawBufferPointer, _ key: [UInt8]) throws(RecordEnvelopeError) -> Opened {
    unsafe try open(record, seed: seed(key))
  }

  /// What a record holds if its check is right, which is not looked at: for a store whose identity is lost.
  static func openUnchecked(_ record: UnsafeRawBufferPointer) -> Opened? {
    guard record.count >= minimumByteCount, unsafe record[0] == Format.plain.rawValue else { return nil }
    let content = unsafe UnsafeRawBufferPointer(rebasing: record[headerByteCount..<(record.count - trailerByteCount)])
    return unsafe Opened(version: record[1], content: content, token: 0)
  }

  @inline(__always)
  private func open(_ record: UnsafeRawBufferPointer, seed: UInt64) throws(RecordEnvelopeError) -> Opened {
    guard record.count >= Self.minimumByteCount, let start = record.baseAddress else {
      throw record.count == 0 ? .empty : .tooShort(byteCount: record.count)
    }
    let format = unsafe record[0]
    guard format == Format.plain.rawValue else { throw .unsupportedFormat(format) }
    let checkOffset = record.count - Self.trailerByteCount
    let token = UInt64(littleEndian: unsafe record.loadUnaligned(fromByteOffset: checkOffset, as: UInt64.self))
    let check = unsafe checksum(of: UnsafeRawBufferPointer(start: start, count: checkOffset), seed: seed)
    guard check == token else { throw .checkMismatch }
    let contentByteCount = checkOffset - Self.headerByteCount
    return unsafe Opened(
      version: record[1],
      content: UnsafeRawBufferPointer(start: start + Self.headerByteCount, count: contentByteCount),
      token: token)
  }
}

/// Why a record could not be opened.
package enum RecordEnvelopeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The record has no bytes, not even an envelope.
  case empty
  /// Fewer bytes than any record has.
  case tooShort(byteCount: Int)
  /// The format byte is one of a later version, of a sealed record, or damaged.
  case unsupportedFormat(UInt8)
  /// The record is damaged, or belongs to another row, class or store.
  case checkMismatch

  package var description: String {
    switch self {
    case .empty: "the record is empty and has no envelope"
    case .tooShort(let byteCount): "the record has \(byteCount) bytes, fewer than any record"
    case .unsupportedFormat(let format): "the record's format byte is \(format), which is not read here"
    case .checkMismatch: "the record is damaged, or stands in the place of another"
    }
  }
}

/// Calls `XXH3_64bits_withSeed`.
@inline(__always)
private func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  unsafe XXH_INLINE_XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
}
