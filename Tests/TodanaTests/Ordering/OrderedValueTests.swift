// The keys of indexes: they sort like their values and can be read back.
import Foundation
import TestSupport
import Testing

@testable import Todana

private enum Mood: Int8, OrderedValue { case calm = -3, wild = 7, odd = 0 }

@Suite struct OrderedValueTests {
  private func key(_ value: some IndexedValue, limit: Int = .max) -> [UInt8] {
    let arena = ByteArena()
    var writer = KeyWriter(arena: arena, textByteLimit: limit)
    value.writeKey(to: &writer)
    return unsafe Array(arena.bytes)
  }

  /// Compares each two of the values, and their keys.
  private func check<Value: OrderedValue>(_ values: [Value], _ name: String = "\(Value.self)") throws {
    let keys = values.map { key($0) }
    for (left, leftKey) in zip(values, keys) {
      for (right, rightKey) in zip(values, keys) {
        #expect(Value.isEqual(left, right) == (leftKey == rightKey), "\(name): \(left) and \(right)")
        #expect(
          Value.precedes(left, right) == leftKey.lexicographicallyPrecedes(rightKey), "\(name): \(left) and \(right)")
        #expect(leftKey == rightKey || !rightKey.starts(with: leftKey), "\(name): a key begins another")
      }
      let back = try unsafe leftKey.withUnsafeBytes { bytes throws(KeyError) in
        var reader = unsafe KeyReader(bytes)
        let value = try Value.readKey(from: &reader)
        if !reader.isAtEnd { throw KeyError("not all was read") }
        return value
      }
      #expect(Value.isEqual(back, left), "\(name): \(left) reads back as \(back)")
    }
  }

  @Test func `the order of keys is the order of values, and values read back`() throws {
    var generator = SeededGenerator(seed: 11)
    func integers<Number: FixedWidthInteger & OrderedValue>(_ type: Number.Type) throws {
      let random = (0..<40).map { _ in Number.random(in: .min ... .max, using: &generator) }
      try check(random + [.min, .max, 0, 1, .max - 1, .min + 1, 0 &- 1])
    }
    try integers(Int8.self)
    try integers(Int16.self)
    try integers(Int32.self)
    try integers(Int64.self)
    try integers(Int.self)
    try integers(UInt8.self)
    try integers(UInt16.self)
    try integers(UInt32.self)
    try integers(UInt64.self)
    try integers(UInt.self)
    try check([false, true])
    let doubles: [Double] =
      [
        0, -0.0, 1, -1, .infinity, -.infinity, .nan, -.nan, .signalingNaN, .leastNonzeroMagnitude,
        -.leastNonzeroMagnitude, .pi,
      ]
      + (0..<60).map { _ in Double(bitPattern: generator.next()) }
    try check(doubles)
    try check(doubles.map { Float($0) })
    try check(doubles.map { Date(timeIntervalSinceReferenceDate: $0) })
    try check(doubles.map { Optional($0) } + [nil])
    let texts =
      [
        "", "a", "A", "ab", "\u{0}", "\u{0}\u{0}", "a\u{0}", "a\u{0}b", "é", "e\u{301}", "z", "日本", "\u{10FFFF}",
        "\u{1}",
      ]
      + (0..<40).map { _ in
        String(
          decoding: (0..<Int.random(in: 0..<6, using: &generator)).map { _ in UInt8.random(in: 0..<4, using: &generator)
          }, as: UTF8.self)
      }
    try check(texts)
    try check(texts.map { Optional($0) } + [nil])
    try check(texts.map { Data($0.utf8) } + [Data([0xFF, 0xFF]), Data([0xFF])])
    try check([Optional<Optional<Int>>.none, .some(nil), .some(1), .some(-1)])
    try check((0..<20).map { _ in UUID(uuidString: UUID().uuidString) ?? UUID() })
    try check([URL(string: "http://a/b"), URL(string: "http://a"), URL(string: "file:///x"), nil])
    let decimals = [
      "0", "1", "-1", "10", "-10", "0.1", "-0.1", "0.10", "123456789.987654321", "1e100", "-1e100", "1e-100", "99",
      "9.9", "100",
    ]
    .compactMap { Decimal(string: $0) }
    // With the least and the greatest exponents, which differ from the exponents of the first digit.
    let extremeDecimals =
      [-128, -127, -126, -90, 89, 90, 126, 127].flatMap { exponent in
        ["1", "12", "123456789012345678901234567890123456789"].compactMap { Decimal(string: $0) }.flatMap {
          [
            Decimal(sign: .plus, exponent: exponent, significand: $0),
            Decimal(sign: .minus, exponent: exponent, significand: $0),
          ]
        }
      } + [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude]
    try check(decimals + extremeDecimals + [.nan])
    try check([Mood.calm, .wild, .odd])
    try check([
      AnyObjectID(classID: KeyspaceID(rawValue: 3), rowID: 7),
      AnyObjectID(classID: KeyspaceID(rawValue: 3), rowID: 256),
    ])
  }

  @Test func `a text that is too long is ordered by its beginning`() throws {
    let limit = KeyWriter.indexTextByteLimit
    let base = String(repeating: "x", count: limit)
    let texts = [
      String(base.dropLast()), base, base + "\u{0}", base + "a", base + "b", String(base.dropLast()) + "y",
      String(base.dropLast()) + "\u{0}a",
    ]
    .sorted { String.precedes($0, $1) }
    let keys = texts.map { key($0, limit: limit) }
    #expect(Set(keys).count == keys.count)
    #expect(keys.allSatisfy { $0.count <= limit + 34 })
    for (position, text) in texts.enumerated() {
      for other in texts.indices where other > position {
        // Texts that begin with the same 128 bytes are in any order.
        if text.utf8.prefix(limit - 1).elementsEqual(texts[other].utf8.prefix(limit - 1)) { continue }
        #expect(keys[position].lexicographicallyPrecedes(keys[other]))
      }
    }
    let known = key(base, limit: limit)
    for longer in [base + "a", base + "b"] { #expect(known.lexicographicallyPrecedes(key(longer, limit: limit))) }
  }

  @Test func `hostile bytes are read as a value, or are an error`() {
    var generator = SeededGenerator(seed: 12)
    func read<Value: OrderedValue>(_ type: Value.Type, _ bytes: [UInt8]) -> Bool {
      unsafe bytes.withUnsafeBytes { bytes in
        var reader = unsafe KeyReader(bytes)
        do throws(KeyError) {
          _ = try Value.readKey(from: &reader)
          return true
        } catch {
          return false
        }
      }
    }
    var readCount = 0
    var refusedCount = 0
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &generator)).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...4, using: &generator) : UInt8.random(in: 0...255, using: &generator)
      }
      for isRead in [
        read(String.self, bytes), read(Data?.self, bytes), read(Decimal.self, bytes), read(UUID.self, bytes),
        read(URL.self, bytes), read(Double.self, bytes), read(Bool?.self, bytes), read(Mood.self, bytes),
        read(AnyObjectID.self, bytes), read(FoldedText.self, bytes),
      ] {
        if isRead { readCount += 1 } else { refusedCount += 1 }
      }
    }
    #expect(readCount > 1000 && refusedCount > 1000)
  }

  @Test func `folding ignores case and accents`() {
    let same = [
      ["Écoute", "ÉCOUTE", "ecoute", "e\u{301}coute"], ["Straße", "STRASSE", "strasse"],
      ["ΣΊΣΥΦΟΣ", "σίσυφος", "σισυφοσ"],
      ["Ångström", "angstrom", "A\u{30A}ngstro\u{308}m"], ["日本", "日本"], ["", "\u{301}"],
    ]
    for texts in same { #expect(Set(texts.map { TextFolding.fold($0) }).count == 1, "\(texts)") }
    #expect(TextFolding.fold("a") != TextFolding.fold("b"))
    #expect(TextFolding.version > 2000)
  }
}
