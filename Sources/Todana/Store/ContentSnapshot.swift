/// What an object's `writeContent` wrote, and the objects it refers to, to be given back later.
///
/// References are kept as the very objects, so it works for objects outside any store and gives back the same
/// instances. A reference to the object itself is not kept, so that a snapshot does not keep its object alive.
struct ContentSnapshot {
  private let content = ByteArena()
  private let references = References()
  private var version: UInt8 = 0
  /// Whether the content could be written; nothing is given back if not.
  private var isWhole = false

  /// A snapshot of nothing yet.
  init() {}

  init(of object: StoredObject) { take(of: object) }

  /// Whether the content has a reference to the object itself.
  var refersToItsObject: Bool { references.refersToOwner }

  /// Takes the object's content; there must be none here.
  mutating func take(of object: StoredObject) {
    references.owner = object
    defer { references.owner = nil }
    version = type(of: object).version
    var buffer = DataBuffer(arena: content, encoder: references)
    buffer.beginRecord(version: version, headerByteCount: 0)
    object.writeContent(to: &buffer)
    isWhole = buffer.firstError == nil
    _ = buffer.endRecord(trailerByteCount: 0)
  }

  /// Lets go of the content, to be used again.
  mutating func clear() {
    isWhole = false
    references.removeAll()
    content.count = 0
    content.shrink(to: 4096)
  }

  /// Gives an object of the same class this content.
  func restore(_ object: StoredObject) {
    guard isWhole else { return }
    references.owner = object
    defer { references.owner = nil }
    var buffer = unsafe DataBuffer(borrowing: content.bytes, version: version, resolver: references)
    let isDecoding = object.state.contains(.decoding)
    object.state.insert(.decoding)
    // A class that does not read what it has just written keeps what it has read so far: there is nothing better.
    try? object.readContent(from: &buffer)
    if !isDecoding { object.state.remove(.decoding) }
  }

  /// Numbers what is referred to: the object itself is 1, objects are even from 2 on, and rows that no object was
  /// looked for yet (``LazyReferences``) odd from 3 on.
  private final class References: ReferenceEncoder, ReferenceResolver {
    private var objects: [StoredObject] = []
    private var rows: [Row] = []
    /// The object whose content is written or read at the moment.
    var owner: StoredObject?
    private(set) var refersToOwner = false

    private struct Row {
      let rowID: RowID
      let type: StoredObject.Type
      let store: Store
    }

    func removeAll() {
      refersToOwner = false
      if !objects.isEmpty { objects.removeAll(keepingCapacity: objects.count <= 1024) }
      if !rows.isEmpty { rows.removeAll(keepingCapacity: rows.count <= 1024) }
    }

    func rowID(of object: StoredObject) -> RowID {
      if object === owner {
        refersToOwner = true
        return 1
      }
      objects.append(object)
      return RowID(objects.count) * 2
    }

    func rowID(ofRow rowID: RowID, of type: StoredObject.Type, in store: Store) -> RowID? {
      rows.append(Row(rowID: rowID, type: type, store: store))
      return RowID(rows.count) * 2 + 1
    }

    func reference(to object: StoredObject) -> ObjectReference {
      ObjectReference(classID: ClassID(rawValue: 0), rowID: rowID(of: object))
    }

    func classID(of type: StoredObject.Type) -> ClassID { ClassID(rawValue: 0) }

    func object(classID: ClassID, rowID: RowID) throws(DataBufferError) -> StoredObject {
      if rowID == 1, let owner { return owner }
      let index = Int(rowID / 2) - 1
      if rowID % 2 == 0, objects.indices.contains(index) { return objects[index] }
      guard rowID % 2 == 1, rows.indices.contains(index) else {
        throw DataBufferError(.invalidValue, "the reference was not written here")
      }
      let row = rows[index]
      return try row.store.tableForReferences(to: row.type).objectOrFault(row.rowID)
    }
  }
}

extension ClassTable {
  /// Takes the object's content away: it shows defaults, and refers to nothing.
  func clearContent(of object: StoredObject) {
    let blank = blank ?? ContentSnapshot(of: type.init())
    self.blank = blank
    blank.restore(object)
  }
}
