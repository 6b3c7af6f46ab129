/// A reader of a property through references, which loads the objects on the way if necessary.
///
/// Safe to share: its key path is either `Sendable`, or stays with the query that was made with it.
@safe
struct ReferenceReading: @unchecked Sendable {
  /// The last of the property's key paths.
  ///
  /// If it is the only one, it starts at the class itself.
  let keyPath: AnyKeyPath?
  /// The references to the object that has the value.
  private let hops: [ReferenceHop]
  /// The offsets of the references in `hops`; nil if one of them has no offset.
  private let offsets: [Int]?
  /// The references to other objects from which the value is computed.
  private let declaredChains: [[ReferenceHop]]
  private let leaf: RouteLeaf?

  init(_ path: PropertyPath) {
    keyPath = path.keyPaths.last
    hops = path.hops
    let offsets = path.hops.compactMap(\.fieldOffset)
    self.offsets = offsets.count == path.hops.count ? offsets : nil
    let route = path.keyPaths.count == 1 && path.declaredReading == nil ? KeyPathRoute.of(path.keyPaths[0]) : nil
    leaf = route?.leaf
    declaredChains = path.declaredReading == nil ? [] : path.chains
  }

  /// Returns the property's value; nil if a reference on the way is nil or its object does not exist.
  ///
  /// - Throws: ``StoreError/Code/rowNotFound`` if the value cannot be nil in such a case; errors of loading an object.
  func value<Value>(of object: some StoreIdentifiable, _ read: () -> Value) throws(StoreError) -> Value {
    // Only `StoredObject` conforms to `StoreIdentifiable`.
    let object = unsafe unsafeDowncast(object, to: StoredObject.self)
    if let target = try target(from: object) { return value(at: target, read) }
    if let absent = absentValue(of: Value.self) { return absent }
    throw Self.missingReference(of: object)
  }

  /// Returns the object that has the value, loaded.
  ///
  /// - Returns: nil if a reference on the way is nil, or if an object that the value is read from does not exist.
  func target(from object: StoredObject) throws(StoreError) -> StoredObject? {
    var target = object
    if let offsets {
      for offset in offsets {
        // The offset is that of a reference in objects of the class that the previous step leads to.
        let next = unsafe target.load(at: offset, as: StoredObject?.self)
        guard let next, try next.isThereToRead() else { return nil }
        target = next
      }
    } else {
      for hop in hops {
        guard let next = hop.object(of: target), try next.isThereToRead() else { return nil }
        target = next
      }
    }
    return try allExist(object) ? target : nil
  }

  /// Returns the value of an object that ``target(from:)`` returned; `read` reads it by the key path.
  func value<Value>(at target: StoredObject, _ read: () -> Value) -> Value {
    if let leaf { return leaf.value(of: target, as: Value.self) }
    return read()
  }

  /// A closure that writes the value of an object that ``target(from:)`` returned, in sort order.
  ///
  /// nil if only the key path can read the value.
  var writeKey: (@Sendable (StoredObject, inout KeyWriter) -> Void)? { leaf?.writeKey }

  private func allExist(_ object: StoredObject) throws(StoreError) -> Bool {
    if declaredChains.isEmpty { return true }
    for chain in declaredChains where try !Self.allExist(chain[...], from: object) { return false }
    return true
  }

  private static func allExist(
    _ chain: ArraySlice<ReferenceHop>, from object: StoredObject
  ) throws(StoreError) -> Bool {
    guard let hop = chain.first else { return true }
    var targets: [StoredObject] = []
    hop.forEachObject(of: object) { targets.append($0) }
    for target in targets {
      guard try target.isThereToRead(), try allExist(chain.dropFirst(), from: target) else { return false }
    }
    return true
  }

  static func missingReference(of object: StoredObject) -> StoreError {
    StoreError(
      .rowNotFound, "A property is read through a reference that is nil, or whose object does not exist.",
      className: object.table?.name, rowID: object.table == nil ? nil : object.rowID)
  }
}

/// Returns the nil of an optional type; nil if the type is not optional.
func absentValue<Value>(of type: Value.Type) -> Value? {
  (type as? any AbsentValue.Type)?.absentValue as? Value
}

extension StoredObject {
  /// Makes sure that the object can be read, and loads it if it is a fault.
  ///
  /// - Returns: false if the row does not exist, or if the object is deleted.
  @inline(__always)
  final func isThereToRead() throws(StoreError) -> Bool {
    if state.isDisjoint(with: [.fault, .deleted, .gone]) { return true }
    return try loadToRead()
  }

  private final func loadToRead() throws(StoreError) -> Bool {
    guard let table else { return !state.contains(.gone) }
    if state.contains(.deleted) { return false }
    guard isFault else { return true }
    do throws(StoreError) {
      try table.store.load(self)
      return true
    } catch {
      if error.code == .rowNotFound { return false }
      throw error
    }
  }
}
