/// A reader of the wanted properties of a query's objects, one object after another.
///
/// The properties are read from an object's content, or from an index entry. One instance serves all objects of a
/// query, because a new one for each would take longer than reading the properties.
@safe
@usableFromInline
final class WantedValues {
  /// The object whose content is loaded, alive while values are read; nil if they are read from an index entry.
  // The object and the key are written before a body reads them, so accesses never overlap. Checking that would take
  // longer than the accesses.
  @exclusivity(unchecked) @usableFromInline unowned(unsafe) private(set) var object: StoredObject?
  /// The readings of wanted properties that lead through references; nil if there are none.
  private let readings: [ReferenceReading?]?
  @usableFromInline let readsReferences: Bool
  /// The complete key of an index entry, valid while values are read.
  @exclusivity(unchecked) private var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  private let index: ClassIndex?
  /// The positions of the wanted properties in the index.
  private let positions: [Int]

  init(ofObjects readings: [ReferenceReading?]?) {
    self.readings = readings
    readsReferences = readings != nil
    index = nil
    positions = []
  }

  init(ofEntriesOf index: ClassIndex, positions: [Int]) {
    readings = nil
    readsReferences = false
    self.index = index
    self.positions = positions
  }

  /// Calls a body that reads the values of an object.
  @inline(__always)
  func give(
    _ object: StoredObject, to body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    unsafe self.object = object
    try body(self)
  }

  /// Calls a body that reads the values in a key.
  func give(
    key: UnsafeRawBufferPointer, to body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    unsafe self.key = key
    try body(self)
  }

  /// Returns a wanted property; `number` is its position in the list of the query.
  ///
  /// Inlined, so that a key path that is known at compile time becomes an access to the property.
  @inlinable
  @inline(__always)
  func value<Root: StoredObject, Value: OrderedValue>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>
  ) throws(StoreError) -> Value {
    if let object = unsafe object { return try value(number, keyPath, of: object) }
    do throws(KeyError) {
      var reader = try reader(at: number)
      return try Value.readKey(from: &reader)
    } catch {
      throw damage(error)
    }
  }

  /// Returns a wanted property of an object.
  @inlinable
  @inline(__always)
  func value<Root: StoredObject, Value>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>, of object: StoredObject
  ) throws(StoreError) -> Value {
    // A query returns objects of its own class only.
    let root = unsafe unsafeDowncast(object, to: Root.self)
    if readsReferences, let value: Value = try valueThroughReferences(number, of: root) { return value }
    return root[keyPath: keyPath]
  }

  /// Returns a wanted property that is read through references.
  ///
  /// It uses the key path of its reading. A key path in an argument would have to be made for each object.
  ///
  /// - Returns: nil if the property is the object's own.
  @usableFromInline
  func valueThroughReferences<Root: StoredObject, Value>(
    _ number: Int, of root: Root
  ) throws(StoreError) -> Value? {
    guard let reading = readings?[number], let keyPath = reading.keyPath as? KeyPath<Root, Value> else { return nil }
    return .some(try reading.value(of: root) { root[keyPath: keyPath] })
  }

  @usableFromInline
  func reader(at number: Int) throws(KeyError) -> KeyReader {
    var reader = unsafe KeyReader(key)
    _ = try reader.readByte()
    guard let parts = index?.parts else { return reader }
    let position = positions[number]
    for before in 0..<position {
      reader.inversion = parts[before].isDescending ? 0xFF : 0
      try parts[before].skip?(&reader)
    }
    reader.inversion = parts[position].isDescending ? 0xFF : 0
    return reader
  }

  @usableFromInline
  func damage(_ error: KeyError) -> StoreError {
    StoreError(
      .damagedIndex, "An entry of the index \"\(index?.name ?? "")\" is damaged: rebuild it.",
      className: index?.className, underlying: error)
  }
}

extension IndexAccess {
  /// Returns the positions of the wanted properties in the index; nil if it does not have all of them.
  func coveredPositions(of query: QuerySpecification) -> [Int]? {
    guard !query.wanted.isEmpty, query.isUnlimited, !mayRepeat else { return nil }
    var positions: [Int] = []
    for path in query.wanted {
      guard let position = index.parts.firstIndex(where: { $0.path == path }),
        index.parts[...position].allSatisfy({ $0.skip != nil })
      else { return nil }
      positions.append(position)
    }
    return positions
  }
}

extension QueryRun {
  /// A reader of the wanted properties from objects.
  var wantedOfObjects: WantedValues {
    let readings = query.wanted.map { $0.leadsToOtherObjects ? ReferenceReading($0) : nil }
    return WantedValues(ofObjects: readings.contains { $0 != nil } ? readings : nil)
  }

  /// Calls back with the wanted properties of each object of the result.
  ///
  /// With `fromContent`, the properties are always read from objects, and never from index entries.
  ///
  /// If only reading the entries shows that the index does not determine the order, `startingOver` is called. The
  /// caller must discard the values of all previous calls, and the calls begin again.
  func forEachWanted(
    inOrder: Bool, fromContent: Bool = false, startingOver: () -> Void = {},
    _ body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    let wanted = wantedOfObjects
    func give(_ object: StoredObject) throws(StoreError) { try wanted.give(object, to: body) }
    let pending = try matchingPendingObjects()
    guard !fromContent, case .index(let access) = plan.access, case .always = plan.residual,
      let positions = access.coveredPositions(of: query), !inOrder || (pending.isEmpty && plan.order == .given)
    else {
      return try forEachContent(inOrder: inOrder, give)
    }
    for object in pending { try give(object) }
    var cutRows: [RowID] = []
    let entries = WantedValues(ofEntriesOf: access.index, positions: positions)
    var reader = IndexReader(access, store, snapshot)
    defer { reader.finish() }
    try reader.forEachEntry { slice, chunk, rowID throws(StoreError) in
      if isPending(rowID) { return true }
      if IndexEntry.isCut(slice) {
        cutRows.append(rowID)
        return !inOrder
      }
      let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
      try unsafe entries.give(key: key, to: body)
      return true
    }
    if cutRows.isEmpty { return }
    if inOrder {
      startingOver()
      return try forEachContent(inOrder: true, give)
    }
    try forEachContent(of: cutRows, give)
  }
}
