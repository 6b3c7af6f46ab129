/// The direction of a sort.
public enum SortOrder: Sendable {
  /// From the lowest value to the highest; nil is first.
  case ascending
  /// From the highest value to the lowest; nil is last.
  case descending
}

/// A property by which a query sorts.
struct SortKey: Sendable {
  let path: PropertyPath
  let isDescending: Bool
  /// A closure that writes the value of an object, whose content is loaded, as bytes in sort order.
  let write: @Sendable (StoredObject, inout KeyWriter) -> Void

  /// Whether objects are sorted by their relevance.
  var isRelevance: Bool { path == .wholeObject }

  /// Makes the key of the relevance; nil until the numbers are known that it depends on.
  init(_ relevance: Relevance?) {
    path = .wholeObject
    isDescending = true
    write = { object, writer in
      let start = writer.arena.count
      do throws(StoreError) {
        guard let relevance else {
          throw StoreError(.invalidQuery, "A query sorted by relevance has no positions.")
        }
        try relevance.value(of: object).writeKey(to: &writer)
        writer.invert(from: start)
      } catch {
        writer.failure = writer.failure ?? error
      }
    }
  }

  init<Root: StoredObject, Value: OrderedValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable, _ order: SortOrder, loading: [AnyKeyPath]? = nil
  ) {
    self.init(PropertyPath(keyPath, loading: loading), order, keyPath, key: { $0 }, isKeyItself: true) { root, writer in
      root[keyPath: keyPath].writeKey(to: &writer)
    }
  }

  init<Root: StoredObject, Value: OptionalText>(
    folding keyPath: any KeyPath<Root, Value> & Sendable, _ order: SortOrder, loading: [AnyKeyPath]? = nil
  ) {
    let fold: @Sendable (Value) -> FoldedText? = { text in text.optionalText.map { FoldedText($0) } }
    self.init(PropertyPath(keyPath, loading: loading).folded, order, keyPath, key: fold) { root, writer in
      fold(root[keyPath: keyPath]).writeKey(to: &writer)
    }
  }

  init<Root: StoredObject, Value: OrderedValue>(_ property: DerivedProperty<Root, Value>, _ order: SortOrder) {
    let read = property.read
    self.init(property, order, writeKey: property.writeKey ?? { read($0).writeKey(to: &$1) })
  }

  init<Root: StoredObject, Value: OptionalText>(folding property: DerivedProperty<Root, Value>, _ order: SortOrder) {
    let read = property.read
    self.init(property, order, isFolded: true) { object, writer in
      read(object).optionalText.map { FoldedText($0) }.writeKey(to: &writer)
    }
  }

  private init<Root: StoredObject, Value>(
    _ property: DerivedProperty<Root, Value>, _ order: SortOrder, isFolded: Bool = false,
    writeKey: @escaping @Sendable (Root, inout KeyWriter) -> Void
  ) {
    path = isFolded ? property.path.folded : property.path
    let isDescending = order == .descending
    self.isDescending = isDescending
    write = { object, writer in
      let start = writer.arena.count
      // A query sorts objects of its own class only.
      writeKey(unsafe unsafeDowncast(object, to: Root.self), &writer)
      if isDescending { writer.invert(from: start) }
    }
  }

  // Makes a sort key.
  //
  // If the property belongs to another object, `key` converts its value to the value that is sorted by; both are the
  // same if `isKeyItself`. `writeOwn` writes the value of the object's own property, without a copy.
  private init<Root: StoredObject, Value, Key: OrderedValue>(
    _ path: PropertyPath, _ order: SortOrder, _ keyPath: any KeyPath<Root, Value> & Sendable,
    key: @escaping @Sendable (Value) -> Key, isKeyItself: Bool = false,
    writeOwn: @escaping @Sendable (Root, inout KeyWriter) -> Void
  ) {
    self.path = path
    isDescending = order == .descending
    let isDescending = isDescending
    guard path.leadsToOtherObjects else {
      write = { object, writer in
        let start = writer.arena.count
        // A query sorts objects of its own class only.
        writeOwn(unsafe unsafeDowncast(object, to: Root.self), &writer)
        if isDescending { writer.invert(from: start) }
      }
      return
    }
    let reading = ReferenceReading(path)
    let isOptional = Key.self is any AbsentValue.Type
    let writeFromLeaf = isKeyItself ? reading.writeKey : nil
    write = { object, writer in
      let start = writer.arena.count
      do throws(StoreError) {
        if let target = try reading.target(from: object) {
          // A type without nil needs this byte as well, because the reference may lead to no object.
          if !isOptional { writer.append(1) }
          if let writeFromLeaf {
            writeFromLeaf(target, &writer)
          } else {
            // A query sorts objects of its own class only.
            let root = unsafe unsafeDowncast(object, to: Root.self)
            key(reading.value(at: target) { root[keyPath: keyPath] }).writeKey(to: &writer)
          }
        } else {
          writer.append(0)
        }
      } catch {
        writer.failure = writer.failure ?? error
      }
      if isDescending { writer.invert(from: start) }
    }
  }

  var description: String {
    isRelevance ? "relevance" : path.description + (isDescending ? " descending" : "")
  }
}

/// The rows of a result, saved and pending, with the values that they are sorted by.
struct SortedRows {
  private(set) var rows: [Row] = []
  private let sortKeys: [SortKey]
  /// The sort keys of the rows.
  let arena = ByteArena(capacity: 4096)
  private var writer: KeyWriter
  /// The number of rows that are needed, from the beginning; nil for all.
  private let limit: Int?
  /// The key and the row after which the result begins.
  private let start: (key: [UInt8], rowID: RowID)?

  struct Row {
    let rowID: RowID
    /// The first bytes of the key, for fast comparisons.
    fileprivate let head: UInt64
    let offset: Int
    let byteCount: Int
  }

  init(by sortKeys: [SortKey], limit: Int?, start: QueryPosition?) {
    self.sortKeys = sortKeys
    self.limit = limit
    self.start = start.map { (Array($0.keys.joined()), $0.rowID) }
    writer = KeyWriter(arena: arena)
  }

  /// Adds a row with the values of an object.
  ///
  /// - Throws: Errors of loading an object that a value is read from.
  mutating func append(_ object: StoredObject, rowID: RowID) throws(StoreError) {
    let offset = arena.count
    for key in sortKeys { key.write(object, &writer) }
    if writer.failure != nil { try removeFailed(from: offset) }
    let byteCount = arena.count - offset
    if let start, !comes(offset..<arena.count, rowID, behind: start) {
      arena.count = offset
      return
    }
    var head: UInt64 = 0
    if byteCount >= 8 {
      head = unsafe UInt64(bigEndian: arena.base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    } else {
      for position in 0..<byteCount {
        head |= unsafe UInt64(arena.base.load(fromByteOffset: offset + position, as: UInt8.self)) << (56 - 8 * position)
      }
    }
    rows.append(Row(rowID: rowID, head: head, offset: offset, byteCount: byteCount))
    // Dropping rows only at twice the limit takes less time than a heap.
    if let limit, rows.count / 2 > max(limit, 2048) { prune(to: limit) }
  }

  /// Removes the incomplete key of an object whose value could not be read, and throws the error of reading it.
  private mutating func removeFailed(from offset: Int) throws(StoreError) {
    arena.count = offset
    let failure = writer.failure
    writer.failure = nil
    if let failure { throw failure }
  }

  /// Adds a row that is sorted by its row id only.
  mutating func append(rowID: RowID) {
    if let start, rowID <= start.rowID { return }
    rows.append(Row(rowID: rowID, head: 0, offset: 0, byteCount: 0))
  }

  private func comes(_ key: Range<Int>, _ rowID: RowID, behind start: (key: [UInt8], rowID: RowID)) -> Bool {
    let order = unsafe start.key.withUnsafeBytes { startKey in
      unsafe Bytes.order(UnsafeRawBufferPointer(rebasing: arena.bytes[key]), startKey)
    }
    return order != 0 ? order > 0 : rowID > start.rowID
  }

  /// Returns the key that a row is sorted by.
  func key(of row: Row) -> [UInt8] {
    unsafe Array(arena.bytes[row.offset..<row.offset + row.byteCount])
  }

  /// Sorts the rows by their keys, and those with equal keys by their row ids.
  mutating func sort() {
    let arena = arena
    rows.sort { lhs, rhs in
      if lhs.head != rhs.head { return lhs.head < rhs.head }
      let order = unsafe Bytes.order(
        UnsafeRawBufferPointer(start: arena.base + lhs.offset, count: lhs.byteCount),
        UnsafeRawBufferPointer(start: arena.base + rhs.offset, count: rhs.byteCount))
      return order != 0 ? order < 0 : lhs.rowID < rhs.rowID
    }
  }

  /// Removes all rows after the first ones; the rows are sorted.
  mutating func keepFirst(_ count: Int) { if rows.count > count { rows.removeSubrange(count...) } }

  private mutating func prune(to limit: Int) {
    sort()
    rows.removeSubrange(limit...)
    let kept = ByteArena(capacity: arena.count)
    var newRows: [Row] = []
    for row in rows {
      let bytes = unsafe UnsafeRawBufferPointer(start: arena.base + row.offset, count: row.byteCount)
      let range = unsafe kept.append(bytes)
      newRows.append(Row(rowID: row.rowID, head: row.head, offset: range.lowerBound, byteCount: range.count))
    }
    rows = newRows
    arena.count = 0
    _ = unsafe arena.append(kept.bytes)
  }
}
