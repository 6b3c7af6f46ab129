internal import CSealing

/// SHA-256 (FIPS 180-4), by libcrypto.
enum SHA256Digest {
  static let byteCount = 32

  /// Appends the digest of bytes.
  ///
  /// - Throws: ``StoreError/Code/backend`` where libcrypto fails.
  static func append(of bytes: UnsafeRawBufferPointer, to arena: ByteArena) throws(StoreError) {
    let start = arena.count
    arena.reserve(start + byteCount)
    let target = unsafe (arena.base + start).assumingMemoryBound(to: UInt8.self)
    guard let source = bytes.baseAddress else {
      throw StoreError(.backend, "There is nothing to make a digest of.")
    }
    unsafe tds_sha256(source.assumingMemoryBound(to: UInt8.self), bytes.count, target)
    arena.count = start + byteCount
    // What the function gives where it fails; no text is known that has this digest.
    let isZero = (start..<start + byteCount).allSatisfy {
      unsafe arena.base.load(fromByteOffset: $0, as: UInt8.self) == 0
    }
    if isZero { throw StoreError(.backend, "libcrypto could not make a digest of a long text.") }
  }
}
