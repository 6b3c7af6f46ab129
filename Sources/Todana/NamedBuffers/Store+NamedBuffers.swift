// Named buffers: bytes under a name, saved in the same commits as objects.
extension Store {
  /// The largest memory that is kept for the next buffer.
  private static let spareArenaLimit = 1 << 16

  /// Writes a named buffer with the next save, and replaces any earlier content of the name.
  ///
  /// ```swift
  /// try store.writeNamedBuffer("favourites") { buffer in buffer.writeReferences(favourites) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name: not empty, without NUL, and not longer than the backend's keys.
  ///   - version: The ``DataBuffer/version`` of the buffer when it is read.
  ///   - immediately: Whether to save the buffer, and nothing else, before the call returns. If so, the buffer cannot
  ///     refer to objects whose insert is pending.
  ///   - body: Writes the content. It is called once, before the method returns.
  /// - Throws: The errors of the closure; ``StoreError``: ``StoreError/Code/cannotEncode``,
  ///   ``StoreError/Code/invalidName``. When writing immediately, also ``StoreError/Code/withinSavepoint``, and
  ///   ``SaveConflict`` if another store has changed the buffer since this store read it.
  public func writeNamedBuffer(
    _ name: String, version: UInt8 = 1, immediately: Bool = false, _ body: (inout DataBuffer) throws -> Void
  ) throws {
    try beginChange()
    _ = try namedBufferKeyspace()
    try checkBufferName(name)
    try refuseReservedName(name)
    // The closure may write other buffers.
    let arena = spareArena.take() ?? ByteArena()
    defer {
      arena.count = 0
      if arena.capacity <= Self.spareArenaLimit { spareArena = arena }
    }
    let encoder: any ReferenceEncoder = immediately ? SavedReferences(store: self) : self
    var buffer = DataBuffer(arena: arena, encoder: encoder)
    buffer.beginRecord(version: version, headerByteCount: 0)
    try body(&buffer)
    if let error = buffer.firstError {
      throw StoreError(.cannotEncode, "The named buffer \"\(name)\" cannot be saved: \(error)", underlying: error)
    }
    let range = buffer.endRecord(trailerByteCount: 0)
    let content = unsafe Array(arena.bytes[range])
    try keep(.put(content: content, version: version), for: name, immediately: immediately)
  }

  /// Reads a named buffer: its pending content, or else its saved content.
  ///
  /// ```swift
  /// let count = try store.readNamedBuffer("favourites") { buffer in try buffer.readReferences(Song.self).count }
  /// ```
  ///
  /// After this call, a save throws ``SaveConflict`` instead of overwriting a change that another store made since. The
  /// store remembers this for the buffers that are pending, and for at least the last 32,768 that it read or saved.
  ///
  /// - Returns: The result of the closure; nil if there is no buffer of this name.
  /// - Throws: The errors of the closure; ``StoreError``: ``StoreError/Code/damagedRecord``.
  public func readNamedBuffer<Result>(
    _ name: String, includingPending: Bool = true, _ body: (inout DataBuffer) throws -> Result
  ) throws -> Result? {
    try begin()
    if isTracking { tracker.note(namedBuffer: name) }
    try checkBufferName(name)
    if includingPending, let pending = namedBuffers.pendingChange(of: name) {
      guard case .put(let content, let version) = pending else { return nil }
      return try unsafe content.withUnsafeBytes { content in
        var buffer = makeReader()
        unsafe buffer.beginReading(content, version: version)
        return try body(&buffer)
      }
    }
    let key = Array(name.utf8)
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    guard try readSavedBuffer(key, name: name, into: chunk), let slice = chunk.slices.first else { return nil }
    return try unsafe read(chunk.value(of: slice), key: key, name: name, body)
  }

  /// Removes a named buffer with the next save, or immediately.
  ///
  /// - Returns: Whether there was a buffer of this name.
  /// - Throws: ``StoreError``; ``SaveConflict`` when removing immediately.
  @discardableResult
  public func removeNamedBuffer(_ name: String, immediately: Bool = false) throws -> Bool {
    try beginChange()
    try checkBufferName(name)
    try refuseReservedName(name)
    let wasPending = namedBuffers.pendingChange(of: name)
    let isSaved = try isBufferSaved(name)
    if isSaved {
      try keep(.remove, for: name, immediately: immediately)
    } else {
      try noteForUndo(buffer: name)
      noteChange(ofBuffer: name)
      adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
    }
    switch wasPending {
    case .put: return true
    case .remove: return false
    case nil: return isSaved
    }
  }

  /// Returns the names of all named buffers, in the order of their UTF-8 bytes.
  ///
  /// The list of collections, which is a named buffer as well, is left out.
  ///
  /// - Complexity: O(*n* log *n*); reads all buffers.
  public func namedBufferNames(includingPending: Bool = true) throws(StoreError) -> [String] {
    try storedBufferNames(includingPending: includingPending).filter {
      !$0.utf8.elementsEqual(NamedBuffers.reservedName.utf8)
    }
  }

  /// Returns the names of all named buffers, with that of the list of collections.
  func storedBufferNames(includingPending: Bool) throws(StoreError) -> [String] {
    try begin()
    if isTracking { tracker.noteAllNamedBuffers() }
    var names: Set<NamedBuffers.Name> = []
    if let keyspace = try knownBufferKeyspace() {
      let chunk = takeChunk()
      defer { giveBack(chunk) }
      let scan = try scan(keyspace)
      while try next(of: scan, into: chunk) {
        for slice in chunk.slices { names.insert(.init(string: try bufferName(slice, in: chunk))) }
      }
    }
    if includingPending {
      for (name, change) in namedBuffers.pending {
        if case .remove = change { names.remove(name) } else { names.insert(name) }
      }
    }
    return names.map(\.string).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private func keep(_ change: NamedBuffers.PendingBuffer, for name: String, immediately: Bool) throws {
    try noteForUndo(buffer: name)
    if immediately {
      try refuseWithinSavepoint("save a named buffer")
      try saveBuffer(change, name: name)
      adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
    } else {
      noteChange(ofBuffer: name)
      adjustPendingCount(by: namedBuffers.setPending(change, for: name))
    }
  }

  private func read<Result>(
    _ record: UnsafeRawBufferPointer, key: [UInt8], name: String, _ body: (inout DataBuffer) throws -> Result
  ) throws -> Result {
    let envelope = try namedBufferEnvelope()
    let opened: RecordEnvelope.Opened
    do throws(RecordEnvelopeError) {
      opened = try unsafe envelope.open(record, key)
    } catch {
      throw StoreError(
        error == .unknownEpoch ? .unknownKeyEpoch : .damagedRecord, "The named buffer \"\(name)\" cannot be read.",
        underlying: error)
    }
    var buffer = makeReader()
    unsafe buffer.beginReading(opened.content, version: opened.version)
    return try body(&buffer)
  }

  /// Reads the saved record, and records its state; returns false if there is none.
  private func readSavedBuffer(_ key: [UInt8], name: String, into chunk: RecordChunk) throws(StoreError) -> Bool {
    guard let keyspace = try knownBufferKeyspace() else { return false }
    try read(key: key, of: keyspace, into: chunk)
    guard let slice = chunk.slices.first, slice.status != .absent else {
      noteBuffer(.absent, name: name)
      return false
    }
    guard slice.status == .found else {
      throw StoreError(.damagedRecord, "The named buffer \"\(name)\" is damaged.")
    }
    noteBuffer(unsafe .token(recordToken(chunk.value(of: slice))), name: name)
    return true
  }

  /// Records the state of a buffer, unless a change of it is pending.
  ///
  /// A pending change was made with knowledge of the state that was read first.
  private func noteBuffer(_ expectation: WriteBatch.Expectation, name: String) {
    guard namedBuffers.pendingChange(of: name) == nil else { return }
    noteChange(ofBuffer: name)
    namedBuffers.note(expectation, for: name)
  }

  private func isBufferSaved(_ name: String) throws(StoreError) -> Bool {
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    return try readSavedBuffer(Array(name.utf8), name: name, into: chunk)
  }

  /// Returns the state that a save would find under the name now.
  func savedState(ofBuffer name: String) throws(StoreError) -> WriteBatch.Expectation {
    guard let keyspace = try knownBufferKeyspace() else { return .absent }
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try read(key: Array(name.utf8), of: keyspace, into: chunk)
    guard let slice = chunk.slices.first, slice.status == .found else { return .absent }
    return unsafe .token(recordToken(chunk.value(of: slice)))
  }

  private func refuseReservedName(_ name: String) throws(StoreError) {
    guard name.utf8.elementsEqual(NamedBuffers.reservedName.utf8) else { return }
    throw StoreError(.invalidName, "The named buffer \"\(name)\" is reserved for the list of collections.")
  }

  private func checkBufferName(_ name: String) throws(StoreError) {
    let byteCount = name.utf8.count
    guard byteCount > 0, byteCount <= backend.limits.keyByteCount else {
      throw StoreError(
        .invalidName,
        "A named buffer's name has 1 to \(backend.limits.keyByteCount) bytes of UTF-8; this one has \(byteCount).")
    }
    let hasNUL = unsafe name.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe Bytes.contain(0, UnsafeRawBufferPointer(bytes))
    }
    guard !(hasNUL ?? name.utf8.contains(0)) else {
      throw StoreError(.invalidName, "A named buffer's name contains a NUL.")
    }
  }

  /// Returns the name of a saved buffer.
  ///
  /// In an encrypted store, the name can be read only if the record can be opened.
  private func bufferName(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws(StoreError) -> String {
    if epoch != 0, chunk.isSealed {
      let format = unsafe chunk.value(of: slice).first
      guard slice.status == .found, format == RecordEnvelope.openedFormat else {
        throw StoreError(.damagedRecord, "A named buffer and its name cannot be read.")
      }
    }
    return unsafe String(decoding: chunk.arena.bytes[slice.key], as: UTF8.self)
  }

  /// Encodes a buffer's record into the arena, and returns its range.
  func encode(
    _ content: [UInt8], version: UInt8, name: NamedBuffers.Name, in envelope: RecordEnvelope,
    into arena: ByteArena
  ) throws(StoreError) -> Range<Int> {
    var buffer = DataBuffer(arena: arena, encoder: self)
    envelope.begin(version: version, in: &buffer)
    if envelope.epoch != 0 { buffer.writeString(name.string) }
    buffer.writeRawBytes(content)
    do throws(DataBufferError) {
      let seed = unsafe name.withBytes { unsafe envelope.seed($0) }
      return try envelope.finish(seed: seed, in: &buffer).range
    } catch {
      throw StoreError(
        .cannotEncode, "The named buffer \"\(name.string)\" cannot be saved: \(error)", underlying: error)
    }
  }

  /// Returns the envelope for the records of named buffers.
  func namedBufferEnvelope() throws(StoreError) -> RecordEnvelope {
    let keyspace = try namedBufferKeyspace()
    if let envelope = namedBuffers.envelope, envelope.epoch == epoch { return envelope }
    let envelope = envelope(of: keyspace)
    namedBuffers.envelope = envelope
    return envelope
  }

  /// Returns the keyspace of named buffers, and creates it if necessary.
  func namedBufferKeyspace() throws(StoreError) -> KeyspaceID {
    if let keyspace = namedBuffers.keyspace { return keyspace }
    let keyspace = try onRecords { sealing throws(BackendError) in
      try sealing.keyspaceID(of: .keys, named: NamedBuffers.keyspaceName)
    }
    namedBuffers.keyspace = keyspace
    return keyspace
  }

  func knownBufferKeyspace() throws(StoreError) -> KeyspaceID? {
    do throws(StoreError) {
      return try namedBufferKeyspace()
    } catch {
      if error.code == .readOnly { return nil }
      throw error
    }
  }
}

/// The named buffers among the changes of a batch, which are its last changes.
struct BatchBuffers {
  private let firstIndex: Int
  private let names: [NamedBuffers.Name]

  /// - Parameters:
  ///   - names: The names, in the order of the changes.
  ///   - firstIndex: The index of the first change of a buffer.
  init(_ names: [NamedBuffers.Name], from firstIndex: Int) {
    self.names = names
    self.firstIndex = firstIndex
  }

  /// Returns the name of the buffer that a change affects; nil for another change, such as an index entry.
  func name(ofChange index: Int) -> NamedBuffers.Name? {
    names.indices.contains(index - firstIndex) ? names[index - firstIndex] : nil
  }

  /// Returns the states of the buffers' records after the commit of a batch.
  func saved(by batch: borrowing WriteBatch) -> [(NamedBuffers.Name, WriteBatch.Expectation)] {
    let changes = batch.changes
    let bytes = unsafe batch.arena.bytes
    return names.enumerated().compactMap { position, name in
      let change = changes[firstIndex + position]
      if change.kind == .check { return nil }
      if change.kind == .remove { return (name, .absent) }
      return (name, unsafe .token(recordToken(UnsafeRawBufferPointer(rebasing: bytes[change.value]))))
    }
  }
}

/// A reference encoder for buffers that are saved immediately: it refuses references to objects with a pending insert.
private final class SavedReferences: ReferenceEncoder {
  private let store: Store

  init(store: Store) { self.store = store }

  func rowID(of object: StoredObject) throws(DataBufferError) -> RowID {
    try check(object)
    return try store.rowID(of: object)
  }

  func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference {
    try check(object)
    return try store.reference(to: object)
  }

  private func check(_ object: StoredObject) throws(DataBufferError) {
    guard !object.state.contains(.inserted) else {
      throw DataBufferError(.referenceNotInserted, "the object that is referred to is not saved yet; save it first")
    }
  }
}
