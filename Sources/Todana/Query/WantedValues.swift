/// What is wanted of an object of a query: some of its properties, from its content or from an entry of an index.
@safe
@usableFromInline
struct WantedValues {
  /// The object, whose content is loaded; nil where there is an entry.
  @usableFromInline let object: StoredObject?
  /// How the wanted properties are read that lead through references; nil where none does.
  private let readings: [ReferenceReading?]?
  @usableFromInline var readsReferences: Bool { readings != nil }
  /// A key that is whole, and where in its index the wanted properties are.
  private let key: UnsafeRawBufferPointer
  private let index: ClassIndex?
  private let positions: [Int]

  init(_ object: StoredObject, _ readings: [ReferenceReading?]?) {
    self.object = object
    self.readings = readings
    unsafe key = UnsafeRawBufferPointer(start: nil, count: 0)
    index = nil
    positions = []
  }

  /// Borrows the key.
  init(key: UnsafeRawBufferPointer, of index: ClassIndex, positions: [Int]) {
    object = nil
    readings = nil
    unsafe self.key = key
    self.index = index
    self.positions = positions
  }

  /// One of the properties, which the query was told to want as that number.
  @inlinable
  func value<Root: StoredObject, Value: OrderedValue>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>
  ) throws(StoreError) -> Value {
    if let object { return try value(number, keyPath, of: object) }
    do throws(KeyError) {
      var reader = try reader(at: number)
      return try Value.readKey(from: &reader)
    } catch {
      throw damage(error)
    }
  }

  /// One of the properties of an object.
  @inlinable
  func value<Root: StoredObject, Value>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>, of object: StoredObject
  ) throws(StoreError) -> Value {
    // A query's objects are of its class.
    let root = unsafe unsafeDowncast(object, to: Root.self)
    return readsReferences ? try valueThroughReferences(number, keyPath, of: root) : root[keyPath: keyPath]
  }

  @usableFromInline
  func valueThroughReferences<Root: StoredObject, Value>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>, of root: Root
  ) throws(StoreError) -> Value {
    guard let reading = readings?[number] else { return root[keyPath: keyPath] }
    return try reading.value(of: root) { root[keyPath: keyPath] }
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
  /// Where the index has all that a query wants of its objects; nil where it does not.
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
  /// Calls back with the wanted properties of each object of the result.
  ///
  /// With `fromContent` objects come and no entries of an index. `startingOver` is called where it turns out late that an index does not tell the order: what came does not count,
  /// and everything comes once more.
  func forEachWanted(
    inOrder: Bool, fromContent: Bool = false, startingOver: () -> Void = {},
    _ body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    let readings = query.wanted.map { $0.leadsToOtherObjects ? ReferenceReading($0) : nil }
    let usedReadings = readings.contains { $0 != nil } ? readings : nil
    func give(_ object: StoredObject) throws(StoreError) { try body(WantedValues(object, usedReadings)) }
    let pending = try matchingPendingObjects()
    guard !fromContent, case .index(let access) = plan.access, case .always = plan.residual,
      let positions = access.coveredPositions(of: query), !inOrder || (pending.isEmpty && plan.order == .given)
    else {
      return try forEachContent(inOrder: inOrder, give)
    }
    for object in pending { try give(object) }
    var cutRows: [RowID] = []
    var reader = IndexReader(access, store, snapshot)
    defer { reader.finish() }
    try reader.forEachEntry { slice, chunk, rowID throws(StoreError) in
      if isPending(rowID) { return true }
      if IndexEntry.isCut(slice) {
        cutRows.append(rowID)
        return !inOrder
      }
      let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
      try body(unsafe WantedValues(key: key, of: access.index, positions: positions))
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
