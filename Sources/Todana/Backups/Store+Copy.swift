/// The progress of a copy (``Store/backUp(to:encryption:progress:)``).
public struct CopyProgress: Sendable {
  /// The commit whose state is copied.
  public var commitNumber: CommitNumber
  public var copiedCount: Int
  /// The number of records of all classes and other keyspaces, including named buffers.
  public var recordCount: Int
}

extension Store {
  /// Copies all saved data to a new store with its own encryption: another passphrase or key, or none.
  ///
  /// The copy shares no keys with this store: access to one gives no access to the other. It has another identity, the
  /// same class names, and the same row ids, so references stay valid. Every record is read, checked, and written
  /// again. For a copy under the same keys, ``backUp(to:progress:)`` is faster.
  ///
  /// The copy has the state of one commit, the newest at the call, without pending changes. The store can be used
  /// concurrently. The copy appears at its path only when it is complete and durable.
  ///
  /// ```swift
  /// try store.backUp(to: "ForTheLawyer.todana", encryption: .passphrase("another one"))
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the copy. Nothing may exist there. Until it is complete, the copy is in a directory whose
  ///     name ends in `.partial`.
  ///   - encryption: The encryption of the copy.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the copy.
  /// - Returns: The commit whose state was copied.
  /// - Throws: Errors of `progress`; ``StoreError``, for example ``StoreError/Code/damagedRecord`` if a record cannot
  ///   be read: a copy is complete, or is not made.
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

/// A copy of all records of a snapshot to a new store.
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
    // The copy's text indexes are built when it is opened.
    let keyspaces = keyspaces.filter { $0.textName == nil }
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
    let name = keyspace.owningClassName
    guard slice.status == .found else {
      throw StoreError(
        .damagedRecord, "A record is damaged, so the store cannot be copied: salvage it instead.",
        className: name, rowID: slice.rowID)
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
