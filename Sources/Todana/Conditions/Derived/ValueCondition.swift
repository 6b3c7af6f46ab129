/// A condition of values that a program defines, for ``Property/meets(_:)`` and ``Property/hasElement(_:)``.
///
/// ```swift
/// struct IsEven: ValueCondition {
///   func isMet(by value: Int) -> Bool { value % 2 == 0 }
///   var description: String { "is even" }
/// }
/// let query = Query<Song>(where: Properties<Song>().plays.meets(IsEven()))
/// ```
public protocol ValueCondition<Value>: Sendable {
  associatedtype Value

  /// Returns whether a value meets the condition; the same for equal values.
  func isMet(by value: Value) -> Bool

  /// The ranges of an index that contain all values that meet the condition; nil if an index cannot serve it.
  var keyRanges: KeyRanges? { get }

  /// The bytes that distinguish the condition from others of its type.
  var operand: [UInt8] { get }

  /// The condition in words, after the name of the property: "is even".
  var description: String { get }

  /// The reason why queries with the condition throw ``StoreError/Code/invalidQuery``; nil if it is valid.
  var problem: String? { get }
}

extension ValueCondition {
  public var keyRanges: KeyRanges? { nil }
  public var operand: [UInt8] { Array(description.utf8) }
  public var problem: String? { nil }
}

/// Ranges of the keys of an index (``ValueCondition/keyRanges``).
public struct KeyRanges: Sendable {
  let ranges: [ByteRange]
  /// Whether all values in the ranges meet the condition, so that objects need not be tested.
  let isExact: Bool

  private init(_ ranges: [ByteRange], isExact: Bool) {
    self.ranges = ranges
    self.isExact = isExact
  }

  /// Makes the range of one value.
  public init<Value: IndexedValue>(equal value: Value) {
    let key = EncodedValue(value)
    self.init([ByteRange(prefix: key.bytes, isSingle: true)], isExact: !key.isCut)
  }

  /// Makes the range of all keys that begin with the bytes that a closure writes.
  public init(beginningWith write: (inout KeyWriter) -> Void, isExact: Bool) {
    let arena = ByteArena(capacity: 64)
    var writer = KeyWriter(arena: arena, textByteLimit: KeyWriter.indexTextByteLimit)
    write(&writer)
    let bytes = unsafe Array(arena.bytes.prefix(writer.cutOffset ?? arena.count))
    self.init([ByteRange(prefix: bytes, isSingle: false)], isExact: isExact && writer.cutOffset == nil)
  }

  /// Makes the range from one value to another.
  ///
  /// - Parameters:
  ///   - prefix: The bytes that keys have before the value, such as the byte 1 of an optional value.
  ///   - lower: The lowest value; nil for none, so that the range begins with the keys that have `bounds`.
  ///   - includesLower: Whether the lowest value belongs to the range.
  ///   - upper: The highest value; nil for none, so that the range ends with the keys that have `bounds`.
  ///   - includesUpper: Whether the highest value belongs to the range.
  ///   - bounds: The first bytes of all keys of the range; nil for the prefix.
  public init<Value: IndexedValue>(
    after prefix: [UInt8] = [], from lower: Value?, includesLower: Bool = true, to upper: Value?,
    includesUpper: Bool = true, within bounds: [UInt8]? = nil
  ) {
    let bounds = bounds ?? prefix
    let low = lower.map { EncodedValue($0) }
    let high = upper.map { EncodedValue($0) }
    var start: [UInt8]? = bounds
    if let low {
      start = includesLower || low.isCut ? prefix + low.lower : ByteRange.successor(of: prefix + low.lower)
    }
    var end = ByteRange.successor(of: bounds)
    if let high {
      end = includesUpper || high.isCut ? ByteRange.successor(of: prefix + high.lower) : prefix + high.lower
    }
    // There are no keys above the lowest value if it has no successor.
    let ranges = start.map { [ByteRange(lower: $0, upper: end)] } ?? []
    // A bound that was cut admits values on both sides of it.
    self.init(ranges.filter { !$0.isEmpty }, isExact: low?.isCut != true && high?.isCut != true)
  }

  /// Returns the bytes that a closure writes, as an index has them, for the prefix of ranges.
  public static func bytes(_ write: (inout KeyWriter) -> Void) -> [UInt8] {
    let arena = ByteArena(capacity: 64)
    var writer = KeyWriter(arena: arena, textByteLimit: KeyWriter.indexTextByteLimit)
    write(&writer)
    return unsafe Array(arena.bytes)
  }

  /// Returns the keys that are in these ranges or in others.
  ///
  /// The ranges of both must not overlap.
  public func joined(with other: KeyRanges) -> KeyRanges {
    KeyRanges(
      (ranges + other.ranges).sorted { $0.lower.lexicographicallyPrecedes($1.lower) }, isExact: isExact && other.isExact
    )
  }

  /// These ranges, but with objects that have to be tested.
  public var inexact: KeyRanges { KeyRanges(ranges, isExact: false) }
}

extension Property where Root: StoreIdentifiable {
  /// Returns a condition that the program defines.
  public func meets<Test: ValueCondition<Value>>(_ condition: Test) -> Condition<Root> {
    Condition(.test(DefinedTest(property: self, condition: condition)))
  }
}

extension Property where Root: StoreIdentifiable, Value: Collection {
  /// Returns the condition that an element of the collection meets a condition that the program defines.
  public func hasElement<Test: ValueCondition<Value.Element>>(_ condition: Test) -> Condition<Root> {
    Condition(.test(DefinedElementTest(property: self, condition: condition)))
  }
}

/// A test of a value by a condition that the program defines.
struct DefinedTest<Root: StoreIdentifiable, Test: ValueCondition>: ConditionTest {
  let property: Property<Root, Test.Value>
  let condition: Test

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    condition.isMet(by: try property.read(unsafe unsafeDowncast(object, to: Root.self)))
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    condition.keyRanges.map { ValueRanges(path: property.path, ranges: $0.ranges, isExact: $0.isExact) }
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { condition.operand }
  var problem: String? { condition.problem }
  var description: String { "\(property.path.description) \(condition.description)" }
}

/// A test that an element of a collection meets a condition that the program defines.
struct DefinedElementTest<Root: StoreIdentifiable, Elements: Collection, Test: ValueCondition>: ConditionTest
where Elements.Element == Test.Value {
  let property: Property<Root, Elements>
  let condition: Test

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let elements = try property.read(unsafe unsafeDowncast(object, to: Root.self))
    return elements.contains { condition.isMet(by: $0) }
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    condition.keyRanges.map { ValueRanges(path: property.path.each, ranges: $0.ranges, isExact: $0.isExact) }
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { condition.operand }
  var problem: String? { condition.problem }
  var description: String { "an element of \(property.path.description) \(condition.description)" }
}
