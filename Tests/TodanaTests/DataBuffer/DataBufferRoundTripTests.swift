import FoundationEssentials
import TestSupport
import Testing
import Todana

/// Random values, written and read back; each case is named by its seed.
@Suite struct DataBufferRoundTripTests {
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `numbers come back bit for bit`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      // Numbers of all magnitudes.
      let bits = random.next() >> UInt64.random(in: 0..<64, using: &random)
      var buffer = DataBuffer()
      buffer.writeInt8(Int8(truncatingIfNeeded: bits))
      buffer.writeUInt8(UInt8(truncatingIfNeeded: bits))
      buffer.writeInt16(Int16(truncatingIfNeeded: bits))
      buffer.writeUInt16(UInt16(truncatingIfNeeded: bits))
      buffer.writeInt32(Int32(truncatingIfNeeded: bits))
      buffer.writeUInt32(UInt32(truncatingIfNeeded: bits))
      buffer.writeInt64(Int64(bitPattern: bits))
      buffer.writeUInt64(bits)
      buffer.writeInt(Int(truncatingIfNeeded: bits))
      buffer.writeUInt(UInt(truncatingIfNeeded: bits))
      buffer.writeVarUInt(bits)
      buffer.writeVarInt(Int64(bitPattern: bits))
      buffer.writeVarInt(-Int64(truncatingIfNeeded: bits >> 1))
      buffer.writeFloat(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
      buffer.writeDouble(Double(bitPattern: bits))
      buffer.writeDate(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))

      var reader = DataBuffer(reading: buffer.bytes)
      #expect(try reader.readInt8() == Int8(truncatingIfNeeded: bits))
      #expect(try reader.readUInt8() == UInt8(truncatingIfNeeded: bits))
      #expect(try reader.readInt16() == Int16(truncatingIfNeeded: bits))
      #expect(try reader.readUInt16() == UInt16(truncatingIfNeeded: bits))
      #expect(try reader.readInt32() == Int32(truncatingIfNeeded: bits))
      #expect(try reader.readUInt32() == UInt32(truncatingIfNeeded: bits))
      #expect(try reader.readInt64() == Int64(bitPattern: bits))
      #expect(try reader.readUInt64() == bits)
      #expect(try reader.readInt() == Int(truncatingIfNeeded: bits))
      #expect(try reader.readUInt() == UInt(truncatingIfNeeded: bits))
      #expect(try reader.readVarUInt() == bits)
      #expect(try reader.readVarInt() == Int64(bitPattern: bits))
      #expect(try reader.readVarInt() == -Int64(truncatingIfNeeded: bits >> 1))
      #expect(try reader.readFloat().bitPattern == UInt32(truncatingIfNeeded: bits))
      #expect(try reader.readDouble().bitPattern == bits)
      #expect(try reader.readDate().timeIntervalSinceReferenceDate.bitPattern == bits)
      try reader.finishReading()
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `strings of every length and script come back byte for byte`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet: [Character] = ["a", "Z", " ", "\0", "é", "e\u{301}", "東", "한", "👩‍👩‍👧", "\u{FFFD}", "\u{10FFFF}"]
    var strings: [String] = []
    for length in Array(0..<40) + [127, 128, 129, 1000, 20_000] {
      let isASCII = Bool.random(using: &random)
      strings.append(
        String(
          (0..<length).compactMap { _ in alphabet[..<(isASCII ? 4 : alphabet.count)].randomElement(using: &random) }))
    }
    var buffer = DataBuffer()
    for string in strings {
      buffer.writeString(string)
      buffer.writeOptionalString(string)
      buffer.writeBytes(Array(string.utf8))
      buffer.writeData(Data(string.utf8))
    }
    buffer.writeArray(strings)
    buffer.writeSet(Set(strings))
    buffer.writeDictionary(Dictionary(strings.map { ($0, [$0]) }) { first, _ in first })

    var reader = DataBuffer(reading: buffer.bytes)
    for string in strings {
      #expect(Array(try reader.readString().utf8) == Array(string.utf8))
      #expect(try reader.readOptionalString() == string)
      #expect(try reader.readBytes() == Array(string.utf8))
      #expect(try reader.readData() == Data(string.utf8))
    }
    #expect(try reader.readArray(String.self) == strings)
    #expect(try reader.readSet() == Set(strings))
    let entries: [String: [String]] = try reader.readDictionary()
    #expect(entries.count == Set(strings).count)
    #expect(entries.allSatisfy { $0.value == [$0.key] })
    try reader.finishReading()
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `decimals come back with all digits`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var values: [Decimal] = [0, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi]
    for _ in 0..<50 {
      let digits = Decimal(random.next()) * Decimal(random.next() >> UInt64.random(in: 0..<64, using: &random))
      let sign: FloatingPointSign = Bool.random(using: &random) ? .plus : .minus
      values.append(Decimal(sign: sign, exponent: Int.random(in: -128...80, using: &random), significand: digits))
    }
    for value in values where !value.isNaN {
      var buffer = DataBuffer()
      buffer.writeDecimal(value)
      #expect(try buffer.readDecimal() == value)
      try buffer.finishReading()
    }
  }

  @Test func `values of Foundation and Codable come back`() throws {
    var buffer = DataBuffer()
    let point = Point(x: .min, y: -.infinity)
    let urls = [sampleURL("file:///tmp/%C3%A4%20b"), sampleURL("?q=1#x", "https://a.example/b/c")]
    for url in urls { buffer.writeURL(url) }
    buffer.writeCodable(point)
    buffer.writeCodable(["b": [1.5, .nan], "a": []])
    buffer.writeCodable("fragment")
    for url in urls {
      let read = try buffer.readURL()
      #expect(read == url)
      #expect(read.absoluteString == url.absoluteString)
    }
    #expect(try buffer.readCodable() == point)
    let lists = try buffer.readCodable([String: [Double]].self)
    #expect(lists["b"]?.first == 1.5)
    #expect(lists["b"]?.last?.isNaN == true)
    #expect(try buffer.readCodable(String.self) == "fragment")
    try buffer.finishReading()
  }

  @Test func `closures write and read values of types without a writer`() throws {
    struct Place: Equatable {
      var x: Int32
      var name: String
    }
    struct Refused: Error {}
    let places = [Place(x: 1, name: "one"), Place(x: -2, name: "")]
    var buffer = DataBuffer()
    buffer.writeArray(places) { buffer, place in
      buffer.writeInt32(place.x)
      buffer.writeString(place.name)
    }
    buffer.writeOptional(places.first) { $0.writeInt32($1.x) }
    buffer.writeOptional(nil as Place?) { $0.writeInt32($1.x) }
    let read = try buffer.readArray(minimumElementByteCount: 5) { buffer in
      Place(x: try buffer.readInt32(), name: try buffer.readString())
    }
    #expect(read == places)
    #expect(try buffer.readOptional { try $0.readInt32() } == 1)
    #expect(try buffer.readOptional { (_) throws -> Int in throw Refused() } == nil)
    try buffer.finishReading()
  }

  @Test func `written values can be read at once, and again after rewinding`() throws {
    var buffer = DataBuffer(version: 7)
    let version = buffer.version
    #expect(version == 7)
    buffer.writeUInt8(1)
    #expect(try buffer.readUInt8() == 1)
    // Grows the buffer after a part of it was read.
    buffer.writeString(String(repeating: "x", count: 10_000))
    #expect(try buffer.readString().utf8.count == 10_000)
    buffer.rewind()
    try buffer.skip(1)
    let (position, remaining, count) = (buffer.position, buffer.remainingByteCount, buffer.count)
    #expect(position == 1)
    #expect(remaining == 10_002)
    #expect(count == 10_003)
    buffer.truncate(to: 1)
    buffer.writeUInt8(2)
    let (cutPosition, cutBytes) = (buffer.position, buffer.bytes)
    #expect(cutPosition == 1)
    #expect(cutBytes == [1, 2])
    #expect(try buffer.readUInt8() == 2)
    buffer.reserveCapacity(1 << 20)
    let capacity = buffer.capacity
    #expect(capacity >= 1 << 20)
    buffer.removeAll()
    buffer.writeBytes(Array(0..<17))
    let text = buffer.hexadecimalDescription
    #expect(text == "00000000  11 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e\n00000010  0f 10")
  }
}
