internal import CLibCrypto

/// HMAC-SHA256 (RFC 2104, FIPS 180-4) under one key, by libcrypto.
///
/// Not thread-safe: a thread has its own.
@safe
final class KeyedHash {
  static let byteCount = 32

  private let context: OpaquePointer

  /// - Throws: ``ArchiveError/Code/cryptography``.
  init(key: [UInt8]) throws(ArchiveError) {
    guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw Self.failure }
    defer { unsafe EVP_MAC_free(method) }
    guard let context = unsafe EVP_MAC_CTX_new(method) else { throw Self.failure }
    unsafe self.context = context
    // A parameter keeps the addresses of its name and value.
    var digest = Array("SHA256".utf8CString)
    let isReady = unsafe "digest".withCString { name in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        let parameters = unsafe [
          OSSL_PARAM_construct_utf8_string(name, digest.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return unsafe EVP_MAC_init(context, key, key.count, parameters) == 1
      }
    }
    if !isReady {
      unsafe EVP_MAC_CTX_free(context)
      throw Self.failure
    }
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// The 32 bytes of the hash.
  func hash(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Self.byteCount)
    var byteCount = 0
    // Without a key, the one before.
    let isDone =
      unsafe EVP_MAC_init(context, nil, 0, nil) == 1
      && EVP_MAC_update(context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) == 1
      && EVP_MAC_final(context, &hash, &byteCount, hash.count) == 1
    guard isDone, byteCount == Self.byteCount else { throw Self.failure }
    return hash
  }

  func hash(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
    try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe hash(bytes) }
  }

  func name(of bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> ContentName {
    guard let name = ContentName(try unsafe hash(bytes)) else { throw Self.failure }
    return name
  }

  private static var failure: ArchiveError {
    ArchiveError(.cryptography, "libcrypto could not compute an HMAC-SHA256.")
  }
}
