internal import CLibCrypto

/// SHA-256 (FIPS 180-4) of bytes that come in pieces, by libcrypto.
///
/// Not thread-safe: a thread has its own.
@safe
final class SHA256Hash {
  static let byteCount = 32

  private let context: OpaquePointer

  /// - Throws: ``ArchiveError/Code/cryptography``.
  init() throws(ArchiveError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw Self.failure }
    unsafe self.context = context
    try start()
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  func add(_ bytes: [UInt8]) throws(ArchiveError) {
    guard unsafe EVP_DigestUpdate(context, bytes, bytes.count) == 1 else { throw Self.failure }
  }

  /// The 32 bytes of the hash; the next bytes begin another one.
  func finish() throws(ArchiveError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    var byteCount: UInt32 = 0
    guard unsafe EVP_DigestFinal_ex(context, &hash, &byteCount) == 1, byteCount == UInt32(Self.byteCount) else {
      throw Self.failure
    }
    try start()
    return hash
  }

  private func start() throws(ArchiveError) {
    guard unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else { throw Self.failure }
  }

  private static var failure: ArchiveError {
    ArchiveError(.cryptography, "libcrypto could not compute a SHA-256.")
  }
}
