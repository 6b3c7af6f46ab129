// Extreme values. Each is either read back unchanged or refused when it is written, so nothing unreadable is saved.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ExtremeValuesTests {
  /// Writes a value between two others, and reads it.
  ///
  /// - Returns: The value that was read, or nil if writing it was refused.
  private func passed<Value>(
    _ value: Value, _ write: (inout DataBuffer, Value) -> Void, _ read: (inout DataBuffer) throws -> Value
  ) throws -> Value? {
    var buffer = DataBuffer()
    buffer.writeUInt8(1)
    write(&buffer, value)
    buffer.writeUInt8(2)
    if let error = buffer.firstError {
      #expect(error.fieldNumber == 2 && error.byteOffset ?? 0 >= 1)
      return nil
    }
    let first = try buffer.readUInt8()
    let result = try read(&buffer)
    let last = try buffer.readUInt8()
    try buffer.finishReading()
    #expect(first == 1 && last == 2)
    return result
  }

  private func throughCodable<Value: Codable>(_ value: Value) throws -> Value? {
    try passed(value, { $0.writeCodable($1) }, { try $0.readCodable(Value.self) })
  }

  private static let doubles: [Double] = [
    0, -0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude,
    -.greatestFiniteMagnitude, .ulpOfOne, .pi, 1e15, 1e16, 1e21, 1e22, 0x1p53, 0x1p63, -0x1p63, 0x1p64, 0.1,
    .infinity, -.infinity,
  ]

  private func doubles(_ seed: UInt64) -> [Double] {
    var random = SeededGenerator(seed: seed)
    let others = (0..<500).map { _ in Double(bitPattern: random.next()) }
    return Self.doubles + others.filter { !$0.isNaN }
  }

  private struct Values: Codable {
    var double: Double
    var float: Float
    var date: Date
    var optional: Double?
    var byName: [String: Double]
    var list: [Date]
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `floating-point numbers and dates keep every bit, through Codable too`(_ seed: UInt64) throws {
    for double in doubles(seed) {
      let date = Date(timeIntervalSinceReferenceDate: double)
      let read = try passed(date, { $0.writeDate($1) }, { try $0.readDate() })
      #expect(read?.timeIntervalSinceReferenceDate.bitPattern == double.bitPattern)
      #expect(try throughCodable(double)?.bitPattern == double.bitPattern)
      let values = Values(
        double: double, float: Float(double), date: date, optional: double, byName: ["N\"\\": double], list: [date])
      let copy = try #require(try throughCodable(values))
      #expect(copy.double.bitPattern == double.bitPattern && copy.optional?.bitPattern == double.bitPattern)
      #expect(copy.float.bitPattern == Float(double).bitPattern)
      #expect(copy.date.timeIntervalSinceReferenceDate.bitPattern == double.bitPattern)
      #expect(copy.byName["N\"\\"]?.bitPattern == double.bitPattern)
      #expect(copy.list[0].timeIntervalSinceReferenceDate.bitPattern == double.bitPattern)
    }
    #expect(try throughCodable(Double.nan)?.isNaN == true)
    let date = try throughCodable(Date(timeIntervalSinceReferenceDate: .nan))
    #expect(date?.timeIntervalSinceReferenceDate.isNaN == true)
  }

  @Test func `decimals of every exponent come back, through Codable too, and NaN is refused there`() throws {
    let significands = [1, 12, Decimal(UInt64.max), .greatestFiniteMagnitude.significand, .pi.significand]
    var count = 0
    for exponent in -128...127 {
      for significand in significands {
        for sign in [FloatingPointSign.plus, .minus] {
          let decimal = Decimal(sign: sign, exponent: exponent, significand: significand)
          guard !decimal.isNaN else { continue }
          #expect(try passed(decimal, { $0.writeDecimal($1) }, { try $0.readDecimal() }) == decimal)
          #expect(try throughCodable(decimal) == decimal)
          count += 1
        }
      }
    }
    #expect(count > 1500)
    #expect(try passed(Decimal.nan, { $0.writeDecimal($1) }, { try $0.readDecimal() })?.isNaN == true)
  }

  private struct Money: Codable, Equatable {
    var amount: Decimal
    var currency = "NaN \"N"
  }

  @Test func `Decimals come back from Codable values, also those that are not numbers`() throws {
    #expect(try throughCodable(Money(amount: 1)) == Money(amount: 1))
    #expect(try throughCodable(["NaN", "\"NaN\\"]) == ["NaN", "\"NaN\\"])
    #expect(try throughCodable(Decimal.nan)?.isNaN == true)
    #expect(try throughCodable(Money(amount: .nan))?.amount.isNaN == true)
    #expect(try throughCodable(Money(amount: .greatestFiniteMagnitude))?.amount == .greatestFiniteMagnitude)
  }

  @Test func `URLs come back, or are refused`() throws {
    let base = try #require(URL(string: "https://a.example/b/"))
    let relative = try #require(URL(string: "c", relativeTo: base))
    let texts = ["a b", "?", "#", "//", "/", "x:", "mailto:ä@b", "http://a/%zz", "http://[::1]:8/", "\u{0}1", ".", "%"]
    var urls = texts.compactMap { URL(string: $0) } + [relative, URL(filePath: "/a b/ä"), URL(filePath: "x")]
    urls.append(try #require(URL(string: "d", relativeTo: relative)))
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 1..<12, using: &random)).compactMap { _ in
        ["/", ":", "%", "?", "#", "@", "[", "]", "a", "ä", " ", ".", "\u{0}", "2", "\\"].randomElement(using: &random)
      }
      if let url = URL(string: scalars.joined(), relativeTo: Bool.random(using: &random) ? base : nil) {
        urls.append(url)
      }
    }
    var count = 0
    for url in urls {
      guard let read = try passed(url, { $0.writeURL($1) }, { try $0.readURL() }) else { continue }
      count += 1
      #expect(read == url && read.absoluteString == url.absoluteString)
    }
    #expect(count > urls.count * 9 / 10)
    #expect(try throughCodable(relative)?.absoluteString == "https://a.example/b/c")
  }

  @Test func `the least and greatest integers, UUIDs and odd texts come back, through Codable too`() throws {
    #expect(try throughCodable([Int64.min, .max]) == [.min, .max])
    #expect(try throughCodable([UInt64.max]) == [.max])
    #expect(try throughCodable([Int128.min, .max]) == [.min, .max])
    let ids = [UInt8.min, .max].map { byte in
      UUID(uuid: (byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte))
    }
    for id in ids {
      #expect(try passed(id, { $0.writeUUID($1) }, { try $0.readUUID() }) == id)
      #expect(try throughCodable(id) == id)
    }
    let texts = [
      "", "\u{0}", "\u{0}1", "\u{FEFF}", "\u{FFFD}", "\u{FFFF}", "\u{2028}", "e\u{301}", "\u{E9}", "\u{1F600}",
      "\\u0000",
      String(decoding: [0xFF, 0xC0, 0x80] as [UInt8], as: UTF8.self), "\r\n\"\\/\u{7F}",
    ]
    for text in texts {
      let read = try passed(text, { $0.writeString($1) }, { try $0.readString() })
      #expect(read.map { Array($0.utf8) } == Array(text.utf8))
      #expect(try throughCodable(text).map { Array($0.utf8) } == Array(text.utf8))
      #expect(try throughCodable([text: text])?[text].map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  private struct Level: Codable { var next: [Level] }

  @Test(arguments: [1, 100, 240, 255, 256, 520])
  func `deeply nested Codable values come back or are refused`(_ depth: Int) throws {
    var level = Level(next: [])
    for _ in 0..<depth { level = Level(next: [level]) }
    let copy = try throughCodable(level)
    #expect((copy != nil) == (depth <= 255))
  }

  private struct Short: DataBufferValue, Equatable {
    static var minimumByteCount: Int { 4 }
    func writeValue(to buffer: inout DataBuffer) { buffer.writeUInt8(1) }
    static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Short {
      _ = try buffer.readUInt8()
      return Short()
    }
  }

  @Test func `elements that write less than they promise are refused`() throws {
    #expect(try passed([Short(), Short()], { $0.writeArray($1) }, { try $0.readArray(Short.self) }) == nil)
    #expect(try passed(["a": Short()], { $0.writeDictionary($1) }, { try $0.readDictionary() }) == nil)
    #expect(try passed([Short](), { $0.writeArray($1) }, { try $0.readArray(Short.self) }) == [])
  }
}
