/// How far a copy is (``Store/backUp(to:encryption:progress:)``).
public struct CopyProgress: Sendable {
  /// The commit whose state is copied.
  public var commitNumber: CommitNumber
  public var copiedCount: Int
  /// Records of all classes, and named buffers.
  public var recordCount: Int
}

extension Store {
  /// Copies everything that is saved to a new store with an encryption of its own: another passphrase or key, or none, or
  /// one where this store has none.
  ///
  /// The copy has nothing of this store's keys: who can open one cannot open the other. It has another identity, the same
  /// class names, and the same row ids, so references stay what they are. Every record is read, checked, and written
  /// anew; for a copy under the same keys, ``backUp(to:progress:)`` is faster.
  ///
  /// The copy has the state of one commit, the newest at the call, and none of what is pending. The store can be used
  /// meanwhile. Until the copy is whole and durable there is nothing at its path.
  ///
  /// ```swift
  /// try store.backUp(to: "ForTheLawyer.todana", encryption: .passphrase("another one"))
  /// ```
  ///
  /// - Parameters:
  ///   - path: Where nothing is. Until it is whole the copy stands in a directory whose name ends in `.partial`.
  ///   - encryption: Of the copy.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the copy.
  /// - Returns: The commit whose state was copied.
  /// - Throws: What `progress` throws; ``StoreError``, for example ``StoreError/Code/damagedRecord`` where a record cannot be
  ///   read: a copy has everything, or is none.
  /// - Complexity: O(*n*) in the bytes of all records.
  @discardableResult
  public func backUp(
    to path: String, encryption: StoreEncryption, progress: (CopyProgress) throws -> Void = { _ in }
  ) throws -> CommitNumber {
    try begin()
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    let secret = try encryption.secret()
    return try NewStoreDirectory(path).make { partialPath in
      try RecordWriter.makeStore(at: partialPath, secret: secret, configuration) { writer in
        var copy = RecordCopy(of: self, snapshot, to: writer)
        try copy.run(keyspaces, progress)
      }
      return snapshot.commitNumber
    }
  }
}

/// Goes through all records of a snapshot.
private struct RecordCopy {
  private let store: Store
  private let snapshot: any BackendSnapshot
  private let writer: RecordWriter
  private var done: CopyProgress

  init(of store: Store, _ snapshot: any BackendSnapshot, to writer: RecordWriter) {
    self.store = store
    self.snapshot = snapshot
    self.writer = writer
    done = CopyProgress(commitNumber: snapshot.commitNumber, copiedCount: 0, recordCount: 0)
  }

  mutating func run(_ keyspaces: [Keyspace], _ progress: (CopyProgress) throws -> Void) throws {
    for keyspace in keyspaces {
      done.recordCount += try store.onBackend { _ throws(BackendError) in try snapshot.count(of: keyspace.id) }
    }
    let chunk = RecordChunk()
    for keyspace in keyspaces {
      try store.onBackend { _ throws(BackendError) in
        try writer.makeKeyspace(keyspace.id, keyspace.kind, named: keyspace.name)
      }
      let scan = try store.onBackend { _ throws(BackendError) in
        keyspace.kind == .tree
          ? try snapshot.scan(tree: keyspace.id, from: nil, to: nil, descending: false)
          : try snapshot.scan(keyspace.id)
      }
      repeat {
        try store.onBackend { _ throws(BackendError) in try scan.next(into: chunk) }
        for slice in chunk.slices { try copy(slice, in: chunk, of: keyspace) }
        done.copiedCount += chunk.slices.count
        try progress(done)
      } while !chunk.slices.isEmpty
      try store.onBackend { _ throws(BackendError) in
        try writer.commit()
        guard keyspace.kind == .rows, let bound = try snapshot.rowIDBound(of: keyspace.id), bound > 1 else { return }
        if try snapshot.count(of: keyspace.id) > 0 {
          try writer.reserveRows(through: bound - 1, of: keyspace.id)
        } else {
          try writer.putNoRows(through: bound - 1, in: keyspace.id)
        }
      }
    }
  }

  private func copy(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, of keyspace: Keyspace
  ) throws(StoreError) {
    let name = keyspace.displayName
    guard slice.status == .found else {
      throw StoreError(
        .damagedRecord, "A record is damaged, so there is nothing to copy of it.", className: name, rowID: slice.rowID)
    }
    let value = unsafe chunk.value(of: slice)
    let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
    if keyspace.kind == .tree {
      return try store.onBackend { _ throws(BackendError) in
        try unsafe writer.putEntry(key: key, value: value, in: keyspace.id)
      }
    }
    let envelope = store.envelope(of: keyspace.id)
    let opened: RecordEnvelope.Opened
    do throws(RecordEnvelopeError) {
      opened =
        keyspace.kind == .rows
        ? try unsafe envelope.open(value, slice.rowID) : try unsafe envelope.open(value, [UInt8](key))
    } catch {
      throw StoreError(error, className: name, rowID: slice.rowID)
    }
    guard keyspace.kind == .keys else {
      return try store.onBackend { _ throws(BackendError) in
        try unsafe writer.putRow(
          slice.rowID, version: opened.version, content: opened.content, in: keyspace.id)
      }
    }
    let bufferName = unsafe String(decoding: key, as: UTF8.self)
    try store.onBackend { _ throws(BackendError) in
      try unsafe writer.putBuffer(
        named: bufferName, version: opened.version, content: opened.content, in: keyspace.id)
    }
  }
}
