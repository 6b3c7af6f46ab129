#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A comparison of a property's value with another value.
enum Comparison: String, Sendable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  @inline(__always)
  func holds<Value: OrderedValue>(_ lhs: Value, _ rhs: Value) -> Bool {
    switch self {
    case .equal: Value.isEqual(lhs, rhs)
    case .notEqual: !Value.isEqual(lhs, rhs)
    case .less: !lhs.isAbsent && !rhs.isAbsent && Value.precedes(lhs, rhs)
    case .lessOrEqual: Self.less.holds(lhs, rhs) || Value.isEqual(lhs, rhs)
    case .greater: !lhs.isAbsent && !rhs.isAbsent && Value.precedes(rhs, lhs)
    case .greaterOrEqual: Self.greater.holds(lhs, rhs) || Value.isEqual(lhs, rhs)
    }
  }
}

/// A test that compares a property with a value.
struct ValueTest<Root: StoreIdentifiable, Value: OrderedValue>: ConditionTest {
  let property: Property<Root, Value>
  let comparison: Comparison
  let value: Value

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    comparison.holds(try property.read(unsafe unsafeDowncast(object, to: Root.self)), value)
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }
  var holdsForAbsent: Bool? { comparison == .notEqual }

  var ranges: ValueRanges? {
    let key = EncodedValue(value)
    let range: ByteRange?
    switch comparison {
    case .equal: range = ByteRange(prefix: key.bytes, isSingle: true)
    case .notEqual: return nil
    case .less where value.isAbsent, .greater where value.isAbsent: range = nil
    case .lessOrEqual where value.isAbsent, .greaterOrEqual where value.isAbsent:
      range = ByteRange(prefix: key.bytes, isSingle: true)
    case .less: range = ByteRange(lower: EncodedValue<Value>.firstPresent, upper: key.isCut ? key.above : key.bytes)
    case .lessOrEqual: range = ByteRange(lower: EncodedValue<Value>.firstPresent, upper: key.above)
    case .greater:
      // If there are no bytes above those of the value, no value is greater.
      range = key.isCut ? ByteRange(lower: key.lower, upper: nil) : key.above.map { ByteRange(lower: $0, upper: nil) }
    case .greaterOrEqual: range = ByteRange(lower: key.lower, upper: nil)
    }
    return ValueRanges(path: property.path, ranges: range.map { [$0] } ?? [], isExact: !key.isCut)
  }

  var opposite: (any ConditionTest)? {
    switch comparison {
    case .equal: ValueTest(property: property, comparison: .notEqual, value: value)
    case .notEqual: ValueTest(property: property, comparison: .equal, value: value)
    // For nil, the comparison and its opposite are both false.
    default: nil
    }
  }

  var operand: [UInt8] { Array(comparison.rawValue.utf8) + [0] + EncodedValue(value).bytes }
  var description: String { "\(property.path.description) \(comparison.rawValue) \(describe(value))" }
}

/// A test that a property equals one of several values.
struct ListTest<Root: StoreIdentifiable, Value: OrderedValue>: ConditionTest {
  let property: Property<Root, Value>
  /// The values in ascending order, without duplicates.
  let values: [Value]

  init(property: Property<Root, Value>, values: some Sequence<Value>) {
    self.property = property
    var sorted = values.sorted { Value.precedes($0, $1) }
    var count = 0
    for value in sorted where count == 0 || !Value.isEqual(sorted[count - 1], value) {
      sorted[count] = value
      count += 1
    }
    sorted.removeSubrange(count...)
    self.values = sorted
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let value = try property.read(unsafe unsafeDowncast(object, to: Root.self))
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if Value.precedes(values[middle], value) { low = middle + 1 } else { high = middle }
    }
    return low < values.count && Value.isEqual(values[low], value)
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    let keys = values.map { EncodedValue($0) }
    return ValueRanges(
      path: property.path, ranges: keys.map { ByteRange(prefix: $0.bytes, isSingle: true) },
      isExact: !keys.contains { $0.isCut })
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { values.flatMap { EncodedValue($0).bytes } }

  var description: String {
    let shown = values.prefix(5).map { describe($0) }.joined(separator: ", ")
    return "\(property.path.description) in [\(shown)\(values.count > 5 ? ", … \(values.count) in all" : "")]"
  }
}

/// A test that a collection contains a value.
struct ElementTest<Root: StoreIdentifiable, Elements: Collection>: ConditionTest where Elements.Element: OrderedValue {
  let property: Property<Root, Elements>
  let element: Elements.Element

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let elements = try property.read(unsafe unsafeDowncast(object, to: Root.self))
    return elements.contains { Elements.Element.isEqual($0, element) }
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    let key = EncodedValue(element)
    return ValueRanges(
      path: property.path.each, ranges: [ByteRange(prefix: key.bytes, isSingle: true)], isExact: !key.isCut)
  }

  var opposite: (any ConditionTest)? { nil }

  var operand: [UInt8] { EncodedValue(element).bytes }
  var description: String { "\(property.path.description) contains \(describe(element))" }
}

/// A test that compares two properties of an object.
struct PropertyTest<Root: StoreIdentifiable, Value: OrderedValue>: ConditionTest {
  let left: Property<Root, Value>
  let comparison: Comparison
  let right: Property<Root, Value>

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let root = unsafe unsafeDowncast(object, to: Root.self)
    switch (try value(of: left, root), try value(of: right, root)) {
    case (let left?, let right?): return comparison.holds(left, right)
    // A missing object counts as nil, and two missing objects are equal.
    case (nil, nil): return [.equal, .lessOrEqual, .greaterOrEqual].contains(comparison)
    default: return comparison == .notEqual
    }
  }

  /// Returns nil if a reference on the way to the property leads to no object.
  private func value(of property: Property<Root, Value>, _ root: Root) throws(StoreError) -> Value? {
    do throws(StoreError) {
      return try property.read(root)
    } catch {
      guard error.code == .rowNotFound else { throw error }
      return nil
    }
  }

  var paths: [PropertyPath] { [left.path, right.path] }
  var readsOwnProperties: Bool { left.path.isOwnProperty && right.path.isOwnProperty }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(comparison.rawValue.utf8) }
  var description: String { "\(left.path.description) \(comparison.rawValue) \(right.path.description)" }
}

/// The bytes of a value in an index.
struct EncodedValue<Value: IndexedValue> {
  let bytes: [UInt8]
  /// The number of leading bytes that determine the order: all of them, unless the value is too long.
  private let orderedByteCount: Int

  init(_ value: Value) {
    let arena = ByteArena(capacity: 64)
    var writer = KeyWriter(arena: arena, textByteLimit: KeyWriter.indexTextByteLimit)
    value.writeKey(to: &writer)
    bytes = unsafe Array(arena.bytes)
    orderedByteCount = writer.cutOffset ?? arena.count
  }

  /// Whether the value is too long, so that values with the same beginning may come before or after it.
  var isCut: Bool { orderedByteCount < bytes.count }

  /// The lower bound of the bytes of this value and of all greater values.
  ///
  /// For a value that was cut, the bound also admits smaller values with the same beginning.
  var lower: [UInt8] { Array(bytes.prefix(orderedByteCount)) }

  /// The bound from which on all bytes belong to greater values; nil if there is no such bound.
  var above: [UInt8]? { ByteRange.successor(of: lower) }

  /// The bytes below the first value that is not nil.
  static var firstPresent: [UInt8] { Value.self is any AbsentValue.Type ? [1] : [] }
}

/// An optional type, which has a nil.
protocol AbsentValue {
  static var absentValue: Self { get }
}
extension Optional: AbsentValue {
  static var absentValue: Wrapped? { nil }
}

func describe(_ value: some Any) -> String {
  if let optional = value as? any DescribedOptional { return optional.valueDescription }
  if let text = value as? String { return "\"\(text)\"" }
  if let date = value as? Date { return DateText.description(date) }
  return "\(value)"
}

protocol DescribedOptional { var valueDescription: String { get } }
extension Optional: DescribedOptional {
  var valueDescription: String { self.map { describe($0) } ?? "nil" }
}
