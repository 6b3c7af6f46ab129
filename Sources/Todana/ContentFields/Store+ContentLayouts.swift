extension Store {
  /// The content fields that classes have declared, including classes that the program does not know.
  ///
  /// - Throws: ``StoreError``, such as ``StoreError/Code/damagedRecord``.
  public var contentLayouts: [ContentLayout] {
    get throws(StoreError) {
      try begin()
      let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
      guard let keyspace = Self.layoutKeyspace(in: keyspaces) else { return [] }
      let envelope = envelope(of: keyspace)
      let chunk = takeChunk()
      defer { giveBack(chunk) }
      let scan = try scan(keyspace)
      var layouts: [ContentLayout] = []
      while try next(of: scan, into: chunk) {
        for slice in chunk.slices {
          if let layout = try layout(slice, in: chunk, envelope: envelope) { layouts.append(layout) }
        }
      }
      return layouts
    }
  }

  /// Saves the content fields of classes when they are registered, if they have changed.
  ///
  /// The fields of a newer version of a class are kept. If the store is read-only, all layouts stay unchanged.
  func prepareContentLayouts(of tables: [ClassTable], _ keyspaces: [Keyspace]) throws(StoreError) {
    let tables = tables.filter { !$0.type.contentFields.isEmpty }
    guard !tables.isEmpty else { return }
    do throws(StoreError) {
      let keyspace = try layoutKeyspace(keyspaces)
      var batch = WriteBatch()
      for table in tables {
        let layout = ContentLayout(className: table.name, version: table.version, fields: table.type.contentFields)
        if let saved = try savedLayout(of: table.name, in: keyspace), saved.version > layout.version || saved == layout
        {
          continue
        }
        let key = unsafe Array(table.name.utf8).withUnsafeBytes { unsafe batch.arena.append($0) }
        let value = try encode(
          layout.bytes, version: layout.version, name: NamedBuffers.Name(string: table.name),
          in: envelope(of: keyspace), into: batch.arena)
        batch.append(
          .init(keyspace: keyspace, kind: .put, expectation: .anything, key: .bytes(key), value: value))
      }
      guard !batch.isEmpty else { return }
      batch.sort()
      do throws(BackendError) {
        noteCommit(try sealing.commit(batch, durability: .relaxed), durability: .relaxed)
      } catch {
        throw translate(error)
      }
    } catch {
      guard error.code == .readOnly else { throw error }
    }
  }

  /// Returns the keyspace of content layouts, and creates it if necessary.
  private func layoutKeyspace(_ keyspaces: [Keyspace]) throws(StoreError) -> KeyspaceID {
    if let known = Self.layoutKeyspace(in: keyspaces) { return known }
    return try onRecords { sealing throws(BackendError) in
      try sealing.keyspaceID(of: .keys, named: ContentLayout.keyspaceName)
    }
  }

  static func layoutKeyspace(in keyspaces: [Keyspace]) -> KeyspaceID? {
    keyspaces.first { $0.kind == .keys && $0.name == ContentLayout.keyspaceName }?.id
  }

  /// Returns the saved layout of a class; nil if there is none, or if it is unreadable and has to be written again.
  private func savedLayout(of className: String, in keyspace: KeyspaceID) throws(StoreError) -> ContentLayout? {
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try read(key: Array(className.utf8), of: keyspace, into: chunk)
    guard let slice = chunk.slices.first, slice.status == .found else { return nil }
    do throws(RecordEnvelopeError) {
      let opened = try unsafe envelope(of: keyspace).open(chunk.value(of: slice), Array(className.utf8))
      return unsafe ContentLayout(className: className, version: opened.version, bytes: Array(opened.content))
    } catch {
      return nil
    }
  }

  private func layout(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, envelope: RecordEnvelope
  ) throws(StoreError) -> ContentLayout? {
    let key = unsafe [UInt8](chunk.arena.bytes[slice.key])
    guard slice.status == .found else {
      throw StoreError(.damagedRecord, "The stored contentFields of a class are damaged.")
    }
    do throws(RecordEnvelopeError) {
      let opened = try unsafe envelope.open(chunk.value(of: slice), key)
      return unsafe ContentLayout(
        className: String(decoding: key, as: UTF8.self), version: opened.version, bytes: Array(opened.content))
    } catch {
      throw StoreError(.damagedRecord, "The stored contentFields of a class cannot be read.", underlying: error)
    }
  }
}
