internal import CLibCrypto

/// The secret of an archive that names and cuts depend on: 32 random bytes, kept in the archive itself.
///
/// It is sealed with everything else; a key change leaves it as it is, so names stay what they are.
public struct ArchiveKey: Sendable {
  static let byteCount = 32

  let bytes: [UInt8]

  /// A new one.
  ///
  /// - Throws: ``ArchiveError/Code/cryptography`` where libcrypto has no randomness.
  init() throws(ArchiveError) {
    var bytes = [UInt8](repeating: 0, count: Self.byteCount)
    guard unsafe RAND_bytes(&bytes, Int32(Self.byteCount)) == 1 else {
      throw ArchiveError(.cryptography, "libcrypto gave no random bytes.")
    }
    self.bytes = bytes
  }

  /// From an archive; nil where these are not 32 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// What names content.
  func makeNamer() throws(ArchiveError) -> KeyedHash {
    try KeyedHash(key: try KeyedHash(key: bytes).hash(Array("Todana archive: names".utf8)))
  }

  /// The chunker's table: the hashes of its use and a number, 0 to 63, each of which gives four entries, the lowest byte
  /// first.
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
