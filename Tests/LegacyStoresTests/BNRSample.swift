import CLibCrypto
import Foundation

/// Records and files in the form of BNRPersistence.
enum BNRSample {
  static func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

  static func text(_ text: String) -> [UInt8] { word(UInt32(text.utf8.count)) + Array(text.utf8) }

  static func double(_ value: Double) -> [UInt8] {
    (0..<8).reversed().map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
  }

  static func metadata(lastRow: UInt32, classID: UInt8, salt: [UInt32] = [0x1122_3344, 0x5566_7788]) -> [UInt8] {
    word(lastRow) + [1, classID] + salt.flatMap(word)
  }

  /// Encrypts a record as the library does: MD5 of salt and passphrase as the key, AES-128-CBC, salt at the start.
  static func encrypted(_ record: [UInt8], row: UInt32, passphrase: String, salt: [UInt32]) -> [UInt8] {
    let saltBytes = word(salt[0]) + word(salt[1] ^ row)
    let keyInput = saltBytes + Array(passphrase.utf8)
    var key = [UInt8](repeating: 0, count: 16)
    _ = unsafe EVP_Digest(keyInput, keyInput.count, &key, nil, EVP_md5(), nil)
    let plain = saltBytes + record
    var cipher = [UInt8](repeating: 0, count: plain.count + 32)
    var count: Int32 = 0
    var rest: Int32 = 0
    let vector = [UInt8](repeating: 0, count: 16)
    // The output has room for the padding, and the context is freed here.
    let context = unsafe EVP_CIPHER_CTX_new()
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    _ = unsafe EVP_EncryptInit_ex(context, EVP_aes_128_cbc(), nil, key, vector)
    _ = unsafe EVP_EncryptUpdate(context, &cipher, &count, plain, Int32(plain.count))
    let start = Int(count)
    _ = unsafe cipher.withUnsafeMutableBufferPointer { buffer in
      unsafe EVP_EncryptFinal_ex(context, buffer.baseAddress.map { unsafe $0 + start }, &rest)
    }
    return Array(cipher.prefix(start + Int(rest)))
  }

  /// Makes a store with two classes and a named buffer.
  static func make(_ path: String, passphrase: String? = nil) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let salt: [UInt32] = [0x1122_3344, 0x5566_7788]
    func stored(_ record: [UInt8], _ row: UInt32) -> [UInt8] {
      passphrase.map { encrypted(record, row: row, passphrase: $0, salt: salt) } ?? record
    }
    try TokyoSample.write(
      [
        (word(1), metadata(lastRow: 4, classID: 0)),
        (word(3), stored([0] + text("Blue") + word(337), 3)), (word(2), stored([0] + text("Test Song") + word(545), 2)),
        (word(4), stored([0] + text("Gone") + word(1), 4)),
      ], removing: [word(4)], to: path + "/Song")
    try TokyoSample.write(
      [
        (word(1), metadata(lastRow: 2, classID: 1)),
        (word(2), stored([0] + text("Mine") + word(2) + word(2) + word(3) + [0] + word(3), 2)),
      ], to: path + "/Playlist")
    try TokyoSample.write([(Array("Favorite".utf8), [1, 2, 3])], to: path + "/NamedBuffers")
    // The directory of a text index is no class.
    try FileManager.default.createDirectory(atPath: path + "/Song-title.tindx", withIntermediateDirectories: true)
  }

  static let schemas = [
    "Song: title string, seconds uint32", "Playlist: title string, songs array Song, best reference any",
  ]
}
