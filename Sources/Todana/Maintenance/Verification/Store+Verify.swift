extension Store {
  /// Checks everything that is saved: every page of every file, every record, and every reference.
  ///
  /// - Superblock, file of keys and list of the last commits are kept twice: both copies are looked at.
  /// - Each page is read from its file, and compared with its checksum.
  /// - Each record is read in the state of one commit, its envelope is checked, and it is looked for by its row id or
  ///   key, too. What was found is counted and compared with what the keyspace says.
  /// - The content of each class that the store was opened with is read by `readContent`, into an object that is
  ///   thrown away, and what it refers to is looked for. (References in named buffers are not followed.)
  /// - The entries of each index that is complete are compared with what was read. Of an index of a class that the store
  ///   was not opened with, each entry is checked to be of a row that exists, and the entries are counted.
  ///
  /// The store can be used meanwhile; what is pending is not looked at. Nothing is changed, but for a checkpoint at the
  /// start of a store that was opened for writing.
  ///
  /// ```swift
  /// let report = try store.verify()
  /// for problem in report.problems { print(problem) }
  /// ```
  ///
  /// - Parameter progress: Called now and then; throwing from it ends the verification.
  /// - Returns: What was found. Damage is reported, not thrown.
  /// - Throws: What `progress` throws; ``StoreError`` if the store cannot be read at all.
  /// - Complexity: O(*n*) in the bytes of the store, all of which are read, records twice: with their pages, and by
  ///   themselves; those of classes with references three times. Takes a bit of memory for each row.
  public func verify(
    progress: (VerificationProgress) throws -> Void = { _ in }
  ) throws -> VerificationReport {
    try begin()
    var verification = try Verification(of: self)
    try verification.run(progress)
    return verification.report
  }
}

/// One look at a whole store.
private struct Verification {
  let store: Store
  let snapshot: any BackendSnapshot
  let keyspaces: [Keyspace]
  var report = VerificationReport()
  /// Classes with records that refer to others.
  private var withReferences: Set<KeyspaceID> = []
  /// By class, the rows that there are.
  private var rows: [KeyspaceID: RowSet] = [:]
  /// Keyspaces of which damage hides records: which ones they have is not known.
  private var damaged: Set<KeyspaceID> = []
  /// By their tokens.
  private var refused: [UInt64: [RefusedRecord]] = [:]
  private let chunk = RecordChunk()
  private let found = RecordChunk(byteCapacity: 4096, recordLimit: 4096, leavesOutValues: true)

  init(of store: Store) throws {
    self.store = store
    if let engine = store.backend.operations {
      do throws(BackendError) {
        try engine.checkpoint()
      } catch {
        guard error.code == .readOnly else { throw store.translate(error) }
      }
    }
    snapshot = try store.snapshotForReading()
    keyspaces = try store.onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    report.commitNumber = snapshot.commitNumber
  }

  mutating func run(_ progress: (VerificationProgress) throws -> Void) throws {
    try verifyCompanions()
    try verifyPages(of: .catalog, named: "catalog", progress)
    try verifyPages(of: .states, named: "states", progress)
    for keyspace in keyspaces {
      try verifyPages(of: .keyspace(keyspace.id), named: keyspace.displayName, progress)
    }
    // Indexes come last: by then the rows are known.
    for keyspace in keyspaces.filter({ $0.kind != .tree }) + keyspaces.filter({ $0.kind == .tree }) {
      do {
        try verifyRecords(of: keyspace, progress)
      } catch let error as StoreError where error.code == .damagedRecord {
        // Not even the keyspace's head can be read.
        damaged.insert(keyspace.id)
        report.add(
          VerificationReport.Problem(
            kind: .damagedFile, file: error.backendError?.file, page: error.backendError?.page,
            className: keyspace.displayName, message: error.message))
      }
    }
    try findOrigins()
    for keyspace in keyspaces where withReferences.contains(keyspace.id) {
      if let table = store.registry[keyspace.id] { try verifyReferences(of: keyspace, table, progress) }
    }
  }

  // MARK: Files

  private mutating func verifyCompanions() throws {
    guard let engine = store.backend.operations else { return }
    let damaged = try store.onBackend { _ throws(BackendError) in try engine.verifyCompanions() }
    for file in damaged {
      report.add(VerificationReport.Problem(kind: .damagedCopy, file: file.file, message: file.message))
    }
  }

  private mutating func verifyPages(
    of file: BackendFile, named name: String, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    var isKeyspace = false
    if case .keyspace = file { isKeyspace = true }
    var page = 0
    while true {
      let pages: VerifiedPages
      do throws(BackendError) {
        guard let found = try store.backend.operations?.verifyPages(of: file, from: page) else { return }
        pages = found
      } catch {
        guard error.code == .damaged || error.code == .inputOutput else { throw store.translate(error) }
        return report.add(
          VerificationReport.Problem(kind: .damagedFile, file: error.file, className: name, message: error.message))
      }
      for damaged in pages.damagedPages {
        report.add(
          VerificationReport.Problem(
            kind: .damagedPage, file: pages.file, page: damaged, className: isKeyspace ? name : nil,
            message: "The page's content does not match its checksum."))
      }
      page += pages.pageCount
      report.pageCount += pages.pageCount
      try progress(
        VerificationProgress(phase: .pages, name: pages.file, doneCount: page, totalCount: pages.filePageCount))
    }
  }

  // MARK: Records

  /// Checks every record's envelope, that it is found by its key, and how many there are.
  private mutating func verifyRecords(
    of keyspace: Keyspace, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    let expectedCount = try store.onBackend { _ throws(BackendError) in try snapshot.count(of: keyspace.id) }
    let envelope = store.envelope(of: keyspace.id)
    var foundRows = RowSet()
    var foundCount = 0
    // Damage that the scan meets is no count of records: what it hides is not known.
    var isWhole = true
    // So is damage of records of which not even the rows are known.
    var hidesRecords = false
    var content = try contentVerification(of: keyspace)
    var index = indexVerification(of: keyspace)
    try forEachChunk(of: keyspace, &isWhole) { verification in
      for slice in verification.chunk.slices {
        foundCount += 1
        verification.check(slice, of: keyspace, envelope, &content)
        if slice.status != .found, slice.rowID == 0 { hidesRecords = true }
        if slice.status == .found, let finding = index?.check(slice, in: verification.chunk) {
          verification.report.add(finding, of: index)
        }
        if keyspace.kind == .rows, slice.rowID != 0, !foundRows.insert(slice.rowID) {
          verification.report.add(
            .damagedRecord, keyspace, slice.rowID, "There is a second record of the row.")
        }
      }
      content?.endChunk()
      try verification.verifyReachability(of: keyspace)
      try progress(
        VerificationProgress(
          phase: .records, name: keyspace.displayName, doneCount: foundCount, totalCount: expectedCount))
    }
    rows[keyspace.id] = foundRows
    if !isWhole || hidesRecords { damaged.insert(keyspace.id) }
    if !damaged.contains(keyspace.id), let finding = index?.countFinding { report.add(finding, of: index) }
    if isWhole, foundCount != expectedCount {
      report.add(.wrongCount, keyspace, nil, "The keyspace counts \(expectedCount) records and has \(foundCount).")
    }
    if let findings = try content?.findings() {
      for finding in findings {
        report.add(.wrongIndex, keyspace, finding.rowID, "Index \"\(finding.indexName)\": \(finding.message)")
      }
    }
    if content?.hasReferences == true { withReferences.insert(keyspace.id) }
  }

  /// Nil where the content is not looked at.
  private mutating func contentVerification(of keyspace: Keyspace) throws(StoreError) -> ContentVerification? {
    guard keyspace.kind == .rows else { return nil }
    guard let table = store.registry[keyspace.id] else {
      report.unknownClassNames.append(keyspace.displayName)
      return nil
    }
    return try ContentVerification(of: table, keyspace.id, in: store, snapshot)
  }

  /// Nil where the keyspace is no index, its class is known, so that its records say what is in the index, or not all
  /// of its rows are known.
  private func indexVerification(of keyspace: Keyspace) -> StoredIndexVerification? {
    guard keyspace.kind == .tree, let name = ClassIndex.names(fromKeyspace: keyspace.name),
      !store.registry.tables.contains(where: { $0.name == name.className })
    else { return nil }
    let stored = keyspaces.first { $0.kind == .rows && $0.displayName == name.className }
    guard let stored else { return StoredIndexVerification(name, rows: RowSet()) }
    guard !damaged.contains(stored.id), let rows = rows[stored.id] else { return nil }
    return StoredIndexVerification(name, rows: rows)
  }

  private mutating func check(
    _ slice: RecordChunk.Slice, of keyspace: Keyspace, _ envelope: RecordEnvelope,
    _ content: inout ContentVerification?
  ) {
    report.recordCount += 1
    report.byteCount += slice.value.count
    let rowID = keyspace.kind == .rows ? slice.rowID : nil
    guard slice.status == .found else {
      content?.skip(slice.rowID)
      return report.add(.damagedRecord, keyspace, rowID, "The record cannot be read.")
    }
    // What stands in a tree has no envelope.
    guard keyspace.kind != .tree else { return }
    do throws(RecordEnvelopeError) {
      let value = unsafe chunk.value(of: slice)
      if keyspace.kind == .rows {
        let opened = unsafe try envelope.open(value, slice.rowID)
        if let problem = content?.read(opened, rowID: slice.rowID) {
          report.add(problem.kind, keyspace, rowID, problem.message)
        }
      } else {
        _ = unsafe try envelope.open(value, key(of: slice))
      }
    } catch {
      content?.skip(slice.rowID)
      let problem = report.problems.count
      report.add(.damagedRecord, keyspace, rowID, "\(error)")
      if problem < report.problems.count, slice.value.count >= RecordEnvelope.trailerByteCount {
        let place = RefusedRecord(problem: problem, keyspace: keyspace.id, rowID: slice.rowID, key: key(of: slice))
        refused[unsafe recordToken(chunk.value(of: slice)), default: []].append(place)
      }
    }
  }

  private func key(of slice: RecordChunk.Slice) -> [UInt8] { unsafe [UInt8](chunk.arena.bytes[slice.key]) }

  /// Looks for other places of records that do not belong where they stand: one that was copied there is as it was where
  /// it came from.
  private mutating func findOrigins() throws {
    guard !refused.isEmpty else { return }
    for keyspace in keyspaces where keyspace.kind != .tree {
      var isWhole = true
      try forEachChunk(of: keyspace, &isWhole, reportsDamage: false) { verification in
        for slice in verification.chunk.slices where slice.value.count >= RecordEnvelope.trailerByteCount {
          let token = unsafe recordToken(verification.chunk.value(of: slice))
          guard let refused = verification.refused[token] else { continue }
          let key = verification.key(of: slice)
          for record in refused
          where record.keyspace != keyspace.id || record.rowID != slice.rowID || record.key != key {
            let place = keyspace.kind == .rows ? "row \(slice.rowID) of \(keyspace.displayName)" : "a named buffer"
            verification.report.problems[record.problem].message += "; \(place) has one with the same token"
          }
        }
      }
    }
  }

  /// Looks for what a scan has found by its key: the way to it may be damaged where the record is not.
  private mutating func verifyReachability(of keyspace: Keyspace) throws {
    let sound = chunk.slices.filter { $0.status == .found }
    if keyspace.kind == .rows {
      let rowIDs = sound.map(\.rowID)
      var start = 0
      while start < rowIDs.count {
        try read { [snapshot, found] () throws(BackendError) in
          try snapshot.read(rows: rowIDs.span.extracting(start..<rowIDs.count), of: keyspace.id, into: found)
        }
        for slice in found.slices where slice.status != .found {
          report.add(.unreachableRecord, keyspace, slice.rowID, "A scan finds the record, its row id does not.")
        }
        guard !found.slices.isEmpty else { break }
        start += found.slices.count
      }
    } else {
      for slice in sound {
        let key = unsafe [UInt8](chunk.arena.bytes[slice.key])
        try read { [snapshot, found] () throws(BackendError) in
          try snapshot.read(key: key, of: keyspace.id, into: found)
        }
        if found.slices.first?.status != .found {
          report.add(.unreachableRecord, keyspace, nil, "A scan finds a record, its key does not.")
        }
      }
    }
  }

  private func read(_ body: () throws(BackendError) -> Void) throws(StoreError) {
    do throws(BackendError) { try body() } catch { throw store.translate(error) }
  }

  // MARK: References

  /// Looks for what the records of a class refer to.
  private mutating func verifyReferences(
    of keyspace: Keyspace, _ table: ClassTable, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    var content = try ContentVerification(of: table, keyspace.id, in: store, snapshot)
    var isWhole = true
    var doneCount = 0
    let totalCount = rows[keyspace.id]?.count ?? 0
    try forEachChunk(of: keyspace, &isWhole, reportsDamage: false) { verification in
      for slice in verification.chunk.slices where slice.status == .found {
        // What cannot be read was reported before.
        guard let opened = unsafe table.envelope.openIfSound(verification.chunk.value(of: slice), slice.rowID) else {
          continue
        }
        try verification.look(for: content.references(of: opened, rowID: slice.rowID), slice.rowID, keyspace)
      }
      doneCount += verification.chunk.slices.count
      try progress(
        VerificationProgress(
          phase: .references, name: keyspace.displayName, doneCount: doneCount, totalCount: totalCount))
    }
  }

  private mutating func look(
    for references: [ObjectReference], _ rowID: RowID, _ keyspace: Keyspace
  ) throws(StoreError) {
    for reference in references {
      report.referenceCount += 1
      if rows[reference.classID]?.contains(reference.rowID) == true { continue }
      if try isHidden(reference) { continue }
      let name = keyspaces.first { $0.id == reference.classID }?.displayName ?? "class \(reference.classID.rawValue)"
      report.add(
        .danglingReference, keyspace, rowID, "It refers to \(name) row \(reference.rowID), which does not exist.")
    }
  }

  /// Whether damage, which is reported, leaves open if a row exists that the scan of its class did not find.
  private func isHidden(_ reference: ObjectReference) throws(StoreError) -> Bool {
    guard damaged.contains(reference.classID) else { return false }
    do throws(BackendError) {
      try snapshot.read(rows: CollectionOfOne(reference.rowID).span, of: reference.classID, into: found)
    } catch {
      guard error.code == .damaged else { throw store.translate(error) }
      return true
    }
    return found.slices.first?.status != .absent
  }

  // MARK: Scanning

  /// Fills ``chunk`` again and again with all records of a keyspace; damage is reported once.
  private mutating func forEachChunk(
    of keyspace: Keyspace, _ isWhole: inout Bool, reportsDamage: Bool = true,
    _ body: (inout Verification) throws -> Void
  ) throws {
    let scan = try store.onBackend { _ throws(BackendError) in try snapshot.scan(keyspace.id) }
    while true {
      do throws(BackendError) {
        try scan.next(into: chunk)
      } catch {
        let isMismatch = error.code == .contentsDoNotMatchDigest
        guard error.code == .damaged || isMismatch else { throw store.translate(error) }
        if !isMismatch { isWhole = false }
        if reportsDamage {
          report.add(
            VerificationReport.Problem(
              kind: isMismatch ? .wrongContents : .damagedRecord, file: error.file, page: error.page,
              className: keyspace.displayName,
              message: error.message))
        }
        continue
      }
      if chunk.slices.isEmpty { return }
      try body(&self)
    }
  }
}

/// A record that does not belong where it stands, and the problem that was reported of it.
private struct RefusedRecord {
  let problem: Int
  let keyspace: KeyspaceID
  let rowID: RowID
  let key: [UInt8]
}

extension VerificationReport {
  fileprivate mutating func add(_ kind: Kind, _ keyspace: Keyspace, _ rowID: RowID?, _ message: String) {
    add(Problem(kind: kind, className: keyspace.displayName, rowID: rowID, message: message))
  }

  fileprivate mutating func add(_ finding: StoredIndexVerification.Finding, of index: StoredIndexVerification?) {
    guard let index else { return }
    add(
      Problem(
        kind: .wrongIndex, className: index.className, rowID: finding.rowID,
        message: "Index \"\(index.name)\": \(finding.message)"))
  }
}
