import Testing

@testable import TodanaArchive

@Suite struct KeyedHashTests {
  // From RFC 4231, sections 4.2, 4.3 and 4.7.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `hashes equal the known answers each time`(key: [UInt8], message: [UInt8], expected: String) throws {
    let hash = try KeyedHash(key: key)
    for _ in 0..<3 {
      let hex = try hash.hash(message).map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
      }
      #expect(hex.joined() == expected)
    }
    let name = try #require(unsafe message.withUnsafeBytes { try? unsafe hash.name(of: $0) })
    #expect(name.description == expected.prefix(32))
  }
}
