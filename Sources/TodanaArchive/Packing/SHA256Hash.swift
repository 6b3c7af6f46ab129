internal import CSealing

/// SHA-256 (FIPS 180-4) of bytes that are added in pieces, computed by libcrypto.
///
/// Not thread-safe: each thread has its own.
@safe
final class SHA256Hash {
  static let byteCount = Int(TDS_HASH_SIZE)

  private let handle: OpaquePointer

  /// Starts a hash.
  ///
  /// - Throws: ``ArchiveError/Code/cryptography``.
  init() throws(ArchiveError) {
    guard let handle = unsafe tds_hash_create() else { throw Self.failure }
    unsafe self.handle = handle
  }

  deinit { unsafe tds_hash_free(handle) }

  func add(_ bytes: [UInt8]) throws(ArchiveError) {
    guard unsafe tds_hash_add(handle, bytes, bytes.count) else { throw Self.failure }
  }

  /// Returns the 32 bytes of the hash, and starts another one.
  func finish() throws(ArchiveError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    guard unsafe tds_hash_finish(handle, &hash) else { throw Self.failure }
    return hash
  }

  private static var failure: ArchiveError {
    ArchiveError(.cryptography, "libcrypto could not compute a SHA-256.")
  }
}
