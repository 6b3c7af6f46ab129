extension Store {
  /// Writes all saved data as lines of JSON, from which ``make(at:configuration:fromDump:)`` creates a store again.
  ///
  /// Use a dump to inspect a store with other tools, to compare two stores, or to move one to another version of this
  /// library. A backup (``backUp(to:progress:)``) is smaller, much faster, and includes the indexes.
  ///
  /// The dump has the state of one commit, the newest at the call, without pending changes. It contains every record
  /// with its class, row id, version and content, the named buffers, and the numbers of classes. Data that are
  /// encrypted in the store are not encrypted in the dump. docs/formats/dump.md describes the format.
  ///
  /// ```swift
  /// try store.writeDump { line in print(String(decoding: line, as: UTF8.self)) }
  /// ```
  ///
  /// - Parameter write: A closure that receives each line, without a line ending; throwing from it ends the dump.
  /// - Returns: The counts of the dump.
  /// - Throws: Errors of `write`; ``StoreError``, such as ``StoreError/Code/damagedRecord``. A dump that is not
  ///   complete lacks its last line.
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

  /// Passes the lines of a dump to a closure as values.
  func dumpEntries(_ body: (DumpEntry) throws -> Void) throws {
    try withSnapshot {
      let commitNumber = try snapshotForReading().commitNumber
      try body(
        .store(format: DumpEntry.formatVersion, id: "\(backend.storeID)", commitNumber: commitNumber))
      let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
      let classes = keyspaces.filter(\.isOfClass)
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

  /// Reads all records of a class in the order of the file, which detects missing records.
  ///
  /// A scan in the order of row ids does not detect them.
  private func readThrough(_ keyspace: KeyspaceID) throws(StoreError) {
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    let scan = try scan(keyspace)
    while try next(of: scan, into: chunk) {}
  }
}
