extension Store {
  /// Creates a new store from a dump (``writeDump(_:)``).
  ///
  /// The store has another identity, but the same class names and numbers, row ids, versions, contents and named
  /// buffers. It appears at its path only when it is complete and durable. After an error nothing of it is left.
  ///
  /// - Parameters:
  ///   - path: The path of the new store. Nothing may exist there. Until the store is complete, it is in a directory
  ///     whose name ends in `.partial`.
  ///   - configuration: The new store's encryption, with cipher, padding and passphrase cost; other settings are
  ///     ignored.
  ///   - nextLine: A closure that returns the next line, with or without its line ending, or nil after the last one.
  ///     Throwing from it ends the import.
  /// - Returns: The counts of the dump.
  /// - Throws: Errors of `nextLine`; ``DumpError`` with the line; ``StoreError`` if the store cannot be written.
  /// - Complexity: O(*n*) in the bytes of the dump. Takes about one bit of memory for each row.
  @discardableResult
  public static func make(
    at path: String, configuration: StoreConfiguration = StoreConfiguration(),
    fromDump nextLine: () throws -> [UInt8]?
  ) throws -> DumpCounts {
    let secret = try configuration.encryption.secret()
    return try NewStoreDirectory(path).make { partialPath in
      var counts = DumpCounts()
      try RecordWriter.makeStore(at: partialPath, secret: secret, configuration) { writer in
        var reading = DumpReading(into: writer)
        let decoder = DumpDecoder()
        while let line = try nextLine() {
          reading.line += 1
          guard !line.allSatisfy(\.isJSONSpace) else { continue }
          try reading.take(DumpEntry(json: line, line: reading.line, decoder))
        }
        counts = try reading.finish()
      }
      return counts
    }
  }
}

extension UInt8 {
  fileprivate var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

/// A dump that is being read into a new store.
private struct DumpReading {
  /// The number of the line that is being read.
  var line = 0
  private let writer: RecordWriter
  private var classes: [StoredClass] = []
  /// The index of each class in `classes`, by the bytes of its name.
  ///
  /// Stored names are compared by their bytes. Two Swift strings, however, are equal even if only their normalized
  /// forms are.
  private var classIndexes: [[UInt8]: Int] = [:]
  /// The index of the latest record's class, as most records have the same class as the previous one.
  private var lastIndex = 0
  private var numbers: Set<KeyspaceID> = []
  private var namedBuffers: KeyspaceID?
  private var bufferNames: Set<[UInt8]> = []
  private var counts = DumpCounts()
  private var stage = Stage.start

  private struct StoredClass {
    let name: String
    let number: KeyspaceID
    let nextRowID: RowID?
    var rows = RowSet()
  }

  private enum Stage: Int {
    case start
    case keyspaces
    case records
    case end
  }

  /// The highest row id that is accepted; after a higher one a store could not continue counting.
  private static let rowIDLimit = RowID(Int64.max)

  init(into writer: RecordWriter) { self.writer = writer }

  mutating func take(_ entry: DumpEntry) throws {
    switch entry {
    case .store(let format, _, _):
      try enter(.keyspaces, from: .start, "the first line, and no other, must be of kind \"store\"")
      guard format == DumpEntry.formatVersion else {
        throw DumpError(
          format > DumpEntry.formatVersion ? .newerFormat : .invalidField, line: line,
          "the dump has format \(format), but this program reads only format \(DumpEntry.formatVersion)")
      }
    case .storedClass(let name, let number, let nextRowID):
      try enter(.keyspaces, from: .keyspaces, "a line of kind \"class\" must be before all records")
      try begin(name, number, nextRowID)
    case .namedBuffers(let number):
      try enter(.keyspaces, from: .keyspaces, "the line of kind \"names\" must be before all records")
      try beginNamedBuffers(number)
    case .record(let className, let record):
      try enter(.records, from: .keyspaces, "a record must be after the classes and before the end")
      try put(record, className: className)
    case .namedBuffer(let buffer):
      try enter(.records, from: .keyspaces, "a named buffer must be after the classes and before the end")
      try put(buffer)
    case .end(let counts):
      try enter(.end, from: .keyspaces, "the line of kind \"end\" must be the last line, and the only one of its kind")
      try check(counts)
    }
  }

  /// Completes the store, and returns the counts of the dump.
  mutating func finish() throws -> DumpCounts {
    guard stage == .end else {
      throw DumpError(.incomplete, "the line of kind \"end\" is missing: the dump is truncated")
    }
    try onBackend { writer throws(BackendError) in
      try writer.commit()
      for stored in classes {
        guard let next = stored.nextRowID, next > 1 else { continue }
        if stored.rows.count > 0 {
          try writer.reserveRows(through: next - 1, of: stored.number)
        } else {
          try writer.putNoRows(through: next - 1, in: stored.number)
        }
      }
    }
    return counts
  }

  /// Enters a stage, or stays in it; throws if the line is out of order.
  private mutating func enter(_ next: Stage, from first: Stage, _ rule: String) throws(DumpError) {
    let mayStay = next != .end && (next != .keyspaces || first == .keyspaces)
    let last = mayStay ? next.rawValue : next.rawValue - 1
    guard stage.rawValue >= first.rawValue, stage.rawValue <= last else {
      throw DumpError(.outOfOrder, line: line, rule)
    }
    stage = next
  }

  private func onBackend(_ body: (RecordWriter) throws(BackendError) -> Void) throws(StoreError) {
    do throws(BackendError) { try body(writer) } catch { throw StoreError(error) }
  }

  // MARK: Keyspaces

  private mutating func begin(_ name: String, _ number: KeyspaceID, _ nextRowID: RowID?) throws {
    try check(name, byteLimit: 255)
    try take(number)
    if let nextRowID, nextRowID == 0 || nextRowID > Self.rowIDLimit {
      throw DumpError(.invalidField, line: line, "a row id must be from 1 to \(Self.rowIDLimit)")
    }
    guard classIndexes.updateValue(classes.count, forKey: Array(name.utf8)) == nil else {
      throw DumpError(.duplicate, line: line, "the class \"\(name)\" is declared twice")
    }
    classes.append(StoredClass(name: name, number: number, nextRowID: nextRowID))
    try onBackend { writer throws(BackendError) in
      try writer.makeKeyspace(number, .rows, named: Array(name.utf8))
    }
  }

  private mutating func beginNamedBuffers(_ number: KeyspaceID) throws {
    guard namedBuffers == nil else {
      throw DumpError(.duplicate, line: line, "the number of the named buffers is declared twice")
    }
    try take(number)
    namedBuffers = number
    try onBackend { writer throws(BackendError) in
      try writer.makeKeyspace(number, .keys, named: NamedBuffers.keyspaceName)
    }
  }

  private mutating func take(_ number: KeyspaceID) throws(DumpError) {
    guard number.rawValue > 0, number.rawValue < .max else {
      throw DumpError(.invalidField, line: line, "the number of a class must be from 1 to \(UInt32.max - 1)")
    }
    guard numbers.insert(number).inserted else {
      throw DumpError(.duplicate, line: line, "the number \(number.rawValue) is used twice")
    }
  }

  private func check(_ name: String, byteLimit: Int) throws(DumpError) {
    guard (1...byteLimit).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw DumpError(.invalidField, line: line, "a name must have 1 to \(byteLimit) bytes, without NUL")
    }
  }

  // MARK: Records

  private mutating func put(_ record: RawRecord, className: String) throws {
    let index = try index(ofClass: className)
    let bound = classes[index].nextRowID ?? Self.rowIDLimit
    guard record.rowID > 0, record.rowID < bound else {
      throw DumpError(.invalidField, line: line, "row \(record.rowID) is not from 1 to \(bound - 1)")
    }
    guard classes[index].rows.insert(record.rowID) else {
      throw DumpError(.duplicate, line: line, "row \(record.rowID) of \"\(className)\" occurs twice")
    }
    counts.recordCount += 1
    let number = classes[index].number
    try onBackend { writer throws(BackendError) in
      try unsafe record.content.span.bytes.withUnsafeBytes { content throws(BackendError) in
        try unsafe writer.putRow(record.rowID, version: record.version, content: content, in: number)
      }
    }
  }

  private mutating func index(ofClass name: String) throws(DumpError) -> Int {
    if classes.indices.contains(lastIndex), classes[lastIndex].name.utf8.elementsEqual(name.utf8) { return lastIndex }
    guard let index = classIndexes[Array(name.utf8)] else {
      throw DumpError(.unknownClass, line: line, "no line of kind \"class\" declares \"\(name)\"")
    }
    lastIndex = index
    return index
  }

  private mutating func put(_ buffer: RawNamedBuffer) throws {
    try check(buffer.name, byteLimit: writer.backend.limits.keyByteCount)
    guard bufferNames.insert(Array(buffer.name.utf8)).inserted else {
      throw DumpError(.duplicate, line: line, "the named buffer \"\(buffer.name)\" occurs twice")
    }
    guard let namedBuffers else {
      throw DumpError(.outOfOrder, line: line, "no line of kind \"names\" declares named buffers")
    }
    counts.namedBufferCount += 1
    try onBackend { writer throws(BackendError) in
      try unsafe buffer.content.span.bytes.withUnsafeBytes { content throws(BackendError) in
        try unsafe writer.putBuffer(
          named: buffer.name, version: buffer.version, content: content, in: namedBuffers)
      }
    }
  }

  private func check(_ announced: DumpCounts) throws(DumpError) {
    guard announced == counts else {
      throw DumpError(
        .incomplete, line: line,
        "it has \(counts.recordCount) records and \(counts.namedBufferCount) named buffers, but its last line says "
          + "\(announced.recordCount) and \(announced.namedBufferCount)")
    }
  }
}
