internal import CLibCrypto
internal import Foundation

/// The decryption of records: AES-128-CBC with a key for each row, without authentication.
///
/// The salt is at the start of each decrypted record, which shows whether the passphrase is right.
package struct BNRCipher: Sendable {
  private let passphrase: [UInt8]
  private let salt: [UInt32]

  /// - Parameters:
  ///   - passphrase: The passphrase, not empty.
  ///   - salt: The two words of the class.
  package init(passphrase: String, salt: [UInt32]) {
    self.passphrase = Array(passphrase.utf8)
    self.salt = salt
  }

  private static let blockByteCount = 16

  /// Whether a record has a length that an encrypted one can have.
  package static func canBeEncrypted(_ byteCount: Int) -> Bool {
    byteCount > 0 && byteCount.isMultiple(of: blockByteCount)
  }

  /// Decrypts a record.
  ///
  /// - Returns: The record without salt and padding; nil if it is not encrypted, or with another passphrase.
  /// - Throws: ``LegacyError/Code/cannotOpen`` if libcrypto lacks an algorithm.
  package func decrypted(_ record: [UInt8], row: UInt32) throws(LegacyError) -> [UInt8]? {
    guard Self.canBeEncrypted(record.count), salt.count == 2 else { return nil }
    let saltBytes = Self.bytes(salt[0]) + Self.bytes(salt[1] ^ row)
    let key = try Self.digest(saltBytes + passphrase)
    let plain = try Self.decrypted(record, key: key)
    guard plain.starts(with: saltBytes) else { return nil }
    return Array(Self.withoutPadding(plain[...]).dropFirst(saltBytes.count))
  }

  private static func bytes(_ word: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }

  private static func withoutPadding(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let last = bytes.last, (1...UInt8(blockByteCount)).contains(last),
      bytes.suffix(Int(last)).allSatisfy({ $0 == last })
    else { return bytes }
    return bytes.dropLast(Int(last))
  }

  /// Returns the MD5 of bytes.
  private static func digest(_ bytes: [UInt8]) throws(LegacyError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: blockByteCount)
    // The digest of MD5 has 16 bytes, which is the size of the array.
    guard unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_md5(), nil) == 1 else {
      throw LegacyError(.cannotOpen, "libcrypto does not provide MD5, which the keys are made with")
    }
    return digest
  }

  private static func decrypted(_ record: [UInt8], key: [UInt8]) throws(LegacyError) -> [UInt8] {
    let failure = LegacyError(.cannotOpen, "libcrypto does not provide AES-128-CBC")
    let vector = [UInt8](repeating: 0, count: blockByteCount)
    // The output of a decryption without padding is not longer than its input; a block more is for safety.
    var plain = [UInt8](repeating: 0, count: record.count + blockByteCount)
    var count: Int32 = 0
    // The context is freed below, and no other code has it.
    guard let context = unsafe EVP_CIPHER_CTX_new(), let byteCount = Int32(exactly: record.count) else { throw failure }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    guard unsafe EVP_DecryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1,
      unsafe EVP_DecryptUpdate(context, &plain, &count, record, byteCount) == 1, Int(count) == record.count
    else { throw failure }
    return Array(plain.prefix(record.count))
  }
}
