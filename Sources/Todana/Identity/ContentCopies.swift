/// Copies of objects' contents, consecutive in one block of memory, from which contents can be restored.
///
/// References are kept as the referenced instances themselves. Copying therefore works for objects outside any store,
/// and restores references to the same instances. An object's reference to itself is not kept, so a copy does not keep
/// its object alive.
struct ContentCopies {
  private let content = ByteArena()
  private let references = References()

  /// The location of the copy of one object's content.
  struct Copy {
    fileprivate let start: Int
    /// At most 1 GiB (``DataBuffer/contentByteLimit``), so 32 bits are enough.
    fileprivate let byteCount: UInt32
    fileprivate let version: UInt8
    /// Whether the content refers to its object.
    let refersToItsObject: Bool
  }

  /// A position in the sequence of copies; all later copies can be released.
  struct Mark {
    fileprivate var byteCount = 0
    fileprivate var references = References.Mark()
  }

  /// The number of bytes that the copies take, without the referenced objects themselves.
  var byteCount: Int { content.count + references.byteCount }

  var mark: Mark { Mark(byteCount: content.count, references: references.mark) }

  /// Copies the content of an object.
  ///
  /// A value that cannot be written as bytes is kept itself, and is not an error.
  ///
  /// - Returns: Nil if `writeContent` records another error. Also nil if called within `writeContent` or `readContent`
  ///   of an object that is being copied or restored here.
  /// - Complexity: O(*n*) in the bytes of the content.
  func take(of object: StoredObject) -> Copy? {
    // The memory must not move while a buffer points into it.
    guard references.owner == nil else { return nil }
    references.begin(object)
    defer { references.owner = nil }
    let version = type(of: object).version
    var buffer = DataBuffer(arena: content, encoder: references)
    buffer.beginRecord(version: version, headerByteCount: 0)
    object.writeContent(to: &buffer)
    guard buffer.firstError == nil else {
      buffer.abandonRecord()
      return nil
    }
    let range = buffer.endRecord(trailerByteCount: 0)
    return Copy(
      start: range.lowerBound, byteCount: UInt32(range.count), version: version,
      refersToItsObject: references.refersToOwner)
  }

  /// Restores the content of a copy to an object of the same class.
  ///
  /// - Returns: False if the class cannot read its own content. The object then keeps the part read so far, as there is
  ///   no better content for it.
  @discardableResult
  func restore(_ copy: Copy, to object: StoredObject) -> Bool {
    let outerOwner = references.owner
    references.begin(object)
    defer { references.owner = outerOwner }
    let bytes = unsafe UnsafeRawBufferPointer(
      rebasing: content.bytes[copy.start..<copy.start + Int(copy.byteCount)])
    var buffer = unsafe DataBuffer(borrowing: bytes, version: copy.version, resolver: references)
    let isDecoding = object.state.contains(.decoding)
    object.state.insert(.decoding)
    defer { if !isDecoding { object.state.remove(.decoding) } }
    do {
      try object.readContent(from: &buffer)
      return true
    } catch {
      return false
    }
  }

  /// Gives an object of the same class the content of another one.
  ///
  /// - Parameters:
  ///   - object: The object with the content. References to itself become references to the other object.
  ///   - other: The object that gets the content.
  ///   - replacement: Returns the object to which a reference leads in the copied content.
  /// - Returns: Whether the content could be written and read.
  func transfer(
    from object: StoredObject, to other: StoredObject, _ replacement: @escaping (StoredObject) -> StoredObject
  ) -> Bool {
    let mark = mark
    defer { removeAll(since: mark) }
    guard let copy = take(of: object) else { return false }
    references.replacement = replacement
    defer { references.replacement = nil }
    return restore(copy, to: other)
  }

  /// Appends the objects that an object's content refers to; keeps no copy.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - objects: Receives the objects.
  ///   - skipsLeaves: Whether objects that cannot refer to others are left out.
  func appendReferences(of object: StoredObject, to objects: inout [StoredObject], skippingLeaves skipsLeaves: Bool) {
    references.use = skipsLeaves ? .findingReferrers : .finding
    defer { references.use = .copying }
    _ = take(of: object)
    references.moveObjects(to: &objects)
    removeAll()
  }

  /// Releases the copies taken after a mark; all copies by default.
  func removeAll(since mark: Mark = Mark()) {
    references.removeAll(since: mark.references)
    content.count = mark.byteCount
    if mark.byteCount == 0 { content.shrink(to: 4096) }
  }
}

/// The references of copied contents.
///
/// The number 1 is the object that the content belongs to. Other objects have even numbers from 2 on. Rows whose
/// references were not resolved yet (``LazyReferences``) have odd numbers from 3 on.
private final class References: ReferenceEncoder, ReferenceResolver {
  // No other code runs during an access to these properties, so accesses never overlap. Exclusivity checks would only
  // take time.
  /// The total number of kept objects, rows and values.
  @safe @exclusivity(unchecked) private var count = 0
  /// The object whose content is being written or read.
  @safe @exclusivity(unchecked) var owner: StoredObject?
  @safe @exclusivity(unchecked) private(set) var refersToOwner = false
  @safe @exclusivity(unchecked) var use = Use.copying
  @safe @exclusivity(unchecked) private var classes = ReferenceFreeClasses.Recent()
  /// Replaces the objects of references that are read; nil to leave them as they are.
  var replacement: ((StoredObject) -> StoredObject)?
  @safe @exclusivity(unchecked) private var objects: [StoredObject] = []
  private var rows: [Row] = []
  /// Values that no bytes could restore.
  private var values: [Any] = []

  /// The purpose for which contents are written.
  enum Use {
    case copying
    /// Only to find the objects that they refer to; they are never read.
    case finding
    /// Only to find those objects that may refer to others.
    case findingReferrers
  }

  private struct Row {
    let rowID: RowID
    let type: StoredObject.Type
    let store: Store
  }

  struct Mark {
    var objectCount = 0
    var rowCount = 0
    var valueCount = 0
  }

  var mark: Mark { Mark(objectCount: objects.count, rowCount: rows.count, valueCount: values.count) }

  var byteCount: Int {
    objects.count * MemoryLayout<StoredObject>.stride + rows.count * MemoryLayout<Row>.stride
      + values.count * MemoryLayout<Any>.stride
  }

  func begin(_ object: StoredObject) {
    owner = object
    refersToOwner = false
  }

  func removeAll(since mark: Mark) {
    let markCount = mark.objectCount + mark.rowCount + mark.valueCount
    guard count > markCount else { return }
    count = markCount
    if objects.count > mark.objectCount {
      var released = Array(objects[mark.objectCount...])
      objects.shorten(to: mark.objectCount)
      ChainRelease.release(&released)
    }
    if rows.count > mark.rowCount { rows.shorten(to: mark.rowCount) }
    if values.count > mark.valueCount { values.shorten(to: mark.valueCount) }
  }

  /// Moves the objects to the end of a list.
  func moveObjects(to list: inout [StoredObject]) {
    list += objects
    count -= objects.count
    objects.shorten(to: 0)
  }

  func rowID(of object: StoredObject) -> RowID {
    if object === owner {
      refersToOwner = true
      return 1
    }
    if use == .findingReferrers, !mayRefer(object) { return 1 }
    append(object)
    return RowID(objects.count) * 2
  }

  @inline(__always)
  private func mayRefer(_ object: StoredObject) -> Bool { !object.isFault && classes.mayRefer(object) }

  @inline(__always)
  private func append(_ object: StoredObject) {
    objects.append(object)
    count += 1
  }

  func takeAll(_ list: StoredObjects) -> Bool {
    switch use {
    case .copying: return false
    case .finding: for index in 0..<list.count { append(list[index]) }
    case .findingReferrers: for index in 0..<list.count where mayRefer(list[index]) { append(list[index]) }
    }
    return true
  }

  func rowID(ofRow rowID: RowID, of type: StoredObject.Type, in store: Store) -> RowID? {
    rows.append(Row(rowID: rowID, type: type, store: store))
    count += 1
    return RowID(rows.count) * 2 + 1
  }

  func keep(_ value: Any) -> Int? {
    values.append(value)
    count += 1
    return values.count - 1
  }

  var keepsValues: Bool { true }

  func keptValue(_ number: Int) -> Any? { values.indices.contains(number) ? values[number] : nil }

  func reference(to object: StoredObject) -> ObjectReference {
    ObjectReference(classID: KeyspaceID(rawValue: 0), rowID: rowID(of: object))
  }

  func classID(of type: StoredObject.Type) -> KeyspaceID { KeyspaceID(rawValue: 0) }

  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject {
    if rowID == 1, let owner { return owner }
    let index = Int(rowID / 2) - 1
    if rowID % 2 == 0, objects.indices.contains(index) { return replacement?(objects[index]) ?? objects[index] }
    guard rowID % 2 == 1, rows.indices.contains(index) else {
      throw DataBufferError(.invalidValue, "the reference was not written here")
    }
    let row = rows[index]
    let object = try row.store.tableForReferences(to: row.type).objectOrFault(row.rowID)
    return replacement?(object) ?? object
  }
}

extension Array {
  /// Removes all elements after the first `count`; if that empties a large array, releases its memory, too.
  fileprivate mutating func shorten(to count: Int) {
    if count == 0 {
      removeAll(keepingCapacity: self.count <= 1024)
    } else {
      removeSubrange(count...)
    }
  }
}
