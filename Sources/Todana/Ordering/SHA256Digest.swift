internal import CSealing

/// SHA-256 (FIPS 180-4), computed by libcrypto.
enum SHA256Digest {
  static let byteCount = Int(TDS_HASH_SIZE)

  /// Appends the digest of bytes.
  ///
  /// - Throws: ``StoreError/Code/backend`` if the buffer has no address, or libcrypto fails.
  static func append(of bytes: UnsafeRawBufferPointer, to arena: ByteArena) throws(StoreError) {
    let start = arena.count
    arena.reserve(start + byteCount)
    let target = unsafe (arena.base + start).assumingMemoryBound(to: UInt8.self)
    guard let source = bytes.baseAddress else {
      throw StoreError(.backend, "There are no bytes to compute a digest of.")
    }
    guard unsafe tds_sha256(source.assumingMemoryBound(to: UInt8.self), bytes.count, target) else {
      throw StoreError(.backend, "libcrypto could not compute the digest of a long text.")
    }
    arena.count = start + byteCount
  }
}
