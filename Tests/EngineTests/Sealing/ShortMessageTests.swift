import TestSupport
import Testing

/// Short messages, whose tags Todana computes itself, against libcrypto's own AES-GCM.
@Suite struct ShortMessageTests {
  /// Takes every length up to 1,100 bytes, and thus also those beyond the faster method's.
  @Test(arguments: [16, 32])
  func `messages of each length are sealed as by libcrypto`(keyByteCount: Int) throws {
    var random = SeededGenerator(seed: 1)
    func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }
    for count in 0...1100 {
      let key = bytes(keyByteCount), nonce = bytes(12), plaintext = bytes(count)
      let associated = bytes(count % 3 == 0 ? 0 : Int.random(in: 1...1100, using: &random))
      let sealed = try #require(
        Primitives.gcmSeal(key: key, nonce: nonce, associated: associated, plaintext: plaintext))
      let expected = try #require(
        Primitives.gcmSealByLibrary(key: key, nonce: nonce, associated: associated, plaintext: plaintext))
      try #require(sealed == expected, "\(count) bytes with \(associated.count)")
      let opened = Primitives.gcmOpen(
        key: key, nonce: nonce, associated: associated, ciphertext: sealed.ciphertext, tag: sealed.tag)
      try #require(opened.isAuthentic && opened.output == plaintext)
    }
  }

  /// Draws keys, nonces and contents of equal bits too: they reach the ends of carries and reductions.
  @Test func `extreme bits are sealed as by libcrypto`() throws {
    var random = SeededGenerator(seed: 2)
    func bytes(_ count: Int) -> [UInt8] {
      let patterns: [UInt8] = [0, 0xFF, 0x80, 0x01]
      guard let pattern = patterns.randomElement(using: &random), Bool.random(using: &random) else {
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      return [UInt8](repeating: pattern, count: count)
    }
    for _ in 0..<2000 {
      let key = bytes(Bool.random(using: &random) ? 16 : 32), nonce = bytes(12)
      let plaintext = bytes(Int.random(in: 0...300, using: &random))
      let associated = bytes(Int.random(in: 0...150, using: &random))
      let sealed = try #require(
        Primitives.gcmSeal(key: key, nonce: nonce, associated: associated, plaintext: plaintext))
      let expected = try #require(
        Primitives.gcmSealByLibrary(key: key, nonce: nonce, associated: associated, plaintext: plaintext))
      try #require(sealed == expected)
    }
  }

  /// Flips each bit of nonce, associated data, ciphertext and tag.
  @Test(arguments: [0, 1, 40, 1024])
  func `a flipped bit is refused, and nothing is returned`(count: Int) throws {
    let key = (0..<16).map { UInt8($0) }
    let parts = [[UInt8](repeating: 3, count: 12), Array("Todana".utf8)]
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let sealed = try #require(
      Primitives.gcmSeal(key: key, nonce: parts[0], associated: parts[1], plaintext: plaintext))
    let all = parts + [sealed.ciphertext, sealed.tag]
    for part in all.indices {
      for bit in 0..<all[part].count * 8 {
        var changed = all
        changed[part][bit / 8] ^= 1 << UInt8(bit % 8)
        let opened = Primitives.gcmOpen(
          key: key, nonce: changed[0], associated: changed[1], ciphertext: changed[2], tag: changed[3])
        try #require(!opened.isAuthentic && opened.output.allSatisfy { $0 == 0 })
      }
    }
  }
}
