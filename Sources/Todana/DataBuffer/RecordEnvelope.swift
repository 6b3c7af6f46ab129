import CXXHash

/// The bytes around a record's content: `docs/formats/record-envelope.md`.
///
/// ```
/// format byte 0x10 | version byte | content | check 8
/// ```
///
/// The check is an XXH3-64 of all bytes before it. Its seed is made of the store's id, the keyspace number, and the row
/// id or byte key. The check therefore detects both damage and a record stored in the place of another. It protects
/// against accidents, not against attackers. One value serves all records of one keyspace, on any thread.
///
/// A record that was decrypted keeps its earlier token after its check (format byte 0x11).
///
/// In an encrypted store, ``RecordSealing`` seals the written record in place, and opens a record before it is read
/// here:
///
/// ```
/// written: 0xF5 | epoch | room for the nonce | version byte | content | room for the tag
/// read:                                 0xF0 | version byte | content | tag
/// ```
package struct RecordEnvelope: Sendable {
  /// The number of bytes before the content of a record that is read.
  package static let headerByteCount = 2
  package static let trailerByteCount = 8
  static let sealedTrailerByteCount = 16
  static let largestPadding = 4096
  package static var minimumByteCount: Int { headerByteCount + trailerByteCount }

  /// The first byte of a record, which describes the rest.
  ///
  /// It is never 0, so zeroed bytes are not a record. A base and flags, as in `CSealing/EnvelopeFormat.h`.
  package struct Format: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt8

    @inline(__always)
    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    package static let plain = Format(rawValue: 0x10)
    /// The format of encrypted and authenticated records.
    package static let sealed = Format(rawValue: 0x20)

    /// The format of a record that ends with its earlier token.
    ///
    /// A record keeps its token when it is encrypted, encrypted with a new key, or decrypted.
    package var keepingToken: Format { Format(rawValue: rawValue | 0x01) }
    /// The format of a record with padded content; only sealed records are padded.
    package var padded: Format { Format(rawValue: rawValue | 0x02) }
    /// Reserved: the format of a record with compressed content.
    package var compressed: Format { Format(rawValue: rawValue | 0x04) }

    /// Returns the format of a record that begins with this byte; nil unless it is a plain one.
    static func ofPlain(_ byte: UInt8?) -> Format? {
      byte.map(Format.init).flatMap { $0 == .plain || $0 == .plain.keepingToken ? $0 : nil }
    }
  }

  /// The first byte of a record that was opened successfully.
  ///
  /// ``RecordSealing`` sets this byte, so a byte of a file can never be mistaken for it.
  static let openedFormat: UInt8 = 0xF0
  /// The first byte of a record to be sealed, without and with padding; it never occurs in files.
  static let unsealedFormat: UInt8 = 0xF5
  static let unsealedPaddedFormat: UInt8 = 0xF6

  /// The XXH3-64, with seed 0, of the store id and the keyspace number.
  let keyspaceSeed: UInt64
  /// The epoch with which records are sealed; 0 in a store that is not encrypted.
  private(set) var epoch: UInt32
  /// The granularity of padding in bytes: the sealed part of each record is padded to a multiple of it (0 or 1: never).
  private let padding: Int
  /// The number of bytes before the content of a record that is written.
  private let writtenHeaderByteCount: Int

  /// Creates the envelope for the records of one keyspace.
  ///
  /// - Parameters:
  ///   - storeID: The store's identity.
  ///   - keyspace: The keyspace of a class, or a keyspace with byte keys.
  ///   - epoch: The epoch of the store's ``KeyRing``; 0 in a store that is not encrypted.
  ///   - padding: The granularity of padding in bytes, at most 4,096: the sealed part of each record is padded to a
  ///     multiple of it. 0 or 1: no padding.
  package init(storeID: StoreID, keyspace: KeyspaceID, epoch: UInt32 = 0, padding: Int = 0) {
    self.epoch = epoch
    self.padding = min(max(padding, 0), Self.largestPadding)
    writtenHeaderByteCount = epoch == 0 ? Self.headerByteCount : KeyRing.headerByteCount(epoch: epoch) + 1
    var identity = DataBuffer(capacity: 20)
    identity.writeUInt64(storeID.high.byteSwapped)
    identity.writeUInt64(storeID.low.byteSwapped)
    identity.writeUInt32(keyspace.rawValue)
    keyspaceSeed = unsafe checksum(of: identity.allBytes, seed: 0)
  }

  /// Returns the seed of a row's check: the XXH3-64 of the 8 bytes of its row id.
  @inline(__always)
  func seed(_ rowID: RowID) -> UInt64 {
    var bytes = rowID.littleEndian
    return unsafe withUnsafeBytes(of: &bytes) { unsafe checksum(of: $0, seed: keyspaceSeed) }
  }

  /// Returns the seed of the check of a record under a byte key: the XXH3-64 of the key.
  func seed(_ key: [UInt8]) -> UInt64 { unsafe key.withUnsafeBytes { unsafe seed($0) } }

  /// Returns the seed of the check of a record under a byte key: the XXH3-64 of the key.
  func seed(_ key: UnsafeRawBufferPointer) -> UInt64 { unsafe checksum(of: key, seed: keyspaceSeed) }
}

// Writing.
extension RecordEnvelope {
  /// The location and token of a written record.
  package struct Written: Sendable {
    /// The range of the record in the arena.
    package var range: Range<Int>
    /// The record's last 8 bytes, by which a later save recognizes it.
    package var token: UInt64
  }

  /// Starts a record at the end of the buffer's arena.
  ///
  /// The caller then writes the content.
  @inline(__always)
  package func begin(version: UInt8, in buffer: inout DataBuffer) {
    buffer.beginRecord(version: version, headerByteCount: writtenHeaderByteCount)
  }

  /// Ends a row's record.
  ///
  /// - Throws: The first error of the content. The arena then has its earlier size again.
  package func finish(_ rowID: RowID, in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    try finish(seed: seed(rowID), in: &buffer)
  }

  /// Ends the record under a byte key.
  ///
  /// - Throws: The errors of ``finish(_:in:)``.
  package func finish(_ key: [UInt8], in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    try finish(seed: seed(key), in: &buffer)
  }

  /// Ends the record whose check has this seed.
  ///
  /// - Throws: The errors of ``finish(_:in:)``.
  @inline(__always)
  func finish(seed: UInt64, in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    guard buffer.isOpen, buffer.firstError == nil else { throw abandon(in: &buffer) }
    guard epoch == 0 else { return try finishUnsealed(in: &buffer) }
    // In bounds: `begin` left room for the header, and a buffer always keeps room for a trailer.
    let end = unsafe buffer.writeCursor
    let record = unsafe UnsafeMutableRawPointer(mutating: buffer.readStart) - Self.headerByteCount
    unsafe record.storeBytes(of: Format.plain.rawValue, as: UInt8.self)
    unsafe record.storeBytes(of: buffer.version, toByteOffset: 1, as: UInt8.self)
    let token = unsafe checksum(of: UnsafeRawBufferPointer(start: record, count: end - record), seed: seed)
    unsafe end.storeBytes(of: token.littleEndian, as: UInt64.self)
    return Written(range: buffer.endRecord(trailerByteCount: Self.trailerByteCount), token: token)
  }

  /// Ends a record that is to be sealed later, with room for nonce and tag.
  ///
  /// Its token is known only after sealing.
  @inline(never)
  private func finishUnsealed(in buffer: inout DataBuffer) throws(DataBufferError) -> Written {
    let isPadded = padding > 1
    if isPadded {
      // One byte for the version, and two for the padding's own length.
      let byteCount = buffer.writtenByteCount + 3
      let surplus = byteCount % padding
      buffer.writePadding(2 + (surplus == 0 ? 0 : padding - surplus))
      guard buffer.firstError == nil else { throw abandon(in: &buffer) }
    }
    // In bounds: `begin` left room for the header, and a sealed trailer has at most `trailerRoom` bytes.
    let end = unsafe buffer.writeCursor
    let record = unsafe UnsafeMutableRawPointer(mutating: buffer.readStart) - writtenHeaderByteCount
    unsafe record.initializeMemory(as: UInt8.self, repeating: 0, count: writtenHeaderByteCount)
    unsafe record.storeBytes(of: isPadded ? Self.unsealedPaddedFormat : Self.unsealedFormat, as: UInt8.self)
    var offset = 1
    var rest = epoch
    while rest >= 0x80 {
      unsafe record.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: offset, as: UInt8.self)
      rest >>= 7
      offset += 1
    }
    unsafe record.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: offset, as: UInt8.self)
    unsafe record.storeBytes(of: buffer.version, toByteOffset: writtenHeaderByteCount - 1, as: UInt8.self)
    unsafe end.initializeMemory(as: UInt8.self, repeating: 0, count: Self.sealedTrailerByteCount)
    return Written(range: buffer.endRecord(trailerByteCount: Self.sealedTrailerByteCount), token: 0)
  }

  /// The state of a record on its way to an encrypted backend.
  enum Sealing {
    case needed(epoch: UInt32, isPadded: Bool)
    case done
  }

  /// Returns whether a record still needs sealing; nil if the bytes are not a record of an encrypted store.
  static func sealing(of record: UnsafeRawBufferPointer) -> Sealing? {
    // A plain record without content is shorter than the additions of sealing.
    guard record.count >= minimumByteCount else { return nil }
    switch unsafe Format(rawValue: record[0]) {
    case .sealed, .sealed.padded, .plain: return .done
    default: break
    }
    guard record.count > headerByteCount + sealedTrailerByteCount,
      unsafe record[0] == unsealedFormat || record[0] == unsealedPaddedFormat
    else { return nil }
    var epoch: UInt32 = 0
    for index in 0..<5 {
      let byte = unsafe record[1 + index]
      epoch |= UInt32(byte & 0x7F) << (7 * index)
      if byte < 0x80 { return .needed(epoch: epoch, isPadded: unsafe record[0] == unsealedPaddedFormat) }
    }
    return nil
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
  /// The parts of a record that was checked successfully.
  @safe
  package struct Opened {
    package var version: UInt8
    /// The content, as a part of the bytes passed to `open`.
    package var content: UnsafeRawBufferPointer
    /// The record's last 8 bytes, by which a later save recognizes it.
    package var token: UInt64
  }

  /// Checks a row's record, and returns its parts.
  package func open(_ record: UnsafeRawBufferPointer, _ rowID: RowID) throws(RecordEnvelopeError) -> Opened {
    unsafe try open(record, seed: seed(rowID))
  }

  /// Checks a row's record, and returns its parts; nil if the record cannot be opened.
  @inline(__always)
  package func openIfSound(_ record: UnsafeRawBufferPointer, _ rowID: RowID) -> Opened? {
    do throws(RecordEnvelopeError) {
      return unsafe try open(record, seed: seed(rowID))
    } catch {
      return nil
    }
  }

  /// Checks the record under a byte key, and returns its parts.
  package func open(_ record: UnsafeRawBufferPointer, _ key: [UInt8]) throws(RecordEnvelopeError) -> Opened {
    unsafe try open(record, seed: seed(key))
  }

  /// Returns the parts of a plain record without verifying its check, for a store whose identity is lost.
  static func openUnchecked(_ record: UnsafeRawBufferPointer) -> Opened? {
    guard let format = unsafe Format.ofPlain(record.first) else { return nil }
    let trailerByteCount = trailerByteCount + (format == .plain ? 0 : 8)
    guard record.count >= headerByteCount + trailerByteCount else { return nil }
    let content = unsafe UnsafeRawBufferPointer(rebasing: record[headerByteCount..<(record.count - trailerByteCount)])
    return unsafe Opened(version: record[1], content: content, token: 0)
  }

  @inline(__always)
  private func open(_ record: UnsafeRawBufferPointer, seed: UInt64) throws(RecordEnvelopeError) -> Opened {
    guard epoch == 0 else { return try unsafe openUnsealed(record, seed: seed) }
    guard record.count >= Self.minimumByteCount, let start = record.baseAddress else {
      throw record.count == 0 ? .empty : .tooShort(byteCount: record.count)
    }
    let format = unsafe record[0]
    guard format == Format.plain.rawValue else { return try unsafe openKept(record, seed: seed) }
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

extension RecordEnvelope {
  /// Checks a plain record that keeps an earlier token.
  @inline(never)
  private func openKept(_ record: UnsafeRawBufferPointer, seed: UInt64) throws(RecordEnvelopeError) -> Opened {
    let format = unsafe record[0]
    guard format == Format.plain.keepingToken.rawValue, let start = record.baseAddress else {
      throw .unsupportedFormat(format)
    }
    guard record.count >= Self.minimumByteCount + 8 else { throw .tooShort(byteCount: record.count) }
    let checkOffset = record.count - 16
    let (stored, token) = unsafe (
      UInt64(littleEndian: record.loadUnaligned(fromByteOffset: checkOffset, as: UInt64.self)),
      UInt64(littleEndian: record.loadUnaligned(fromByteOffset: checkOffset + 8, as: UInt64.self))
    )
    let check = unsafe checksum(of: UnsafeRawBufferPointer(start: start, count: checkOffset), seed: seed ^ token)
    guard check == stored else { throw .checkMismatch }
    return unsafe Opened(
      version: record[1],
      content: UnsafeRawBufferPointer(
        start: start + Self.headerByteCount, count: checkOffset - Self.headerByteCount),
      token: token)
  }

  /// Returns the parts of a record that ``RecordSealing`` has opened.
  ///
  /// - Throws: The reason for which it could not be opened.
  @inline(__always)
  private func openUnsealed(
    _ record: UnsafeRawBufferPointer, seed: UInt64
  ) throws(RecordEnvelopeError) -> Opened {
    guard record.count >= Self.headerByteCount + Self.sealedTrailerByteCount, let start = record.baseAddress,
      unsafe record[0] == Self.openedFormat
    else { return try unsafe openPlain(record, seed: seed) }
    let contentByteCount = record.count - Self.headerByteCount - Self.sealedTrailerByteCount
    let token = unsafe record.loadUnaligned(fromByteOffset: record.count - 8, as: UInt64.self)
    return unsafe Opened(
      version: record[1],
      content: UnsafeRawBufferPointer(start: start + Self.headerByteCount, count: contentByteCount),
      token: UInt64(littleEndian: token))
  }

  /// Checks a plain record in an encrypted store.
  ///
  /// If the record is not plain, ``RecordSealing`` has refused it, and has replaced its first byte by a
  /// ``SealingRefusal``.
  @inline(never)
  private func openPlain(
    _ record: UnsafeRawBufferPointer, seed: UInt64
  ) throws(RecordEnvelopeError) -> Opened {
    guard unsafe Format.ofPlain(record.first) != nil else { throw unsafe refusal(of: record) }
    var plain = self
    plain.epoch = 0
    return try unsafe plain.open(record, seed: seed)
  }

  private func refusal(of record: UnsafeRawBufferPointer) -> RecordEnvelopeError {
    guard let first = unsafe record.first else { return .empty }
    return switch SealingRefusal(rawValue: first) {
    case .notSealed: .notSealed
    case .unknownEpoch: .unknownEpoch
    case .failed: .sealingFailed
    case .notAuthentic: .checkMismatch
    case nil: .unsupportedFormat(first)
    }
  }
}

/// The reason for which a record could not be opened.
package enum RecordEnvelopeError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The record has no bytes, not even an envelope.
  case empty
  /// The record has fewer bytes than any valid record.
  case tooShort(byteCount: Int)
  /// The format byte belongs to a later version or to a sealed record, or is damaged.
  case unsupportedFormat(UInt8)
  /// The record is damaged, or belongs to another row, class or store.
  case checkMismatch
  /// The store is encrypted, and the record is not.
  case notSealed
  /// The record is sealed under a key that the store does not have.
  case unknownEpoch
  /// Memory was exhausted, or libcrypto failed.
  case sealingFailed

  package var description: String {
    switch self {
    case .empty: "the record is empty"
    case .tooShort(let byteCount): "the record has only \(byteCount) bytes, fewer than any valid record"
    case .unsupportedFormat(let format): "the record's format byte, \(format), is unknown"
    case .checkMismatch: "the record is damaged, or belongs to another row or name"
    case .notSealed: "the record is not encrypted, though the store is"
    case .unknownEpoch: "the record is encrypted with a key that the store does not have"
    case .sealingFailed: "the record could not be decrypted: memory is exhausted, or libcrypto failed"
    }
  }
}

/// Returns the XXH3-64 of bytes.
@inline(__always)
func checksum(of bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  unsafe XXH_INLINE_XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
}

/// Returns the token of a record: its last 8 bytes as a little-endian number, or all bytes if there are fewer.
func recordToken(_ record: UnsafeRawBufferPointer) -> UInt64 {
  guard record.count >= 8 else { return unsafe record.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
  return UInt64(littleEndian: unsafe record.loadUnaligned(fromByteOffset: record.count - 8, as: UInt64.self))
}
