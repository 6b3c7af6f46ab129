internal import CStorageEngine

extension KyotoBackend {
  public func keyspaces() throws(BackendError) -> [Keyspace] {
    var found: [Keyspace] = []
    try unsafe cabinet.read { cabinet, error in
      unsafe withUnsafeMutablePointer(to: &found) { list in
        unsafe tdn_keyspaces(cabinet, list, appendKeyspace, error)
      }
    }
    return found
  }

  public func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    var id: UInt32 = 0
    try unsafe cabinet.call { cabinet, error in
      unsafe withPointer(to: name) { unsafe tdn_keyspace_named(cabinet, kind.rawValue, $0, name.count, &id, error) }
    }
    return KeyspaceID(rawValue: id)
  }

  /// Creates a keyspace with an id of the caller's choice (`tdn_keyspace_numbered`).
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` if the id or the name is in use.
  func makeKeyspace(_ id: KeyspaceID, _ kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) {
    try unsafe cabinet.call { cabinet, error in
      unsafe withPointer(to: name) {
        unsafe tdn_keyspace_numbered(cabinet, id.rawValue, kind.rawValue, $0, name.count, error)
      }
    }
  }

  public func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID> {
    guard count > 0 else {
      throw BackendError(.invalidArgument, "At least one row id must be reserved, not \(count).")
    }
    var first: RowID = 0
    try unsafe cabinet.call { unsafe tdn_reserve_rows($0, keyspace.rawValue, UInt64(count), &first, $1) }
    return first..<first + UInt64(count)
  }

  public func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    var count: UInt64 = 0
    try unsafe cabinet.read { unsafe tdn_count($0, keyspace.rawValue, &count, $1) }
    return Int(clamping: count)
  }
}

/// Appends a keyspace to the `[Keyspace]` that `context` points to.
private func appendKeyspace(_ context: UnsafeMutableRawPointer?, _ keyspace: UnsafePointer<tdn_keyspace>) {
  let found = unsafe keyspace.pointee
  guard let context = unsafe context, let kind = unsafe KeyspaceKind(rawValue: found.kind) else { return }
  let name = unsafe [UInt8](UnsafeBufferPointer(start: found.name, count: found.name_length))
  let list = unsafe context.assumingMemoryBound(to: [Keyspace].self)
  unsafe list.pointee.append(
    Keyspace(id: KeyspaceID(rawValue: found.id), kind: kind, name: name))
}

/// Calls `body` with a pointer to the bytes, which is not null even for no bytes, as the C interface requires.
func withPointer<R>(to bytes: [UInt8], _ body: (UnsafePointer<UInt8>) -> R) -> R {
  unsafe bytes.span.withUnsafeBufferPointer { buffer in
    if let base = buffer.baseAddress { return unsafe body(base) }
    var nothing: UInt8 = 0
    return unsafe body(&nothing)
  }
}
