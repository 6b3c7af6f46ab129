extension Store {
  /// Writes everything that is saved as lines of JSON, which ``make(at:configuration:fromDump:)`` makes a store of again.
  ///
  /// For a look at a store with other tools, for comparing two, and for taking one to another version of this library.
  /// A backup (``backUp(to:progress:)``) is smaller, much faster, and has the indexes as well.
  ///
  /// The dump has the state of one commit, the newest at the call, and none of what is pending: every record with its
  /// class, row id, version and content, named buffers, and the numbers of classes. What is encrypted in the store is
  /// plain in the dump. The format: docs/formats/dump.md.
  ///
  /// ```swift
  /// try store.writeDump { line in print(String(decoding: line, as: UTF8.self)) }
  /// ```
  ///
  /// - Parameter write: Gets each line, without its end; what it throws ends the dump.
  /// - Returns: What was written.
  /// - Throws: What `write` throws; ``StoreError``, such as ``StoreError/Code/damagedRecord``: a dump has everything, or no
  ///   end.
  /// - Complexity: O(*n*) in the bytes of all records, which are read twice.
  @discardableResult
  public func writeDump(_ write: ([UInt8]) throws -> Void) throws -> DumpCounts {
    let encoder = DumpEncoder()
    var counts = DumpCounts()
    try dumpEntries { entry in
      if case .end(let all) = entry { counts = all }
      try write(try entry.json(encoder))
    }
    return counts
  }

  /// The lines of a dump as values.
  func dumpEntries(_ body: (DumpEntry) throws -> Void) throws {
    try withSnapshot {
      let commitNumber = try snapshotForReading().commitNumber
      try body(
        .store(format: DumpEntry.formatVersion, id: "\(backend.storeID)", commitNumber: commitNumber))
      let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
      let classes = keyspaces.filter { $0.kind == .rows }
      for keyspace in classes { try body(try entry(of: keyspace)) }
      let buffers = keyspaces.first { $0.kind == .keys && $0.name == NamedBuffers.keyspaceName }
      if let buffers { try body(.namedBuffers(number: buffers.id)) }
      var counts = DumpCounts()
      for keyspace in classes {
        try readThrough(keyspace.id)
        let name = keyspace.displayName
        try rawRecords(ofClassNamed: name, after: 0) { record, _ in
          counts.recordCount += 1
          try body(.record(className: name, record))
        }
      }
      if buffers != nil {
        try rawNamedBuffers { buffer, _ in
          counts.namedBufferCount += 1
          try body(.namedBuffer(buffer))
        }
      }
      try body(.end(counts))
    }
  }

  private func entry(of keyspace: Keyspace) throws(StoreError) -> DumpEntry {
    let snapshot = try snapshotForReading()
    let bound = try onBackend { _ throws(BackendError) in try snapshot.rowIDBound(of: keyspace.id) }
    return .storedClass(name: keyspace.displayName, number: keyspace.id, nextRowID: bound)
  }

  /// A scan in the order of the file finds records that are missing; one in the order of row ids does not.
  private func readThrough(_ keyspace: KeyspaceID) throws(StoreError) {
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    let scan = try scan(keyspace)
    while try next(of: scan, into: chunk) {}
  }
}
