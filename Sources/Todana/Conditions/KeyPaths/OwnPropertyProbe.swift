@_spi(Reflection) internal import Swift

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A probe that finds out whether a property that is read through accessors belongs to its object alone.
///
/// This is true of a stored property with observers or a wrapper, and of a stored property of a class that can have
/// subclasses. The key path does not distinguish such a property from a computed one that reads other objects.
///
/// Therefore, some values are assigned to the property of a new object. The property must return each of them, and the
/// object's memory must change each time. The field that has each of the values gives the property its name.
struct OwnPropertyProbe {
  /// Whether the property belongs to its object alone.
  private(set) var isOwnProperty = false
  /// The property's name as written in code; nil if no field, or more than one, has the property's values.
  private(set) var name: String?

  init(_ keyPath: AnyKeyPath) {
    guard let root = type(of: keyPath).rootType as? StoredObject.Type else { return }
    // The root type is opened from the key path's own type. If it were opened from a class type after a cast, optimized
    // code would use the class of the cast.
    func probe<Root>(_ rootType: Root.Type) {
      func probe<Value>(_ valueType: Value.Type) {
        guard let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value> else { return }
        assignSamples(to: keyPath, of: root)
      }
      _openExistential(Swift.type(of: keyPath).valueType, do: probe)
    }
    _openExistential(type(of: keyPath).rootType, do: probe)
  }

  private mutating func assignSamples<Root, Value>(
    to keyPath: ReferenceWritableKeyPath<Root, Value>, of type: StoredObject.Type
  ) {
    let samples = SampleValues.of(Value.self)
    guard samples.count > 1 else { return }
    let object = type.init()
    guard let root = object as? Root else { return }
    var fields = StoredField.all(of: type)
    let byteCount = fields.map { $0.offset + Todana.byteCount(of: $0.type) }.max() ?? 0
    // The value is the only field of the wrapper.
    fields.removeAll { $0.type != Value.self && $0.type != Loaded<Value>.self }
    func bytes() -> [UInt8] {
      withExtendedLifetime(object) {
        let start = unsafe Unmanaged.passUnretained(object).toOpaque()
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: byteCount))
      }
    }
    var former = bytes()
    for (number, sample) in samples.enumerated() {
      root[keyPath: keyPath] = sample
      guard SampleValues.areEqual(root[keyPath: keyPath], sample) else { return }
      let current = bytes()
      // The object header is skipped, because its reference count may change.
      // The first sample may be the initial value.
      guard number == 0 || former.dropFirst(16) != current.dropFirst(16) else { return }
      former = current
      // The type and the offset are those of the metadata.
      fields.removeAll { !SampleValues.areEqual(unsafe object.load(at: $0.offset, as: Value.self), sample) }
    }
    isOwnProperty = true
    if fields.count == 1 { name = fields[0].propertyName }
  }
}

/// Sample values of a type, which differ from one another.
private enum SampleValues {
  /// Returns samples of a type.
  ///
  /// - Returns: At least two values; none if there are no samples of the type.
  static func of<Value>(_ type: Value.Type) -> [Value] {
    let known = simple.compactMap { $0 as? Value }
    if known.count > 1 { return known }
    let candidates: [Any]
    switch Value.self {
    case let type as any CaseIterable.Type: candidates = allCases(type)
    case let type as any RawRepresentable.Type: candidates = cases(type)
    case let type as any SampledReferences.Type: candidates = type.samples
    case let type as any SampledElements.Type: candidates = type.samples
    default: candidates = []
    }
    let values = candidates.compactMap { $0 as? Value }
    if values.count > 1 { return values }
    if let type = Value.self as? any WrappingValue.Type { return wrapped(type.wrappedType).compactMap { $0 as? Value } }
    return smallCases(Value.self)
  }

  private static let simple: [any Sendable] = [
    "a", "b", true, false, 1, 2, Int8(1), Int8(2), Int16(1), Int16(2), Int32(1), Int32(2), Int64(1), Int64(2),
    UInt(1), UInt(2), UInt8(1), UInt8(2), UInt16(1), UInt16(2), UInt32(1), UInt32(2), UInt64(1), UInt64(2),
    Float(1), Float(2), 1.0, 2.0, Decimal(1), Decimal(2), Date(timeIntervalSinceReferenceDate: 1),
    Date(timeIntervalSinceReferenceDate: 2), Data([1]), Data([2]), UUID(), UUID(),
  ]

  private static func allCases<Value: CaseIterable>(_ type: Value.Type) -> [Any] { Array(type.allCases.prefix(2)) }

  private static func cases<Value: RawRepresentable>(_ type: Value.Type) -> [Any] {
    Array(of(Value.RawValue.self).compactMap { Value(rawValue: $0) })
  }

  private static func wrapped(_ type: Any.Type) -> [Any] {
    func samples<Value>(_ type: Value.Type) -> [Any] { of(type) }
    return _openExistential(type, do: samples)
  }

  /// Returns the first two cases of an enumeration of one byte.
  ///
  /// Such an enumeration has at least two cases, which are numbered from 0.
  private static func smallCases<Value>(_ type: Value.Type) -> [Value] {
    guard MemoryLayout<Value>.size == 1, metadataKind(of: type) == .enum else { return [] }
    return [0, 1].map { (number: UInt8) in unsafe unsafeBitCast(number, to: type) }
  }

  static func areEqual<Value>(_ lhs: Value, _ rhs: Value) -> Bool {
    if let lhs = lhs as? any ReferenceHolder, let rhs = rhs as? any ReferenceHolder {
      var (left, right): ([ObjectIdentifier], [ObjectIdentifier]) = ([], [])
      lhs.forEachObject { left.append(ObjectIdentifier($0)) }
      rhs.forEachObject { right.append(ObjectIdentifier($0)) }
      return left == right
    }
    func equal<Left: Equatable>(_ lhs: Left) -> Bool { lhs == (rhs as? Left) }
    if let lhs = lhs as? any Equatable { return equal(lhs) }
    return false
  }
}

/// A class or an optional class; the samples are references to new objects.
private protocol SampledReferences {
  static var samples: [Any] { get }
}

extension StoredObject: SampledReferences {
  fileprivate class var samples: [Any] { [self.init(), self.init()] }
}

extension Optional: SampledReferences where Wrapped: StoredObject {
  fileprivate static var samples: [Any] { Wrapped.samples }
}

extension ReferenceSet: SampledReferences {
  fileprivate static var samples: [Any] {
    [ReferenceSet(objects: [StoredObject()]), ReferenceSet(objects: [StoredObject()])]
  }
}

extension LazyReferences: SampledReferences {
  fileprivate static var samples: [Any] { [LazyReferences([Object()]), LazyReferences([Object()])] }
}

/// A collection; each sample contains one sample of the element type.
private protocol SampledElements {
  static var samples: [Any] { get }
}

extension Array: SampledElements {
  fileprivate static var samples: [Any] { SampleValues.of(Element.self).map { [$0] } }
}

extension Set: SampledElements {
  fileprivate static var samples: [Any] { SampleValues.of(Element.self).map { Set([$0]) } }
}
