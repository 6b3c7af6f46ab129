internal import CSealing

/// An object that seals and opens records in place (`docs/formats/sealed-envelope.md`); used by one thread at a time.
@safe
final class Sealer: @unchecked Sendable {
  private let raw: OpaquePointer

  /// Takes ownership of a sealer.
  init(_ raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe tds_sealer_free(raw) }

  static var failure: BackendError {
    BackendError(.noMemory, "A record cannot be encrypted or decrypted: memory is exhausted, or libcrypto failed.")
  }

  /// Seals a record whose envelope names the epoch and has room for nonce and tag.
  func seal(
    _ record: UnsafeMutableRawBufferPointer, key: SealedKey, of keyspace: KeyspaceID, epoch: UInt32, isPadded: Bool,
    nonce: UnsafeRawPointer
  ) throws(BackendError) {
    guard let base = record.baseAddress else { throw Self.failure }
    let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
    let nonce = unsafe nonce.assumingMemoryBound(to: UInt8.self)
    let isDone =
      switch key {
      case .row(let rowID):
        unsafe tds_seal_row(raw, keyspace.rawValue, rowID, epoch, isPadded, nonce, bytes, record.count)
      case .name:
        unsafe tds_seal_key(
          raw, Int32(TDS_KIND_NAMED_BUFFER.rawValue), keyspace.rawValue, nil, 0, epoch, isPadded, nonce, bytes,
          record.count)
      case .entry(let code):
        unsafe code.withUnsafeBufferPointer { code in
          unsafe tds_seal_key(
            raw, Int32(TDS_KIND_TREE_ENTRY.rawValue), keyspace.rawValue, code.baseAddress, code.count, epoch, isPadded,
            nonce, bytes, record.count)
        }
      }
    guard isDone else { throw Self.failure }
  }

  /// Opens a record in place.
  ///
  /// - Returns: The position of the version byte and content, without padding; or the reason of the refusal.
  func open(
    _ record: UnsafeMutableRawBufferPointer, key: SealedKey, of keyspace: KeyspaceID
  ) -> Result<Range<Int>, SealingRefusal> {
    guard let base = record.baseAddress else { return .failure(.notSealed) }
    let bytes = unsafe base.assumingMemoryBound(to: UInt8.self)
    var offset = 0
    var count = 0
    let outcome =
      switch key {
      case .row(let rowID):
        unsafe tds_open_row(raw, keyspace.rawValue, rowID, bytes, record.count, bytes, &offset, &count)
      case .name:
        unsafe tds_open_key(
          raw, Int32(TDS_KIND_NAMED_BUFFER.rawValue), keyspace.rawValue, nil, 0, bytes, record.count, bytes, &offset,
          &count)
      case .entry(let code):
        unsafe code.withUnsafeBufferPointer { code in
          unsafe tds_open_key(
            raw, Int32(TDS_KIND_TREE_ENTRY.rawValue), keyspace.rawValue, code.baseAddress, code.count, bytes,
            record.count, bytes, &offset, &count)
        }
      }
    switch tds_outcome(UInt32(outcome)) {
    case TDS_OPENED:
      if tds_is_padded(unsafe record[0]) {
        // The last two bytes are the length of the padding.
        let padding =
          count < 2
          ? count : Int(unsafe record.loadUnaligned(fromByteOffset: offset + count - 2, as: UInt16.self).littleEndian)
        guard padding < count else { return .failure(.notAuthentic) }
        count -= padding
      }
      return .success(offset..<offset + count)
    case TDS_NOT_SEALED: return .failure(.notSealed)
    case TDS_UNKNOWN_EPOCH: return .failure(.unknownEpoch)
    case TDS_NOT_AUTHENTIC: return .failure(.notAuthentic)
    default: return .failure(.failed)
    }
  }

  static let nonceByteCount = Int(TDS_NONCE_SIZE)
  static let tokenByteCount = Int(TDS_TOKEN_SIZE)
}

/// The key of a sealed record, to which its envelope is bound.
enum SealedKey {
  /// A row id, to which the record is bound.
  case row(RowID)
  /// A name, with which the record itself begins.
  case name
  /// The code of a tree's key; the key itself is stored in the envelope, before the value.
  case entry([UInt8])
}

/// The reason why a sealed record is not opened.
///
/// The raw value replaces the record's format byte.
enum SealingRefusal: UInt8, Error {
  /// The record is not sealed; an encrypted store accepts no plain record.
  case notSealed = 0xF1
  /// The record is sealed with a key that the store does not have.
  case unknownEpoch = 0xF2
  /// The record is damaged, or was sealed for another key.
  case notAuthentic = 0xF3
  /// There was no memory, or libcrypto failed.
  case failed = 0xF4
}
