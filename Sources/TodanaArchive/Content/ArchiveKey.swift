internal import CLibCrypto

/// The secret that content names and chunk boundaries depend on: 32 random bytes, stored in the archive itself.
///
/// It is encrypted like all data. Key rotation does not change it, so names and boundaries stay the same.
public struct ArchiveKey: Sendable {
  static let byteCount = 32

  let bytes: [UInt8]

  /// Creates a random key.
  ///
  /// - Throws: ``ArchiveError/Code/cryptography`` if libcrypto provides no random bytes.
  init() throws(ArchiveError) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    guard unsafe RAND_bytes(&bytes, Int32(Self.byteCount)) == 1 else {
      throw ArchiveError(.cryptography, "libcrypto could not create random bytes.")
    }
    self.bytes = bytes
  }

  /// Creates a key from the bytes that an archive stores; nil if they are not 32 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Returns the hash that computes content names.
  func makeNamer() throws(ArchiveError) -> KeyedHash {
    try KeyedHash(key: try KeyedHash(key: bytes).hash(Array("Todana archive: names".utf8)))
  }

  /// Returns the chunker of the archive.
  ///
  /// Its table is derived from the secret: each of 64 hashes, of a label and a number, gives four little-endian
  /// entries.
  func makeChunker(_ sizes: Chunker.Sizes = .standard) throws(ArchiveError) -> Chunker {
    let hash = try KeyedHash(key: bytes)
    var gear: [UInt64] = []
    for number in 0..<64 as Range<UInt8> {
      let block = try hash.hash(Array("Todana archive: gear".utf8) + [number])
      for start in stride(from: 0, to: block.count, by: 8) {
        gear.append(block[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
    }
    return Chunker(gear: gear, sizes: sizes)
  }
}
