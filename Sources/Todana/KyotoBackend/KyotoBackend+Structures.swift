internal import CStorageEngine

extension KyotoBackend {
  public func structures() throws(BackendError) -> [StoredStructure] {
    var found: [StoredStructure] = []
    try unsafe cabinet.call { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &found) { list in
        unsafe tdn_structures(cabinet, list, appendStructure, error)
      }
    }
    return found
  }

  public func structureID(of kind: StructureKind, named name: [UInt8]) throws(BackendError) -> ClassID {
    var id: UInt32 = 0
    try unsafe cabinet.call { cabinet, error in
      unsafe withPointer(to: name) { unsafe tdn_structure_named(cabinet, kind.rawValue, $0, name.count, &id, error) }
    }
    return ClassID(rawValue: id)
  }

  /// Makes a structure with an id of the caller's choice (`tdn_structure_numbered`).
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` where the id, or the name, is in use.
  func makeStructure(_ id: ClassID, _ kind: StructureKind, named name: [UInt8]) throws(BackendError) {
    try unsafe cabinet.call { cabinet, error in
      unsafe withPointer(to: name) {
        unsafe tdn_structure_numbered(cabinet, id.rawValue, kind.rawValue, $0, name.count, error)
      }
    }
  }

  public func reserveRowIDs(_ count: Int, in structure: ClassID) throws(BackendError) -> Range<RowID> {
    guard count > 0 else {
      throw BackendError(.invalidArgument, "Row ids are handed out one at a time or more, not \(count).")
    }
    var first: RowID = 0
    try unsafe cabinet.call { unsafe tdn_reserve_rows($0, structure.rawValue, UInt64(count), &first, $1) }
    return first..<first + UInt64(count)
  }

  public func count(of structure: ClassID) throws(BackendError) -> Int {
    var count: UInt64 = 0
    try unsafe cabinet.call { unsafe tdn_count($0, structure.rawValue, &count, $1) }
    return Int(clamping: count)
  }
}

/// Adds a structure to the `[StoredStructure]` that `context` points to.
private func appendStructure(_ context: UnsafeMutableRawPointer?, _ structure: UnsafePointer<tdn_structure>) {
  let found = unsafe structure.pointee
  guard let context = unsafe context, let kind = unsafe StructureKind(rawValue: found.kind) else { return }
  let name = unsafe [UInt8](UnsafeBufferPointer(start: found.name, count: found.name_length))
  let list = unsafe context.assumingMemoryBound(to: [StoredStructure].self)
  unsafe list.pointee.append(
    StoredStructure(id: ClassID(rawValue: found.id), kind: kind, name: name))
}

/// Calls `body` with a pointer to the bytes that is not null where there are none, as the C interface asks.
func withPointer<R>(to bytes: [UInt8], _ body: (UnsafePointer<UInt8>) -> R) -> R {
  unsafe bytes.span.withUnsafeBufferPointer { buffer in
    if let base = buffer.baseAddress { return unsafe body(base) }
    var nothing: UInt8 = 0
    return unsafe body(&nothing)
  }
}
