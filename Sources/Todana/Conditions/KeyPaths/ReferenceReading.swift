/// Reads a property through references: loads the objects that it leads through, if that was not done before.
///
/// Safe to share: its key path is one that is shared, or stays with the query that it came with.
@safe
struct ReferenceReading: @unchecked Sendable {
  /// The last of the property's key paths; from the class itself, if it is the only one.
  let keyPath: AnyKeyPath?
  /// The references to the object that has the value.
  private let hops: [ReferenceHop]
  /// The places of these references; nil if one of them has no place.
  private let offsets: [Int]?
  /// To other objects that the value is computed from.
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

  /// The property's value; nil where a reference on the way is nil, or where one of its objects does not exist.
  ///
  /// - Throws: ``StoreError/Code/rowNotFound`` where there is no nil for that; or what loading an object met.
  func value<Value>(of object: some StoreIdentifiable, _ read: () -> Value) throws(StoreError) -> Value {
    // Nothing else is StoreIdentifiable.
    let object = unsafe unsafeDowncast(object, to: StoredObject.self)
    if let target = try target(from: object) { return value(at: target, read) }
    if let absent = absentValue(of: Value.self) { return absent }
    throw Self.missingReference(of: object)
  }

  /// The object that has the value, loaded; nil where a reference on the way is nil, or where an object that the value
  /// is read from does not exist.
  func target(from object: StoredObject) throws(StoreError) -> StoredObject? {
    var target = object
    if let offsets {
      for offset in offsets {
        // The place of a reference in objects of the class that the step before leads to.
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

  /// The value of the object that was found; `read` reads it by the key path.
  func value<Value>(at target: StoredObject, _ read: () -> Value) -> Value {
    if let leaf { return leaf.value(of: target, as: Value.self) }
    return read()
  }

  /// Writes the value of the object that was found in the order of sorts; nil if only the key path reads it.
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

/// The nil of a type, if it has one.
func absentValue<Value>(of type: Value.Type) -> Value? {
  (type as? any AbsentValue.Type)?.absentValue as? Value
}

extension StoredObject {
  /// Loads a fault of a store, for a look at its properties.
  ///
  /// - Returns: false where its row does not exist, or where the object is deleted.
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
