internal import Foundation
internal import Todana

/// The id of a value, compared as the unique index compares it.
struct ValueID: Hashable {
  let id: AnyHashable
  /// The bytes of the binary form; nil for integers and UUIDs, which are equal if they have equal keys.
  ///
  /// Texts are equal in Swift if they differ only in their form of Unicode, but are different ids.
  private let bytes: [UInt8]?

  init(_ id: some Hashable & Encodable) {
    self.id = AnyHashable(id)
    let hasOneForm = type(of: id) is any FixedWidthInteger.Type || id is UUID
    bytes = hasOneForm ? nil : try? BinaryEncoder().encode(id)
  }

  static func == (lhs: ValueID, rhs: ValueID) -> Bool {
    if let bytes = lhs.bytes { bytes == rhs.bytes } else { lhs.id == rhs.id }
  }

  func hash(into hasher: inout Hasher) {
    if let bytes { hasher.combine(bytes) } else { hasher.combine(id) }
  }
}

/// The id of the values of a collection: how it is read, and how it is found.
struct ValueIdentity<Value: Codable & Sendable>: Sendable {
  /// Reads the id of a value.
  let id: @Sendable (Value) -> ValueID
  /// Returns an id that a program has given; nil if it has another type.
  let given: @Sendable (Any) -> ValueID?
  /// The unique index over the ids.
  let index: ValueIndex<Value>
  /// Returns the condition that a value has one of some ids; nil for ids of another type.
  let isAny: @Sendable ([ValueID]) -> Condition<StoredValue<Value>>?
  /// Returns the condition that an id is not before the first nor after the last of some; nil if ids have no order.
  let isInRange: @Sendable ([ValueID]) -> Condition<StoredValue<Value>>?

  static var indexName: String { "id" }

  init<ID: Hashable & Codable & Sendable>(_ keyPath: any KeyPath<Value, ID> & Sendable) {
    id = { ValueID($0[keyPath: keyPath]) }
    given = { ($0 as? ID).map { ValueID($0) } }
    if let type = ID.self as? any OrderedValue.Type, let ordered = Self.ordered(type, keyPath) {
      (index, isAny, isInRange) = ordered
      return
    }
    // Other ids are found by the bytes of their binary form, which are equal for equal ids.
    let bytes = DerivedProperty<StoredValue<Value>, Data>(Self.indexName) { object in
      guard let value = object.value else { return Data() }
      return Self.bytes(value[keyPath: keyPath])
    }
    index = ValueIndex(name: Self.indexName, isUnique: true, parts: [.ascending(bytes)])
    isAny = { ids in
      let ids = ids.compactMap { $0.id.base as? ID }
      return ids.isEmpty ? nil : bytes.property.isIn(ids.map { Self.bytes($0) })
    }
    isInRange = { _ in nil }
  }

  /// Returns the bytes of an id; none if it cannot be encoded, in which case no save accepts its value.
  private static func bytes(_ id: some Encodable) -> Data {
    (try? BinaryEncoder().encode(id)).map { Data($0) } ?? Data()
  }

  private typealias Finding = (
    ValueIndex<Value>, @Sendable ([ValueID]) -> Condition<StoredValue<Value>>?,
    @Sendable ([ValueID]) -> Condition<StoredValue<Value>>?
  )

  /// Returns how ids of an ordered type are found: by the property itself, so that conditions on it use the index.
  private static func ordered<ID: OrderedValue, Other>(
    _ type: ID.Type, _ keyPath: any KeyPath<Value, Other> & Sendable
  ) -> Finding? {
    guard let known = keyPath as? KeyPath<Value, ID> else { return nil }
    // It is the same key path, which is Sendable.
    let keyPath = unsafe unsafeBitCast(known, to: (any KeyPath<Value, ID> & Sendable).self)
    let property = ValueProperties<Value>()[dynamicMember: keyPath]
    return (
      ValueIndex(name: indexName, isUnique: true, parts: [.ascending(ValuePath.to(keyPath))]),
      { ids in
        let ids = ids.compactMap { $0.id.base as? ID }
        return ids.isEmpty ? nil : property.isIn(ids as [ID])
      },
      { ids in (ID.self as? any (OrderedValue & Comparable).Type).flatMap { range($0, ids, property) } }
    )
  }

  private static func range<ID: OrderedValue & Comparable, Other>(
    _ type: ID.Type, _ ids: [ValueID], _ property: Property<StoredValue<Value>, Other>
  ) -> Condition<StoredValue<Value>>? {
    guard let property = property as? Property<StoredValue<Value>, ID>,
      let first = ids.lazy.compactMap({ $0.id.base as? ID }).min(),
      let last = ids.lazy.compactMap({ $0.id.base as? ID }).max()
    else { return nil }
    return property >= first && property <= last
  }
}
