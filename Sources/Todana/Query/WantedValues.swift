/// What is wanted of an object of a query: some of its properties, from its content or from an entry of an index.
@safe
struct WantedValues {
  private let source: Source

  @safe
  private enum Source {
    /// Its content is loaded.
    case object(StoredObject)
    /// A key that is whole, and where in it the wanted properties are.
    case entry(UnsafeRawBufferPointer, ClassIndex, positions: [Int])
  }

  init(_ object: StoredObject) { source = .object(object) }

  /// Borrows the key.
  init(key: UnsafeRawBufferPointer, of index: ClassIndex, positions: [Int]) {
    source = unsafe .entry(key, index, positions: positions)
  }

  /// One of the properties, which the query was told to want as that number.
  func value<Root: StoredObject, Value: OrderedValue>(
    _ number: Int, _ keyPath: KeyPath<Root, Value>
  ) throws(StoreError) -> Value {
    switch source {
    case .object(let object):
      // A query's objects are of its class.
      return unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath]
    case .entry(let key, let index, let positions):
      var reader = unsafe KeyReader(key)
      do throws(KeyError) {
        _ = try reader.readByte()
        for part in index.parts[..<positions[number]] {
          reader.inversion = part.isDescending ? 0xFF : 0
          try part.skip?(&reader)
        }
        reader.inversion = index.parts[positions[number]].isDescending ? 0xFF : 0
        return try Value.readKey(from: &reader)
      } catch {
        throw StoreError(
          .damagedIndex, "An entry of the index \"\(index.name)\" is damaged: rebuild it.", className: index.className,
          underlying: error)
      }
    }
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
