import Foundation
import TodanaDocuments

/// Random values of documents, of all kinds, with extreme numbers, texts and depths among them.
struct RandomValues {
  var generator: any RandomNumberGenerator

  static let integers: [Int64] = [
    0, 1, -1, 63, 64, 127, 128, .max, .min, .max - 1, .min + 1, 1 << 53, (1 << 53) + 1, (1 << 53) - 1, -(1 << 53) - 1,
    (1 << 62) + 1, 9_223_372_036_854_774_784, 9_223_372_036_854_774_785,
  ]
  static let doubles: [Double] = [
    0, -0.0, 0.5, -0.5, 1, 3, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p64, 1e300, -1e300, .infinity, -.infinity, .nan,
    .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1, 9_223_372_036_854_774_784,
  ]
  static let strings = [
    "", "a", "b", "A", "é", "e\u{301}", "日本", "a.b", "$date", "$$date", "\0", "a\0b", "**", "\u{10FFFF}", "[0]",
    "\"\\\n",
    String(repeating: "x", count: 127), String(repeating: "x", count: 128), String(repeating: "長", count: 200),
  ]
  static let keys = ["a", "b", "c", "name", "e\u{301}", "é", "", "a.b", "[0]", "**", "$date", "$bytes", "x\\y"]

  mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

  mutating func scalar() -> DocumentValue {
    switch number(below: 12) {
    case 0: return .null
    case 1: return .init(number(below: 2) == 0)
    case 2: return .init(pick(Self.integers))
    case 3: return .init(Int64.random(in: .min ... .max, using: &generator) >> Int64(number(below: 64)))
    case 4: return .init(pick(Self.doubles))
    case 5: return .init(Double(bitPattern: UInt64.random(in: 0 ... .max, using: &generator)))
    case 6: return .init(Double(number(below: 10)))
    case 7: return .init(number(below: 10))
    case 8: return .init(pick(Self.strings))
    case 9: return .init(Date(timeIntervalSinceReferenceDate: pick(Self.doubles) + Double(number(below: 1000)) / 7))
    case 10:
      let byte = UInt8(number(below: 3))
      return .init(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number(below: 256)))))
    default: return .init(Data((0..<number(below: 5)).map { _ in UInt8(number(below: 256)) }))
    }
  }

  mutating func value(depth: Int = 3) -> DocumentValue {
    guard depth > 0 else { return scalar() }
    switch number(below: 4) {
    case 0:
      var values: [DocumentValue] = []
      for _ in 0..<number(below: 4) { values.append(value(depth: depth - 1)) }
      return .init(values)
    case 1: return dictionary(depth: depth)
    default: return scalar()
    }
  }

  mutating func dictionary(depth: Int = 3) -> DocumentValue {
    var entries = DocumentDictionary()
    // Some have so many keys that these are found by hash.
    let count = number(below: 20) == 0 ? 30 : number(below: 5)
    for _ in 0..<count {
      let key = count > 20 ? "key\(number(below: 40))" : pick(Self.keys)
      entries[key] = value(depth: depth - 1)
    }
    return .init(entries)
  }

  mutating func path() -> DocumentPath {
    var text = ""
    for part in 0...number(below: 3) {
      if part > 0 { text += "." }
      switch number(below: 6) {
      case 0: text += "**"
      case 1: text += DocumentPath.escaped(pick(Self.keys)) + "[*]"
      case 2: text += DocumentPath.escaped(pick(Self.keys)) + "[\(number(below: 3))]"
      case 3 where part == 0: text += "[\(number(below: 3))]"
      default: text += DocumentPath.escaped(pick(Self.keys))
      }
    }
    return DocumentPath(text)
  }
}

/// Tests whether two values are equal in every respect: 3 differs from 3.0, and keys have an order.
func isIdentical(_ lhs: DocumentValue, _ rhs: DocumentValue) throws -> Bool {
  try EncodedValue(lhs).bytes == EncodedValue(rhs).bytes
}
