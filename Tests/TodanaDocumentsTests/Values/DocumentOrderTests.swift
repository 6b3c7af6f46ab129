import Foundation
import TestSupport
import Testing

@testable import Todana
@testable import TodanaDocuments

@Suite struct DocumentOrderTests {
  @Test func `values of different kinds are in the order of the kinds`() {
    let ascending: [DocumentValue] = [
      nil, false, true, .init(-Double.infinity), -1, 0.5, 1, .init(Double.nan), "", "a",
      .init(Date(timeIntervalSinceReferenceDate: -1)), .init(Date(timeIntervalSinceReferenceDate: 1)),
      .init(UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()), .init(Data()), .init(Data([0])), [],
      [nil], [1], [1, 1], [2], [:], ["a": 1], ["a": 1, "b": 0], ["a": 2], ["b": 0],
    ]
    for (position, value) in ascending.enumerated() {
      for (other, otherValue) in ascending.enumerated() {
        #expect(DocumentValue.precedes(value, otherValue) == (position < other), "\(value) and \(otherValue)")
      }
    }
  }

  @Test func `integers and doubles are compared by their exact values`() {
    #expect(DocumentValue(3) == 3.0)
    #expect(DocumentValue(3).hashValue == DocumentValue(3.0).hashValue)
    #expect(DocumentValue((1 << 53) + 1) != DocumentValue(0x1p53))
    #expect(DocumentValue.precedes(DocumentValue(0x1p53), DocumentValue((1 << 53) + 1)))
    #expect(DocumentValue.precedes(DocumentValue(Int64.max), DocumentValue(0x1p63)))
    #expect(DocumentValue(Int64.min) == DocumentValue(-0x1p63))
    #expect(DocumentValue(0) == DocumentValue(-0.0))
    #expect(DocumentValue(Double.nan) == DocumentValue(Double.nan))
  }

  #if arch(x86_64)
    // Float80 represents every Int64 and every Double exactly.
    @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 200))
    func `numbers have the order of their exact values`(seed: UInt64) {
      var random = RandomValues(generator: SeededGenerator(seed: seed))
      var numbers = RandomValues.integers.map { DocumentValue($0) } + RandomValues.doubles.map { DocumentValue($0) }
      for _ in 0..<40 {
        let value = random.scalar()
        if value.kind == .number { numbers.append(value) }
      }
      func exact(_ value: DocumentValue) -> Float80 {
        if case .integer(let integer) = value.storage { return Float80(integer) }
        return Float80(value.double ?? 0)
      }
      for lhs in numbers {
        for rhs in numbers {
          let (left, right) = (exact(lhs), exact(rhs))
          let expected = left.isNaN || right.isNaN ? !left.isNaN && right.isNaN : left < right
          #expect(DocumentValue.precedes(lhs, rhs) == expected, "\(lhs) and \(rhs)")
        }
      }
    }
  #endif

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 500))
  func `keys of indexes have the order of the values`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    let values = (0..<120).map { _ in random.value() }
    let keys = values.map { KeyBytes($0).bytes }
    for (lhs, leftKey) in zip(values, keys) {
      for (rhs, rightKey) in zip(values, keys) {
        #expect(leftKey.lexicographicallyPrecedes(rightKey) == DocumentValue.precedes(lhs, rhs), "\(lhs), \(rhs)")
        #expect((leftKey == rightKey) == (lhs == rhs), "\(lhs) and \(rhs)")
        if lhs == rhs { #expect(lhs.hashValue == rhs.hashValue) }
      }
    }
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 500))
  func `keys are read again as equal values`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<100 {
      let value = random.value()
      let arena = ByteArena(capacity: 64)
      var writer = KeyWriter(arena: arena)
      value.writeKey(to: &writer)
      let bytes = unsafe Array(arena.bytes)
      let copy = try unsafe bytes.withUnsafeBytes { bytes in
        var reader = unsafe KeyReader(bytes)
        let copy = try DocumentValue.readKey(from: &reader)
        #expect(reader.isAtEnd)
        return copy
      }
      #expect(copy == value)
    }
  }

  /// The key of a value without a limit.
  private struct KeyBytes {
    let bytes: [UInt8]

    init(_ value: DocumentValue) {
      let arena = ByteArena(capacity: 64)
      var writer = KeyWriter(arena: arena)
      value.writeKey(to: &writer)
      bytes = unsafe Array(arena.bytes)
    }
  }
}
