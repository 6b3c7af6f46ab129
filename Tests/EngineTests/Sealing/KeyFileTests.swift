import CSealingProbe
import TestSupport
import Testing

/// The key file, described in `docs/formats/key-file.md`.
@Suite struct KeyFileTests {
  private typealias Failure = KeyFileInMemory.Failure

  @Test func `each secret opens its slot, and other secrets do not`() throws {
    let file = KeyFileInMemory()
    let secrets: [KeyFileInMemory.Secret] = [
      .passphrase("correct horse"), .passphrase("battery staple"), .key([UInt8](repeating: 1, count: 16)),
      .key([UInt8](repeating: 1, count: 32)), .recoveryKey([UInt8](repeating: 2, count: 16)),
    ]
    for (index, secret) in secrets.enumerated() { #expect(try file.add(secret) == UInt32(index + 1)) }
    let read = try KeyFileInMemory(parsing: file.bytes)
    #expect(read.bytes == file.bytes)
    for (index, secret) in secrets.enumerated() {
      let unlocked = try read.unlock(secret)
      #expect(unlocked.master == KeyFileInMemory.master)
      #expect(unlocked.slot == UInt32(index + 1))
      #expect(try read.epoch() == 1)
    }
    for secret: KeyFileInMemory.Secret in [
      .passphrase("Correct horse"), .passphrase("correct hors"), .key([UInt8](repeating: 2, count: 16)),
      .recoveryKey([UInt8](repeating: 1, count: 16)), .passphrase(String(repeating: "a", count: 1 << 20)),
    ] {
      #expect(throws: Failure(code: TDS_WRONG_SECRET)) { try read.unlock(secret) }
    }
    try read.remove(1)
    #expect(throws: Failure(code: TDS_WRONG_SECRET)) { try read.unlock(secrets[0]) }
    #expect(try read.unlock(secrets[1]).slot == 2)
    #expect(throws: Failure(code: TDS_INVALID)) { try read.remove(1) }
    for slot in UInt32(2)...4 { try read.remove(slot) }
    #expect(throws: Failure(code: TDS_INVALID)) { try read.remove(5) }
  }

  @Test func `invalid secrets are refused`() throws {
    let file = KeyFileInMemory()
    for secret: KeyFileInMemory.Secret in [
      .passphrase(""), .key([]), .key([UInt8](repeating: 1, count: 15)), .key([UInt8](repeating: 1, count: 33)),
      .recoveryKey([UInt8](repeating: 1, count: 32)),
    ] {
      #expect(throws: Failure(code: TDS_INVALID)) { try file.add(secret) }
    }
    for number in 0..<64 { try file.add(.key([UInt8](repeating: UInt8(number), count: 16))) }
    #expect(throws: Failure(code: TDS_LIMIT)) { try file.add(.passphrase("one too many")) }
  }

  @Test func `the newest epoch is used for sealing`() throws {
    let file = KeyFileInMemory()
    try file.add(.passphrase("a"))
    try file.addKey(purpose: 1, number: 7, [UInt8](repeating: 7, count: 32))
    try file.addKey(purpose: 1, number: 3, [UInt8](repeating: 3, count: 32))
    let read = try KeyFileInMemory(parsing: file.bytes)
    _ = try read.unlock(.passphrase("a"))
    #expect(try read.epoch() == 7)
  }

  /// Flips each bit of a key file with two slots.
  @Test func `a flipped bit is found, unless it is in the slot of another secret`() throws {
    let file = KeyFileInMemory()
    try file.add(.passphrase("mine"))
    try file.add(.passphrase("another's"))
    let bytes = file.bytes
    let other = 64 + 144..<64 + 288
    var codes: [UInt32: Int] = [:]
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      do throws(Failure) {
        let read = try KeyFileInMemory(parsing: changed)
        let unlocked = try read.unlock(.passphrase("mine"))
        #expect(unlocked.master == KeyFileInMemory.master)
        _ = try read.epoch()
        #expect(other.contains(bit / 8), "bit \(bit) was not found")
      } catch {
        #expect([TDS_DAMAGED_KEYS, TDS_DAMAGED_SLOT, TDS_NEWER_FORMAT].contains(error.code), "bit \(bit): \(error)")
        #expect(!other.contains(bit / 8), "bit \(bit) is in another's slot")
        codes[error.code.rawValue, default: 0] += 1
      }
    }
    #expect(codes[TDS_DAMAGED_SLOT.rawValue] == 144 * 8)
    print("Flipped bits of a file of keys: \(bytes.count * 8) tried, outcomes by code \(codes)")
  }

  @Test func `truncated, extended or random bytes are refused`() throws {
    let file = KeyFileInMemory()
    try file.add(.passphrase("mine"))
    let bytes = file.bytes
    for count in 0..<bytes.count {
      #expect(throws: Failure(code: TDS_DAMAGED_KEYS)) { try KeyFileInMemory(parsing: Array(bytes[..<count])) }
    }
    #expect(throws: Failure(code: TDS_DAMAGED_KEYS)) { try KeyFileInMemory(parsing: bytes + [0]) }
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let noise = (0..<600).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: Failure.self) { try KeyFileInMemory(parsing: noise) }
      #expect(throws: Failure.self) { try KeyFileInMemory(parsing: Array(bytes[..<8]) + noise) }
    }
  }

  /// Writes key files with excessive or invalid costs, and with correct checks.
  @Test(
    arguments: [
      (30, 8, 1), (20, 16, 1), (16, 8, 1 << 20), (16, 1 << 20, 1), (16, UInt32.max, UInt32.max), (0, 8, 1), (64, 8, 1),
      (16, 0, 0), (255, 1, 1), (20, 8, 17),
    ] as [(UInt8, UInt32, UInt32)])
  func `a cost that would take hours or all memory is refused before any work`(
    log2N: UInt8, r: UInt32, p: UInt32
  ) throws {
    let file = KeyFileInMemory()
    try file.add(.passphrase("mine"))
    var bytes = file.bytes
    bytes[66] = log2N
    for index in 0..<4 {
      bytes[68 + index] = UInt8(truncatingIfNeeded: r >> (8 * UInt32(index)))
      bytes[72 + index] = UInt8(truncatingIfNeeded: p >> (8 * UInt32(index)))
    }
    let check = try #require(Primitives.sha256(Array(bytes[64..<200])))
    bytes.replaceSubrange(200..<208, with: check[..<8])
    let read = try KeyFileInMemory(parsing: bytes)
    #expect(throws: Failure(code: TDS_LIMIT)) { try read.unlock(.passphrase("mine")) }
  }

  @Test func `a slot that was moved to another store does not open`() throws {
    let file = KeyFileInMemory()
    try file.add(.key([UInt8](repeating: 9, count: 16)))
    var bytes = file.bytes
    bytes[16] ^= 1
    let check = try #require(Primitives.sha256(Array(bytes[..<56])))
    bytes.replaceSubrange(56..<64, with: check[..<8])
    let read = try KeyFileInMemory(parsing: bytes)
    #expect(throws: Failure(code: TDS_DAMAGED_SLOT)) { try read.unlock(.key([UInt8](repeating: 9, count: 16))) }
  }

  @Test func `a damaged slot stays damaged when the file is rewritten`() throws {
    let file = KeyFileInMemory()
    try file.add(.passphrase("mine"))
    try file.add(.passphrase("another's"))
    var bytes = file.bytes
    bytes[64 + 10] ^= 1
    let read = try KeyFileInMemory(parsing: bytes)
    #expect(throws: Failure(code: TDS_DAMAGED_SLOT)) { try read.unlock(.passphrase("mine")) }
    _ = try read.unlock(.passphrase("another's"))
    #expect(read.bytes == bytes)
    try read.add(.passphrase("a third"))
    #expect(Array(read.bytes[64..<64 + 144]) == Array(bytes[64..<64 + 144]))
  }
}
