/// A value that an index can contain: a property value or a reference to an object.
public protocol IndexedValue: SendableMetatype {
  /// The name of the type in an index's signature; if a property's type changes, the index is built again.
  static var indexedTypeName: String { get }

  /// Writes the value so that the order of the bytes is the order of the values.
  ///
  /// The bytes of one value must not be the beginning of the bytes of another value.
  func writeKey(to key: inout KeyWriter)
}

/// A value that conditions, sorts and indexes compare, always by the same rules.
///
/// - Integers, `Date`, `Decimal`, `UUID`, `Bool` (false first) and bytes are compared by their value.
/// - Floating-point numbers are compared by their value; NaN equals itself and comes after all numbers, -0.0 equals
///   0.0.
/// - Strings and URLs are compared by the bytes of their UTF-8. `"é"` in one scalar and in two are different strings,
///   and the order is not that of any language. ``Property/folded`` ignores case and accents.
/// - nil equals nil and comes first; `<`, `>` and conditions on texts do not hold for it.
/// - An enumeration with raw values is compared by them; it only has to declare the conformance:
///
/// ```swift
/// enum Mood: UInt8, OrderedValue { case calm, wild }
/// ```
public protocol OrderedValue: IndexedValue, Sendable {
  /// Reads a value that ``IndexedValue/writeKey(to:)`` wrote.
  ///
  /// - Throws: ``KeyError`` for any other bytes.
  static func readKey(from key: inout KeyReader) throws(KeyError) -> Self

  /// Returns whether two values are equal by the rules of this protocol.
  static func isEqual(_ lhs: Self, _ rhs: Self) -> Bool

  /// Returns whether `lhs` comes before `rhs`.
  static func precedes(_ lhs: Self, _ rhs: Self) -> Bool

  /// Whether the value is nil, for which neither `<` nor `>` holds.
  var isAbsent: Bool { get }
}

extension OrderedValue {
  @inlinable public var isAbsent: Bool { false }
}

extension OrderedValue where Self: Comparable {
  @inlinable public static func isEqual(_ lhs: Self, _ rhs: Self) -> Bool { lhs == rhs }
  @inlinable public static func precedes(_ lhs: Self, _ rhs: Self) -> Bool { lhs < rhs }
}

// An enumeration is indexed by its raw values.
extension OrderedValue where Self: RawRepresentable, RawValue: OrderedValue {
  @inlinable public static var indexedTypeName: String { RawValue.indexedTypeName }

  @inlinable public func writeKey(to key: inout KeyWriter) { rawValue.writeKey(to: &key) }

  @inlinable public static func readKey(from key: inout KeyReader) throws(KeyError) -> Self {
    let rawValue = try RawValue.readKey(from: &key)
    guard let value = Self(rawValue: rawValue) else { throw KeyError("no case has this raw value") }
    return value
  }

  @inlinable public static func isEqual(_ lhs: Self, _ rhs: Self) -> Bool {
    RawValue.isEqual(lhs.rawValue, rhs.rawValue)
  }

  @inlinable public static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
    RawValue.precedes(lhs.rawValue, rhs.rawValue)
  }
}

// Resolves the ambiguity for a type that is both an enumeration and comparable: raw values decide.
extension OrderedValue where Self: RawRepresentable & Comparable, RawValue: OrderedValue {
  @inlinable public static func isEqual(_ lhs: Self, _ rhs: Self) -> Bool {
    RawValue.isEqual(lhs.rawValue, rhs.rawValue)
  }

  @inlinable public static func precedes(_ lhs: Self, _ rhs: Self) -> Bool {
    RawValue.precedes(lhs.rawValue, rhs.rawValue)
  }
}

extension Optional: IndexedValue where Wrapped: IndexedValue {
  @inlinable public static var indexedTypeName: String { Wrapped.indexedTypeName + "?" }

  @inlinable
  public func writeKey(to key: inout KeyWriter) {
    switch self {
    case nil: key.append(0)
    case .some(let value):
      key.append(1)
      value.writeKey(to: &key)
    }
  }
}

extension Optional: OrderedValue where Wrapped: OrderedValue {
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Wrapped? {
    switch try key.readByte() {
    case 0: return nil
    case 1: return try Wrapped.readKey(from: &key)
    default: throw KeyError("a presence byte must be 0 or 1")
    }
  }

  @inlinable
  public static func isEqual(_ lhs: Wrapped?, _ rhs: Wrapped?) -> Bool {
    switch (lhs, rhs) {
    case (nil, nil): return true
    case (.some(let lhs), .some(let rhs)): return Wrapped.isEqual(lhs, rhs)
    default: return false
    }
  }

  @inlinable
  public static func precedes(_ lhs: Wrapped?, _ rhs: Wrapped?) -> Bool {
    switch (lhs, rhs) {
    case (_, nil): return false
    case (nil, .some): return true
    case (.some(let lhs), .some(let rhs)): return Wrapped.precedes(lhs, rhs)
    }
  }

  @inlinable public var isAbsent: Bool { self?.isAbsent ?? true }
}
