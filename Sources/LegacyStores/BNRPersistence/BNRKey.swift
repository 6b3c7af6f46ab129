internal import CLibCrypto

package import struct Foundation.UUID

/// The key of the document that a row becomes, which references to the row contain.
///
/// It is a UUID of version 8 (RFC 9562): the beginning of the SHA-256 of `BNRPersistence`, a NUL, the name of the class,
/// a NUL, and the row id in four bytes, the least significant first.
package enum BNRKey {
  package static func key(className: String, row: UInt32) throws(LegacyError) -> UUID {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes =
      Array("BNRPersistence\0\(className)\0".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: row >> ($0 * 8)) }
    // The digest of SHA-256 has 32 bytes, which is the size of the array.
    guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
      throw LegacyError(.cannotOpen, "libcrypto does not provide SHA-256")
    }
    digest[6] = 0x80 | digest[6] & 0x0F
    digest[8] = 0x80 | digest[8] & 0x3F
    guard let key = UUID(ofBytes: Array(digest.prefix(16))) else {
      throw LegacyError(.cannotOpen, "the key of a row has no 16 bytes")
    }
    return key
  }
}
