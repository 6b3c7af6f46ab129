import Foundation
import TestSupport
import Testing

@testable import TodanaDocuments

@Suite struct BinaryFormTests {
  @Test func `the worked example of the format's document is right`() throws {
    let value: DocumentValue = ["name": "Doe", "age": 41, "tags": [true, -1, nil]]
    let bytes: [UInt8] = [
      0x0A, 0x19,
      0x04, 0x6E, 0x61, 0x6D, 0x65, 0x83, 0x44, 0x6F, 0x65,
      0x03, 0x61, 0x67, 0x65, 0x69,
      0x04, 0x74, 0x61, 0x67, 0x73, 0x09, 0x04, 0x02, 0x03, 0x01, 0x00,
    ]
    #expect(try EncodedValue(value).bytes == bytes)
    #expect(try EncodedValue(checking: bytes).value() == value)
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 1000))
  func `values are read as they were written`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<200 {
      let value = random.value(depth: 5)
      let encoded = try EncodedValue(value)
      #expect(try isIdentical(EncodedValue(checking: encoded.bytes).value(), value))
    }
  }

  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 200))
  func `damaged bytes are refused, or are another value`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<30 {
      let bytes = try EncodedValue(random.value(depth: 3)).bytes
      for count in 0..<bytes.count {
        let error = #expect(throws: DocumentError.self) { try EncodedValue(checking: Array(bytes.prefix(count))) }
        #expect(error?.code == .invalidBytes)
      }
      #expect(throws: DocumentError.self) { try EncodedValue(checking: bytes + [0]) }
      for _ in 0..<100 {
        var damaged = bytes
        damaged[random.number(below: damaged.count)] = UInt8(random.number(below: 256))
        guard let encoded = try? EncodedValue(checking: damaged) else { continue }
        _ = try encoded.values(at: random.path())
        if let value = try? encoded.value() { #expect(try EncodedValue(value).value() == value) }
      }
    }
  }

  @Test(
    arguments: [
      [], [0x0B], [0x3F], [0x03], [0x03, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], [0x81, 0xFF],
      [0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x06, 0x02, 0x00], [0x08, 0x00],
      [0x09, 0x02, 0x00], [0x0A, 0x01, 0x01], [0x0A, 0x02, 0x01, 0x61], [0x0A, 0x03, 0x01, 0xFF, 0x00],
      [0x09, 0x01, 0x05],
    ] as [[UInt8]])
  func `bytes of no document are refused`(bytes: [UInt8]) {
    let error = #expect(throws: DocumentError.self) { try EncodedValue(checking: bytes) }
    #expect(error?.code == .invalidBytes)
  }

  @Test func `a key that occurs twice is refused`() throws {
    let two: [UInt8] = [0x0A, 0x06, 0x01, 0x61, 0x00, 0x01, 0x61, 0x01]
    #expect(throws: DocumentError.self) { try EncodedValue(checking: two) }
    #expect(throws: DocumentError.self) { try BinaryReader.value(of: two) }
    for count in [3, 33, 100] {
      var entries = DocumentDictionary()
      for number in 0..<count { entries["key\(number)"] = 1 }
      var bytes = try EncodedValue(DocumentValue(entries)).bytes
      _ = try EncodedValue(checking: bytes)
      // The last key becomes the first one.
      let last = Array("key\(count - 1)".utf8)
      let place = try #require(bytes.indices.last { bytes[$0...].starts(with: last) })
      bytes.replaceSubrange(place..<place + last.count, with: Array("key\(count - 2)".utf8))
      #expect(throws: DocumentError.self) { try EncodedValue(checking: bytes) }
    }
  }

  @Test func `values nested too deep, and too large ones, are refused`() throws {
    func nested(_ depth: Int) -> DocumentValue {
      var value: DocumentValue = 1
      for level in 0..<depth { value = level % 2 == 0 ? [value] : ["a": value] }
      return value
    }
    let deepest = nested(100)
    let bytes = try EncodedValue(deepest).bytes
    #expect(try EncodedValue(checking: bytes).value() == deepest)
    #expect(throws: DocumentError.self) { try EncodedValue(nested(101)) }
    // An array of an array, and so on: each byte of content is one level.
    var hostile: [UInt8] = []
    for level in (0..<5000).reversed() { hostile += [0x09, UInt8((level * 3) & 0x7F) | 0x80, UInt8((level * 3) >> 7)] }
    let tooDeep = #expect(throws: DocumentError.self) { try EncodedValue(checking: hostile) }
    #expect(tooDeep?.code == .tooDeep)
    let error = #expect(throws: DocumentError.self) {
      try EncodedValue(DocumentValue(String(repeating: "x", count: 1000)), byteLimit: 1000)
    }
    #expect(error?.code == .tooLarge)
  }
}
