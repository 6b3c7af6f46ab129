internal import Foundation
internal import Todana

/// Keys of documents that follow from their rows, so that no index is needed to find a document by its key.
///
/// Such a key is a UUID of version 8 (RFC 9562): 60 bits of the collection's salt, which is random, and 62 bits of the
/// row id, with the version and the variant between them.
enum DocumentKeys {
  static let saltBitCount = 60

  static func randomSalt() -> UInt64 { UInt64.random(in: 0..<(1 << saltBitCount)) }

  static func key(row: RowID, salt: UInt64) -> UUID {
    let high = (salt >> 12) << 16 | 0x8000 | (salt & 0xFFF)
    let low = 1 << 63 | (row & (1 << 62 - 1))
    return unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
      unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }

  /// Returns the row that a key leads to in the collection with a salt; nil for any other key.
  static func row(of key: UUID, salt: UInt64) -> RowID? {
    let (high, low) = unsafe withUnsafeBytes(of: key.uuid) { bytes in
      (
        UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    guard high & 0xF000 == 0x8000, low >> 62 == 0b10, (high >> 16) << 12 | (high & 0xFFF) == salt else { return nil }
    let row = low & (1 << 62 - 1)
    return row == 0 ? nil : row
  }
}
