import CSealingProbe
import Testing

/// Published test vectors of all primitives that sealing uses.
@Suite struct KnownAnswerTests {
  struct GCMVector: Sendable, CustomTestStringConvertible {
    var source: String
    var key: String
    var nonce: String
    var plaintext = ""
    var associated = ""
    var ciphertext = ""
    var tag: String
    var testDescription: String { source }
  }

  /// Vectors of NIST CAVP and of McGrew and Viega.
  ///
  /// The files are `gcmEncryptExtIV128.rsp` and the test cases of "The Galois/Counter Mode of Operation (GCM)", on
  /// which NIST SP 800-38D is based.
  static let gcmVectors = [
    GCMVector(
      source: "CAVP 128, nothing", key: "11754cd72aec309bf52f7687212e8957", nonce: "3c819d9a9bed087615030b65",
      tag: "250327c674aaf477aef2675748cf6971"),
    GCMVector(
      source: "CAVP 128, associated data only", key: "77be63708971c4e240d1cb79e8d77feb",
      nonce: "e0e00f19fed7ba0136a797f3", associated: "7a43ec1d9c0a5a78a0b16533a6213cab",
      tag: "209fcc8d3675ed938e9c7166709dd946"),
    GCMVector(
      source: "CAVP 128, a block", key: "7fddb57453c241d03efbed3ac44e371c", nonce: "ee283a3fc75575e33efd4887",
      plaintext: "d5de42b461646c255c87bd2962d3b9a2", ciphertext: "2ccda4a5415cb91e135c2a0f78c9b2fd",
      tag: "b36d1df9b9d5e596f83e8b7f52971cb3"),
    GCMVector(
      source: "CAVP 128, 51 bytes with 20", key: "fe47fcce5fc32665d2ae399e4eec72ba", nonce: "5adb9609dbaeb58cbd6e7275",
      plaintext:
        "7c0e88c88899a779228465074797cd4c2e1498d259b54390b85e3eef1c02df60e743f1b840382c4bccaf3bafb4ca8429bea063",
      associated: "88319d6e1d3ffa5f987199166c8a9b56c2aeba5a",
      ciphertext:
        "98f4826f05a265e6dd2be82db241c0fbbbf9ffb1c173aa83964b7cf5393043736365253ddbc5db8778371495da76d269e5db3e",
      tag: "291ef1982e4defedaa2249f898556b47"),
    GCMVector(
      source: "CAVP 128, 51 bytes with 90", key: "2c1f21cf0f6fb3661943155c3e3d8492", nonce: "23cb5ff362e22426984d1907",
      plaintext:
        "42f758836986954db44bf37c6ef5e4ac0adaf38f27252a1b82d02ea949c8a1a2dbc0d68b5615ba7c1220ff6510e259f06655d8",
      associated: """
        5d3624879d35e46849953e45a32a624d6a6c536ed9857c613b572b0333e701557a713e3f010ecdf9a6bd6c9e3e44b065208645aff4aabee6
        11b391528514170084ccf587177f4488f33cfb5e979e42b6e1cfc0a60238982a7aec
        """,
      ciphertext:
        "81824f0e0d523db30d3da369fdc0d60894c7a0a20646dd015073ad2732bd989b14a222b6ad57af43e1895df9dca2a5344a62cc",
      tag: "57a3ee28136e94c74838997ae9823f3a"),
    GCMVector(
      source: "CAVP 128, 13 bytes", key: "fe9bb47deb3a61e423c2231841cfd1fb", nonce: "4d328eb776f500a2f7fb47aa",
      plaintext: "f1cc3818e421876bb6b8bbd6c9", ciphertext: "b88c5c1977b35b517b0aeae967",
      tag: "43fd4727fe5cdb4b5b42818dea7ef8c9"),
    GCMVector(
      source: "McGrew and Viega 4", key: "feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657
        ba637b39
        """,
      associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: """
        42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac97
        3d58e091
        """, tag: "5bc94fbc3221a5db94fae95ae7121a47"),
    GCMVector(
      source: "McGrew and Viega 14, 256 bits",
      key: "0000000000000000000000000000000000000000000000000000000000000000", nonce: "000000000000000000000000",
      plaintext: "00000000000000000000000000000000", ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMVector(
      source: "McGrew and Viega 16, 256 bits",
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", nonce: "cafebabefacedbaddecaf888",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657
        ba637b39
        """,
      associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0a
        bcc9f662
        """, tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test("AES-GCM seals and opens as published", arguments: gcmVectors)
  func gcm(vector: GCMVector) throws {
    let key = [UInt8](hex: vector.key), nonce = [UInt8](hex: vector.nonce)
    let associated = [UInt8](hex: vector.associated), plaintext = [UInt8](hex: vector.plaintext)
    let sealed = try #require(
      Primitives.gcmSeal(key: key, nonce: nonce, associated: associated, plaintext: plaintext))
    #expect(sealed.ciphertext == [UInt8](hex: vector.ciphertext))
    #expect(sealed.tag == [UInt8](hex: vector.tag))
    let opened = Primitives.gcmOpen(
      key: key, nonce: nonce, associated: associated, ciphertext: sealed.ciphertext, tag: sealed.tag)
    #expect(opened.isAuthentic)
    #expect(opened.output == plaintext)
  }

  @Test("no plaintext is returned for a wrong tag", arguments: gcmVectors)
  func gcmWrongTag(vector: GCMVector) throws {
    let key = [UInt8](hex: vector.key), nonce = [UInt8](hex: vector.nonce)
    let ciphertext = [UInt8](hex: vector.ciphertext), tag = [UInt8](hex: vector.tag)
    for bit in 0..<128 {
      var wrong = tag
      wrong[bit / 8] ^= 1 << (bit % 8)
      let opened = Primitives.gcmOpen(
        key: key, nonce: nonce, associated: [UInt8](hex: vector.associated), ciphertext: ciphertext, tag: wrong)
      #expect(!opened.isAuthentic)
      #expect(opened.output.allSatisfy { $0 == 0 })
    }
  }

  @Test("AES-GCM refuses keys of other lengths", arguments: [0, 1, 15, 17, 24, 31, 33, 64])
  func gcmKeyLength(count: Int) {
    let key = [UInt8](repeating: 1, count: count)
    #expect(
      Primitives.gcmSeal(key: key, nonce: [UInt8](repeating: 0, count: 12), associated: [], plaintext: [1]) == nil)
  }

  /// Uses RFC 5297, appendix A, which has vectors of AES-128-SIV.
  @Test("AES-SIV wraps and unwraps as in RFC 5297")
  func siv() throws {
    let key = [UInt8](hex: "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    let associated = [[UInt8](hex: "101112131415161718191a1b1c1d1e1f2021222324252627")]
    let plaintext = [UInt8](hex: "112233445566778899aabbccddee")
    let sealed = try #require(Primitives.sivSeal(key: key, associated: associated, plaintext: plaintext))
    #expect(sealed.hex == "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c")
    #expect(Primitives.sivOpen(key: key, associated: associated, sealed: sealed) == plaintext)

    let otherKey = [UInt8](hex: "7f7e7d7c7b7a79787776757473727170404142434445464748494a4b4c4d4e4f")
    let parts = [
      [UInt8](hex: "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100"),
      [UInt8](hex: "102030405060708090a0"), [UInt8](hex: "09f911029d74e35bd84156c5635688c0"),
    ]
    let text = Array("this is some plaintext to encrypt using SIV-AES".utf8)
    let other = try #require(Primitives.sivSeal(key: otherKey, associated: parts, plaintext: text))
    let expected = """
      7bdb6e3b432667eb06f4d14bff2fbd0fcb900f2fddbe404326601965c889bf17dba77ceb094fa663b7a3f748ba8af829ea64ad544a272e9c
      485b62a3fd5c0d
      """
    #expect(other == [UInt8](hex: expected))
    #expect(Primitives.sivOpen(key: otherKey, associated: parts, sealed: other) == text)
  }

  @Test("AES-256-SIV unwraps what it wrapped, and nothing else", arguments: 0..<(48 + 10) * 8)
  func siv256(bit: Int) throws {
    let key = (0..<64).map { UInt8($0) }
    let associated = Array("ten  bytes".utf8), plaintext = (100..<132).map { UInt8($0) }
    let sealed = try #require(Primitives.sivSeal(key: key, associated: [associated], plaintext: plaintext))
    #expect(Primitives.sivOpen(key: key, associated: [associated], sealed: sealed) == plaintext)
    var changed = sealed + associated
    changed[bit / 8] ^= 1 << (bit % 8)
    let opened = Primitives.sivOpen(key: key, associated: [Array(changed[48...])], sealed: Array(changed[..<48]))
    #expect(opened == nil)
  }

  /// Uses RFC 5869, appendix A, test cases 1 and 3.
  @Test("HKDF-SHA256 derives as in RFC 5869")
  func hkdf() {
    let secret = [UInt8](repeating: 0x0B, count: 22)
    let derived = Primitives.hkdf(
      secret: secret, salt: (0...0x0C).map { UInt8($0) }, info: (0xF0...0xF9).map { UInt8($0) }, count: 42)
    #expect(
      derived?.hex == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    let plain = Primitives.hkdf(secret: secret, salt: [], info: [], count: 42)
    #expect(plain?.hex == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
  }

  /// Uses RFC 4231, test cases 1 and 2, and for the hash alone the example of FIPS 180-4.
  @Test("HMAC-SHA256 and SHA-256 are as published")
  func hmac() {
    #expect(
      Primitives.hmac(key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8))?.hex
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      Primitives.hmac(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))?.hex
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      Primitives.sha256(Array("abc".utf8))?.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  struct ScryptVector: Sendable {
    var passphrase: String
    var salt: String
    var log2N: UInt8
    var r: UInt32
    var p: UInt32
    var key: String
  }

  /// Uses RFC 7914, section 12.
  @Test(
    "scrypt derives as in RFC 7914",
    arguments: [
      ScryptVector(
        passphrase: "", salt: "", log2N: 4, r: 1, p: 1,
        key: """
          77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d36
          28cf35e20c38d18906
          """),
      ScryptVector(
        passphrase: "password", salt: "NaCl", log2N: 10, r: 8, p: 16,
        key: """
          fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee
          6d8360cbdfa2cc0640
          """),
      ScryptVector(
        passphrase: "pleaseletmein", salt: "SodiumChloride", log2N: 14, r: 8, p: 1,
        key: """
          7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e
          40dfcf017b45575887
          """),
    ])
  func scrypt(vector: ScryptVector) {
    let derived = Primitives.scrypt(
      passphrase: Array(vector.passphrase.utf8), salt: Array(vector.salt.utf8), log2N: vector.log2N, r: vector.r,
      p: vector.p, count: 64)
    #expect(derived.code == TDS_OK)
    #expect(derived.key == [UInt8](hex: vector.key))
  }

  @Test(
    "scrypt refuses what would take hours or all memory",
    arguments: [
      (0, 8, 1), (21, 8, 1), (30, 8, 1), (31, 1, 1), (63, 8, 1), (255, 8, 1), (16, 0, 1), (16, 8, 0), (16, 8, 257),
      (16, UInt32.max, 1), (16, 8, UInt32.max), (1, UInt32.max, UInt32.max), (20, 8, 17), (10, 1 << 14, 1),
    ] as [(UInt8, UInt32, UInt32)])
  func scryptLimits(log2N: UInt8, r: UInt32, p: UInt32) {
    let derived = Primitives.scrypt(passphrase: [1], salt: [1], log2N: log2N, r: r, p: p, count: 32)
    #expect(derived.code == TDS_LIMIT)
  }

  /// Checks CBC-MAC, for which NIST SP 800-38B and RFC 4493 have no vectors, because they define CMAC only.
  ///
  /// With one block it is the block cipher itself (FIPS 197, C.1). With two it is the last block of CBC with a zero
  /// vector (NIST SP 800-38A).
  @Test("a block MAC is AES of a block, and CBC of several")
  func blockMAC() {
    let key = [UInt8](hex: "000102030405060708090a0b0c0d0e0f")
    let block = [UInt8](hex: "00112233445566778899aabbccddeeff")
    let mac = Primitives.blockMAC(key: key, message: block)
    #expect(mac?.hex == "69c4e0d86a7b0430d8cdb78070b4c55a")
    let second = zip(mac ?? [], block).map { $0 ^ $1 }
    #expect(Primitives.blockMAC(key: key, message: block + block) == Primitives.blockMAC(key: key, message: second))
    #expect(Primitives.blockMAC(key: key, message: [1, 2, 3]) == nil)
  }
}
