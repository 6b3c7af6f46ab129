import Foundation
import TestSupport

@testable import Todana

/// Random assignments, index parts, conditions, sorts and reads for one property of a class of specimens.
///
/// All choices come from the generator: with equal generators, the columns of two classes make the same choices.
struct SpecimenColumn<T: Specimen> {
  let name: String
  var assign: (T, inout SeededGenerator) -> Void
  /// Makes a part of an index.
  var part: (inout SeededGenerator) -> IndexPart
  var test: (inout SeededGenerator) -> Described<Condition<T>>
  /// Makes the condition that the property equals an object's value.
  var same: (T) -> Described<Condition<T>>
  /// Makes a condition on one of several similar values, which descriptions of conditions may not distinguish.
  var variant: (inout SeededGenerator) -> Described<Condition<T>>
  var sort: (Query<T>, inout SeededGenerator) -> Described<Query<T>>
  /// Reads values of a query's objects in several ways, as text.
  var read: (Store, Query<T>, _ includingPending: Bool) throws -> [String]
}

/// A random value with a text that describes it.
struct Described<Value> {
  var value: Value
  var text: String

  init(_ value: Value, _ text: String) {
    self.value = value
    self.text = text
  }
}

extension SeededGenerator {
  mutating func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
  mutating func chance(_ share: Int) -> Bool { number(share) == 0 }
  mutating func element<Value>(of values: [Value]) -> Value { values[number(values.count)] }
}

/// Returns a text that is equal for equal values, NaN included.
func keyText(_ value: some IndexedValue) -> String {
  let arena = ByteArena()
  var writer = KeyWriter(arena: arena, textByteLimit: .max)
  value.writeKey(to: &writer)
  // A hash replaces the rest of long keys.
  let bytes = unsafe Array(arena.bytes)
  let hash = bytes.count > 20 ? "…\(bytes.hashValue)" : ""
  return bytes.prefix(20).map { String($0, radix: 16) }.joined(separator: ".") + hash
}

extension SpecimenColumn {
  /// Creates the column of a property with an order.
  init<Value: OrderedValue & SendableMetatype>(
    _ name: String, _ keyPath: any ReferenceWritableKeyPath<T, Value> & Sendable,
    _ draw: @escaping (inout SeededGenerator) -> Value
  ) {
    self.name = name
    assign = { $0[keyPath: keyPath] = draw(&$1) }
    part = { $0.chance(2) ? .descending(keyPath) : .ascending(keyPath) }
    test = { generator in
      let property = Properties<T>()[dynamicMember: keyPath]
      let value = draw(&generator)
      switch generator.number(9) {
      case 0, 1, 2: return Described(property == value, "\(name) == \(keyText(value))")
      case 3: return Described(property != value, "\(name) != \(keyText(value))")
      case 4: return Described(property < value, "\(name) < \(keyText(value))")
      case 5: return Described(property <= value, "\(name) <= \(keyText(value))")
      case 6: return Described(property > value, "\(name) > \(keyText(value))")
      case 7: return Described(property >= value, "\(name) >= \(keyText(value))")
      default:
        let values = (0..<generator.number(5)).map { _ in draw(&generator) } + (generator.chance(2) ? [value] : [])
        return Described(property.isIn(values), "\(name) in \(values.map { keyText($0) })")
      }
    }
    same = { object in
      let value = object[keyPath: keyPath]
      return Described(Properties<T>()[dynamicMember: keyPath] == value, "\(name) == \(keyText(value))")
    }
    variant = { generator in
      // A description shows only some of the values. Two conditions differ only in the last values, which it does not
      // show.
      var fixed = SeededGenerator(seed: 5)
      let values = (0..<5).map { _ in draw(&fixed) } + (0..<2).map { _ in draw(&generator) }
      let text = "\(name) in \(values.map { keyText($0) })"
      return Described(Properties<T>()[dynamicMember: keyPath].isIn(values), text)
    }
    sort = { query, generator in
      let order: Todana.SortOrder = generator.chance(2) ? .descending : .ascending
      return Described(query.sorted(by: keyPath, order), "\(name) \(order)")
    }
    read = { store, query, includingPending in
      [
        try store.values(query, of: keyPath, includingPending: includingPending).map { keyText($0) }.joined(
          separator: " "),
        try store.distinctValues(query, of: keyPath, includingPending: includingPending).map { keyText($0) }.sorted()
          .joined(separator: " "),
        try store.minimum(query, of: keyPath, includingPending: includingPending).map { keyText($0) } ?? "none",
        try store.maximum(query, of: keyPath, includingPending: includingPending).map { keyText($0) } ?? "none",
        try store.groups(query, by: keyPath, of: \.byte, includingPending: includingPending)
          .map { "\(keyText($0.key)): \($0.summary.count) \($0.summary.sum)" }.sorted().joined(separator: " "),
        "\(try store.sum(query, of: \.short, includingPending: includingPending))",
      ]
    }
  }

  /// Adds the index parts and conditions that only texts have.
  func withTexts<Value: OptionalText>(
    _ keyPath: any ReferenceWritableKeyPath<T, Value> & Sendable, _ draw: @escaping (inout SeededGenerator) -> String
  ) -> SpecimenColumn {
    var column = self
    column.part = { generator in generator.chance(3) ? .folded(keyPath) : part(&generator) }
    column.test = { generator in
      guard generator.chance(3) else { return test(&generator) }
      let (kind, text) = (generator.number(8), draw(&generator))
      let part = generator.chance(2) ? String(text.prefix(generator.number(4))) : text
      let property = Properties<T>()[dynamicMember: keyPath]
      let condition =
        switch kind {
        case 0: property.hasPrefix(part)
        case 1: property.hasSuffix(part)
        case 2: property.contains(part)
        case 3: property.folded == part
        case 4: property.folded.hasPrefix(part)
        case 5: property.folded.contains(part)
        case 6: property.folded >= part
        default: property.folded.isIn([part, nil])
        }
      return Described(condition, "\(name) matches \(kind) \(keyText(part))")
    }
    column.sort = { query, generator in
      guard generator.chance(3) else { return sort(query, &generator) }
      let order: Todana.SortOrder = generator.chance(2) ? .descending : .ascending
      return Described(query.sorted(byFolded: keyPath, order), "folded \(name) \(order)")
    }
    return column
  }
}

/// All properties of a class of specimens, with values at the limits of their types and of the keys of indexes.
struct SpecimenColumns<T: Specimen> {
  let ordered: [SpecimenColumn<T>]
  /// A column for unique indexes.
  let code: SpecimenColumn<T>
  private let targets: [SpecimenTarget]

  init(targets: [SpecimenTarget]) {
    self.targets = targets
    let code = SpecimenColumn("code", \T.code) {
      $0.chance(4) ? nil : $0.chance(3) ? $0.number(40) : Int.random(in: .min ... .max, using: &$0)
    }
    self.code = code
    let texts = SpecimenValues.texts
    ordered = [
      SpecimenColumn("int", \T.int) {
        $0.chance(8) ? Int(truncatingIfNeeded: $0.next()) : $0.element(of: SpecimenValues.ints)
      },
      SpecimenColumn("byte", \T.byte) {
        $0.chance(3) ? UInt8.random(in: 0...255, using: &$0) : $0.element(of: [0, 1, 127, 128, 254, 255])
      },
      SpecimenColumn("short", \T.short) { Int16(truncatingIfNeeded: $0.element(of: SpecimenValues.ints)) },
      SpecimenColumn("word", \T.word) {
        $0.chance(4) ? $0.next() : UInt64(bitPattern: Int64($0.element(of: SpecimenValues.ints)))
      },
      SpecimenColumn("real", \T.real) {
        $0.chance(8) ? Double(bitPattern: $0.next()) : $0.element(of: SpecimenValues.reals)
      },
      SpecimenColumn("single", \T.single) {
        $0.chance(8)
          ? Float(bitPattern: UInt32(truncatingIfNeeded: $0.next())) : Float($0.element(of: SpecimenValues.reals))
      },
      SpecimenColumn("date", \T.date) { Date(timeIntervalSinceReferenceDate: $0.element(of: SpecimenValues.reals)) },
      SpecimenColumn("decimal", \T.decimal) { $0.element(of: SpecimenValues.decimals) },
      SpecimenColumn("flag", \T.flag) { $0.chance(2) },
      code,
      SpecimenColumn("text", \T.text) {
        // Few texts are at the limits.
        $0.chance(4) ? $0.element(of: texts) : $0.chance(40) ? String(repeating: "t", count: 150) : "t\($0.number(300))"
      }.withTexts(\T.text) { $0.element(of: texts) },
      SpecimenColumn("note", \T.note) {
        // Few texts are too long for a key, and most others sort before them.
        $0.chance(8)
          ? nil
          : $0.chance(60)
            ? String(repeating: "n", count: 150) : $0.chance(20) ? $0.element(of: texts) : "n\($0.number(300))"
      }
      .withTexts(\T.note) { $0.element(of: texts) },
      SpecimenColumn("data", \T.data) { $0.element(of: SpecimenValues.data) },
      SpecimenColumn("uuid", \T.uuid) { $0.element(of: SpecimenValues.uuids) },
    ]
  }

  func fill(_ specimen: T, _ generator: inout SeededGenerator) {
    for column in ordered { column.assign(specimen, &generator) }
    specimen.tags = (0..<generator.number(4)).map { _ in generator.element(of: SpecimenValues.texts) }
    specimen.marks = (0..<generator.number(4)).map { _ in generator.element(of: SpecimenValues.ints) }
    specimen.target = generator.chance(3) ? nil : generator.element(of: targets)
  }

  /// Copies all properties of another object except the number and the code.
  func copy(from other: T, to specimen: T) {
    (specimen.int, specimen.byte, specimen.short, specimen.word) = (other.int, other.byte, other.short, other.word)
    (specimen.real, specimen.single, specimen.date) = (other.real, other.single, other.date)
    (specimen.text, specimen.note, specimen.data, specimen.tags) = (other.text, other.note, other.data, other.tags)
  }

  func change(_ specimen: T, _ generator: inout SeededGenerator) {
    for _ in 0...generator.number(3) { generator.element(of: ordered).assign(specimen, &generator) }
    if generator.chance(3) {
      specimen.tags = (0..<generator.number(4)).map { _ in generator.element(of: SpecimenValues.texts) }
    }
    if generator.chance(3) {
      specimen.marks = (0..<generator.number(4)).map { _ in generator.element(of: SpecimenValues.ints) }
    }
    if generator.chance(3) { specimen.target = generator.chance(3) ? nil : generator.element(of: targets) }
  }

  // MARK: Conditions

  func condition(_ generator: inout SeededGenerator, depth: Int = 3) -> Described<Condition<T>> {
    guard depth > 0, !generator.chance(3) else { return test(&generator) }
    let left = condition(&generator, depth: depth - 1)
    if generator.chance(5) { return Described(!left.value, "!(\(left.text))") }
    let right = condition(&generator, depth: depth - 1)
    return generator.chance(3)
      ? Described(left.value || right.value, "(\(left.text)) || (\(right.text))")
      : Described(left.value && right.value, "(\(left.text)) && (\(right.text))")
  }

  private func test(_ generator: inout SeededGenerator) -> Described<Condition<T>> {
    switch generator.number(18) {
    case 0:
      let tag = generator.element(of: SpecimenValues.texts)
      return Described(Properties<T>()[dynamicMember: \T.tags].contains(tag), "tags contain \(keyText(tag))")
    case 1:
      let mark = generator.element(of: SpecimenValues.ints)
      return Described(Properties<T>()[dynamicMember: \T.marks].contains(mark), "marks contain \(mark)")
    case 2:
      let target = generator.chance(4) ? nil : generator.element(of: targets)
      return Described(Properties<T>()[dynamicMember: \T.target] == target, "target == \(target?.name ?? "nil")")
    case 3:
      let bounds = [generator.element(of: SpecimenValues.ints), generator.element(of: SpecimenValues.ints)].sorted()
      let property = Properties<T>()[dynamicMember: \T.int]
      return generator.chance(2)
        ? Described(property.isIn(bounds[0]...bounds[1]), "int in \(bounds[0])...\(bounds[1])")
        : Described(property.isIn(bounds[0]..<bounds[1]), "int in \(bounds[0])..<\(bounds[1])")
    default: return generator.element(of: ordered).test(&generator)
    }
  }

  // MARK: Indexes

  /// Returns a condition for a partial index.
  ///
  /// Similar conditions may have the same description, because it leaves out values of a long list, fractions of
  /// seconds, and bytes of data.
  func similarCondition(_ generator: inout SeededGenerator) -> Described<Condition<T>> {
    switch generator.number(3) {
    case 0:
      let date = Date(timeIntervalSinceReferenceDate: Double(generator.number(8)) / 8 - 86_400.5)
      return Described(Properties<T>()[dynamicMember: \T.date] >= date, "date >= \(keyText(date))")
    case 1:
      let data = generator.element(of: SpecimenValues.data.filter { $0.count == 2 })
      return Described(Properties<T>()[dynamicMember: \T.data] == data, "data == \(keyText(data))")
    default: return generator.element(of: ordered).variant(&generator)
    }
  }

  /// Returns a condition for a partial index, on the object's own properties.
  func partialCondition(_ generator: inout SeededGenerator) -> Described<Condition<T>> {
    let first = generator.element(of: ordered).test(&generator)
    guard generator.chance(3) else { return first }
    let second = generator.element(of: ordered).test(&generator)
    return Described(first.value && second.value, "(\(first.text)) && (\(second.text))")
  }

  /// Makes the parts of an index and returns them with the numbers of their columns, if they have any.
  ///
  /// The parts of a unique index include ``code``.
  func indexParts(isUnique: Bool, _ generator: inout SeededGenerator) -> (parts: [IndexPart], columns: [Int]) {
    if !isUnique, generator.chance(6) {
      let parts: [IndexPart] = [.each(\T.tags), .each(\T.marks), .ascending(\T.target), .descending(\T.target)]
      return ([generator.element(of: parts)], [])
    }
    var columns = (0..<generator.number(4)).map { _ in generator.number(ordered.count) }
    if isUnique || columns.isEmpty, let code = ordered.firstIndex(where: { $0.name == code.name }) {
      columns.insert(code, at: generator.number(columns.count + 1))
    }
    return (columns.map { ordered[$0].part(&generator) }, columns)
  }
}

/// Values at the limits of their types and near the limit of a key's length, with key bytes of 0x00 and 0xFF at their
/// ends.
enum SpecimenValues {
  static let ints = [
    0, 1, -1, 2, 254, 255, 256, 257, 511, 512, -255, -256, -257, 65_535, 65_536, 0xFFFFFF, 0x1_0000_00FF, .max, .min,
    .max - 1, .min + 1, .max - 255, .min + 255,
  ]
  static let reals: [Double] = [
    0, -0.0, 1, -1, 1.5, -1.5, 255, -255, 256, 1e300, -1e300, .infinity, -.infinity, .nan, -.nan,
    .leastNonzeroMagnitude,
    -.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1.0.nextUp, 1.0.nextDown, -1.0.nextUp,
    -86_400, -86_401, -3_000_000, 0.1,
  ]
  static let decimals: [Decimal] =
    [
      Decimal(0), 1, -1, -1.5, 10, -10, 255, Decimal(sign: .plus, exponent: -127, significand: 12),
      Decimal(sign: .plus, exponent: -128, significand: 12), Decimal(sign: .minus, exponent: -128, significand: 1),
      Decimal(sign: .plus, exponent: 127, significand: 1), Decimal(sign: .minus, exponent: 127, significand: 99),
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .nan,
    ] + ["0.1", "-0.1", "0.10", "123456789.987654321", "1e100", "-1e-100"].compactMap { Decimal(string: $0) }
  static let texts: [String] = {
    let limit = KeyWriter.indexTextByteLimit
    let long = String(repeating: "x", count: limit)
    return [
      "", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "A", "ab", "b", "Écoute", "e\u{301}coute",
      "ecoute",
      "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "日本", "日本語", "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", String(long.dropLast()), long,
      long + "a", long + "b", long + "\u{0}", String(long.dropLast()) + "y", String(long.dropLast()) + "é",
      String(repeating: "\u{0}", count: limit / 2), String(repeating: "\u{0}", count: limit / 2 + 1),
      String(repeating: "\u{10FFFF}", count: limit / 4), String(repeating: "\u{10FFFF}", count: limit / 4 + 1),
      String(repeating: "É", count: limit / 2), String(repeating: "ß", count: limit / 2 + 1),
      String(repeating: "long ", count: 200),
    ]
  }()
  static let data: [Data] = [
    Data(), Data([0]), Data([0, 0]), Data([0xFF]), Data([0xFF, 0xFF]), Data([0xFF, 0]), Data([0, 0xFF]), Data([1, 2]),
    Data([1, 3]), Data(repeating: 0xFF, count: 127), Data(repeating: 0xFF, count: 128),
    Data(repeating: 0xFF, count: 129),
    Data(repeating: 0, count: 64), Data(repeating: 0, count: 128), Data(repeating: 0xFF, count: 500),
    Data(repeating: 0xFF, count: 128) + [0], Data(repeating: 7, count: 128) + [1], Data(repeating: 7, count: 128) + [2],
  ]
  static let uuids: [UUID] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF].flatMap { (byte: UInt8) in
    [
      UUID(uuid: (byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte)),
      UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, byte)),
    ]
  }
}
