/// The keys of objects in one index, in an arena of their own, to be sorted.
struct IndexKeys {
  let index: ClassIndex
  // Copies of the declaration's parts, as each object needs them.
  private let condition: ConditionNode?
  private let writes: [IndexPart.Write]
  private let endsInRow: Bool
  private let hasDistinctNils: Bool
  var entries: [Entry] = []
  let arena: ByteArena
  private var writer: KeyWriter
  /// Whether each key is known to come after the one before it, so that there are no repetitions and nothing to sort.
  private(set) var isAscending = true

  /// An entry with the key of one row.
  struct Entry {
    /// The offset of the key in the arena.
    var offset: Int
    var rowID: RowID
    /// The token of the record that the key was made from; 0 if the caller does not need it.
    var token: UInt64
    /// The size of the key: 32 bits are enough, as keys are short, and a save may have millions of entries.
    private let smallByteCount: UInt32
    /// Whether the key ends in the row id, so that no other row can have it.
    var endsInRow: Bool
    /// Whether a text in the key was too long and was cut.
    var isCut: Bool

    init(offset: Int, byteCount: Int, rowID: RowID, token: UInt64, endsInRow: Bool, isCut: Bool) {
      self.offset = offset
      self.rowID = rowID
      self.token = token
      smallByteCount = UInt32(byteCount)
      self.endsInRow = endsInRow
      self.isCut = isCut
    }

    var byteCount: Int { Int(smallByteCount) }
    /// The position of the key in the arena.
    var range: Range<Int> { offset..<offset + byteCount }
  }

  init(_ index: ClassIndex, arena: ByteArena = ByteArena()) {
    self.index = index
    let declaration = index.declaration
    condition = declaration.condition
    writes = declaration.parts.map(\.write)
    endsInRow = !declaration.isUnique
    hasDistinctNils = declaration.isUnique && declaration.nilIsDistinct
    self.arena = arena
    writer = KeyWriter(arena: arena, textByteLimit: KeyWriter.indexTextByteLimit)
  }

  /// The number of entries up to which room is reserved in advance.
  private static let reservedEntryLimit = 1 << 20

  /// Adds the keys of the first or a further one of several objects, whose contents must be loaded.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - rowID: Its row.
  ///   - expectedCount: The number of objects, each of which probably has as many keys as the first one.
  /// - Throws: As ``append(_:rowID:token:)``.
  mutating func append(_ object: StoredObject, rowID: RowID, expectedCount: Int) throws(StoreError) {
    let isFirst = entries.isEmpty
    try append(object, rowID: rowID)
    if isFirst, !entries.isEmpty {
      let (count, isTooMany) = entries.count.multipliedReportingOverflow(by: expectedCount)
      entries.reserveCapacity(isTooMany ? Self.reservedEntryLimit : min(count, Self.reservedEntryLimit))
    }
  }

  /// Adds the keys of an object, whose content must be loaded.
  ///
  /// - Throws: ``StoreError/Code/notInserted`` if the object refers to an object outside any store.
  mutating func append(_ object: StoredObject, rowID: RowID, token: UInt64 = 0) throws(StoreError) {
    if let condition, try !condition.holds(for: object) { return }
    let endsInRow = endsInRow || (hasDistinctNils && index.parts.contains { $0.isNil(object) })
    let first = entries.count
    let start = arena.count
    writer.begin()
    writer.append(IndexHeader.entryByte)
    appendParts(0, of: object, from: start, rowID: rowID, token: token, endsInRow: endsInRow)
    if let failure = writer.failure {
      writer.failure = nil
      throw failure
    }
    if entries.count > first + 1 { removeRepetitions(from: first) }
  }

  /// Appends the parts from a position on to the key, and ends the entry.
  ///
  /// A part with elements makes an entry for each element.
  private mutating func appendParts(
    _ position: Int, of object: StoredObject, from start: Int, rowID: RowID, token: UInt64, endsInRow: Bool
  ) {
    for position in position..<writes.count {
      switch writes[position] {
      case .value(let write): write(object, &writer)
      case .elements(let write) where position == writes.count - 1:
        finishElements(of: object, write, from: start, rowID: rowID, token: token, endsInRow: endsInRow)
        return
      case .elements(let write):
        let prefix = start..<arena.count
        let cutOffset = writer.cutOffset
        var starts: [(start: Int, isCut: Bool)] = []
        var elementStart = start
        write(object, &writer) { writer in
          starts.append((elementStart, writer.cutOffset != nil))
          elementStart = writer.arena.count
          writer.arena.appendCopy(of: prefix)
          if cutOffset == nil { writer.begin() }
        }
        // Removes the prefix that was already appended for a further element.
        arena.count = elementStart
        finishElements(
          starts, end: elementStart, position: position, object, rowID: rowID, token: token, endsInRow: endsInRow)
        return
      }
    }
    finish(from: start, rowID: rowID, token: token, endsInRow: endsInRow, isCut: writer.cutOffset != nil)
  }

  /// Writes and completes the entries of all elements, if no part follows them.
  private mutating func finishElements(
    of object: StoredObject, _ write: IndexPart.WriteElements, from start: Int, rowID: RowID, token: UInt64,
    endsInRow: Bool
  ) {
    // A copy, as the closure changes the entries.
    var writer = writer
    let (arena, prefix, cutOffset) = (arena, start..<arena.count, writer.cutOffset)
    var elementStart = start
    write(object, &writer) { writer in
      if endsInRow { writer.append(bigEndian: rowID) }
      add(
        Entry(
          offset: elementStart, byteCount: arena.count - elementStart, rowID: rowID, token: token,
          endsInRow: endsInRow, isCut: writer.cutOffset != nil))
      elementStart = arena.count
      arena.appendCopy(of: prefix)
      if cutOffset == nil { writer.begin() }
    }
    // Removes the prefix that was already appended for a further element.
    arena.count = elementStart
    self.writer = writer
  }

  /// Completes the entries of all elements.
  ///
  /// Each element's key already has its prefix. It is copied to the end of the arena, and the remaining parts are
  /// appended.
  private mutating func finishElements(
    _ starts: [(start: Int, isCut: Bool)], end: Int, position: Int, _ object: StoredObject, rowID: RowID,
    token: UInt64, endsInRow: Bool
  ) {
    for (index, element) in starts.enumerated() {
      let elementEnd = index + 1 < starts.count ? starts[index + 1].start : end
      let start = arena.count
      arena.appendCopy(of: element.start..<elementEnd)
      writer.begin()
      for part in writes[(position + 1)...] {
        if case .value(let write) = part { write(object, &writer) }
      }
      finish(
        from: start, rowID: rowID, token: token, endsInRow: endsInRow,
        isCut: element.isCut || writer.cutOffset != nil)
    }
  }

  private mutating func finish(from start: Int, rowID: RowID, token: UInt64, endsInRow: Bool, isCut: Bool) {
    if endsInRow { writer.append(bigEndian: rowID) }
    add(
      Entry(
        offset: start, byteCount: arena.count - start, rowID: rowID, token: token,
        endsInRow: endsInRow, isCut: isCut))
  }

  /// Adds an entry, and finds out whether its key comes after the one before it.
  private mutating func add(_ entry: Entry) {
    if isAscending, let last = entries.last, order(last, entry) >= 0 { isAscending = false }
    entries.append(entry)
  }

  /// Removes duplicate entries, which come from equal elements.
  private mutating func removeRepetitions(from first: Int) {
    if isAscending { return }
    let hasNone = (first + 1..<entries.count).allSatisfy { order(entries[$0 - 1], entries[$0]) < 0 }
    if hasNone { return }
    var added = Array(entries[first...])
    added.sort { order($0, $1) < 0 }
    entries.removeSubrange(first...)
    for entry in added where entries.count == first || order(entries[entries.count - 1], entry) != 0 {
      entries.append(entry)
    }
  }

  /// Adds a key of the same index without changing it.
  mutating func append(
    _ key: UnsafeRawBufferPointer, rowID: RowID, token: UInt64, endsInRow: Bool, isCut: Bool
  ) {
    let bytes = unsafe arena.append(key)
    add(
      Entry(
        offset: bytes.lowerBound, byteCount: bytes.count, rowID: rowID, token: token, endsInRow: endsInRow,
        isCut: isCut))
  }

  /// The memory that keys and entries take, in bytes.
  var byteCount: Int { arena.count + entries.count * MemoryLayout<Entry>.stride }

  func order(_ lhs: Entry, _ rhs: Entry) -> Int { Self.order(lhs, rhs, arena, arena) }

  /// Compares two keys; returns a number below 0, 0, or a number above 0.
  static func order(_ lhs: Entry, _ rhs: Entry, _ left: ByteArena, _ right: ByteArena) -> Int {
    unsafe Bytes.order(
      UnsafeRawBufferPointer(start: left.base + lhs.offset, count: lhs.byteCount),
      UnsafeRawBufferPointer(start: right.base + rhs.offset, count: rhs.byteCount))
  }

  /// Removes entries at positions in ascending order; the arena keeps their keys.
  mutating func remove(_ ranges: [Range<Int>]) {
    var (kept, next) = (ranges.first?.lowerBound ?? 0, ranges.first?.lowerBound ?? entries.count)
    for range in ranges {
      while next < range.lowerBound {
        entries[kept] = entries[next]
        (kept, next) = (kept + 1, next + 1)
      }
      next = range.upperBound
    }
    if !ranges.isEmpty { entries.removeSubrange(kept..<next) }
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    arena.count = 0
    isAscending = true
  }

  func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: arena.base + entry.offset, count: entry.byteCount)
  }
}
