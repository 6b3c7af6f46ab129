/// What is wanted of an object of a query: some of its properties, from its content or from an entry of an index.
@safe
@usableFromInline
struct WantedValues {
  /// The object, whose content is loaded; nil where there is an entry.
  @usableFromInline let object: StoredObject?
  /// A key that is whole, and where in its index the wanted properties are.
  private let key: UnsafeRawBufferPointer
  private let index: ClassIndex?
  private let positions: [Int]

  init(_ object: StoredObject) {
    self.object = object
    unsafe key = UnsafeRawBufferPointer(start: nil, count: 0)
    index = nil
    positions = []
  }

  /// Borrows the key.
  init(key: UnsafeRawBufferPointer, of index: ClassIndex, positions: [Int]) {
    object = nil
    unsafe self.key = key
    self.index = index
    self.positions = positions
  }

  /// One of the properties, which the query was told to want as that number.
  @inlinable
  func value<Root: StoredObject, Value: OrderedValue>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>
  ) throws(StoreError) -> Value {
    // A query's objects are of its class.
    if let object { return unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath] }
    do throws(KeyError) {
      var reader = try reader(at: number)
      return try Value.readKey(from: &reader)
    } catch {
      throw damage(error)
    }
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
  /// `startingOver` is called where it turns out late that an index does not tell the order: what came does not count,
  /// and everything comes once more.
  func forEachWanted(
    inOrder: Bool, startingOver: () -> Void = {}, _ body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    let pending = try matchingPendingObjects()
    guard case .index(let access) = plan.access, case .always = plan.residual,
      let positions = access.coveredPositions(of: query), !inOrder || (pending.isEmpty && plan.order == .given)
    else {
      return try forEachContent(inOrder: inOrder) { object throws(StoreError) in try body(WantedValues(object)) }
    }
    for object in pending { try body(WantedValues(object)) }
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
      return try forEachContent(inOrder: true) { object throws(StoreError) in try body(WantedValues(object)) }
    }
    try forEachContent(of: cutRows) { object throws(StoreError) in try body(WantedValues(object)) }
  }
}
