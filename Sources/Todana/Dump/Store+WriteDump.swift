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
      let structures = try onBackend { backend throws(BackendError) in try backend.structures() }
      let classes = structures.filter { $0.kind == .rows }
      for structure in classes { try body(try entry(of: structure)) }
      let buffers = structures.first { $0.kind == .keys && $0.name == NamedBuffers.structureName }
      if let buffers { try body(.namedBuffers(number: buffers.id)) }
      var counts = DumpCounts()
      for structure in classes {
        try readThrough(structure.id)
        let name = structure.displayName
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

  private func entry(of structure: StoredStructure) throws(StoreError) -> DumpEntry {
    let snapshot = try snapshotForReading()
    let bound = try onBackend { _ throws(BackendError) in try snapshot.rowIDBound(of: structure.id) }
    return .storedClass(name: structure.displayName, number: structure.id, nextRowID: bound)
  }

  /// A scan in the order of the file finds records that are missing; one in the order of row ids does not.
  private func readThrough(_ structure: ClassID) throws(StoreError) {
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    let scan = try scan(structure)
    while try next(of: scan, into: chunk) {}
  }
}
