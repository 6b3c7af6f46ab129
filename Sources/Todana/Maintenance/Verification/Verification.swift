/// One verification of a whole store.
struct Verification {
  let store: Store
  let snapshot: any BackendSnapshot
  let keyspaces: [Keyspace]
  var report = VerificationReport()
  /// The classes with records that contain references.
  private var withReferences: Set<KeyspaceID> = []
  /// The rows found, by class.
  private var rows: [KeyspaceID: RowSet] = [:]
  /// The keyspaces in which damage hides records, so that their rows are not fully known.
  private var damaged: Set<KeyspaceID> = []
  /// The refused records by their tokens.
  private var refused: [UInt64: [RefusedRecord]] = [:]
  private let chunk = RecordChunk()
  private let found = RecordChunk(byteCapacity: 4096, recordLimit: 4096, leavesOutValues: true)

  init(of store: Store) throws {
    self.store = store
    if let engine = store.backend.operations {
      do throws(BackendError) {
        try engine.checkpoint()
      } catch {
        // On a full disk, the pages that only the log has are not checked.
        guard error.code == .readOnly || error.code == .noSpace else { throw store.translate(error) }
      }
    }
    snapshot = try store.snapshotForReading()
    keyspaces = try store.onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    report.commitNumber = snapshot.commitNumber
  }

  mutating func run(_ progress: (VerificationProgress) throws -> Void) throws {
    try verifyCompanions()
    try verifyPages(of: .catalog, named: "catalog", nil, progress)
    try verifyPages(of: .states, named: "states", nil, progress)
    for keyspace in keyspaces {
      try verifyPages(of: .keyspace(keyspace.id), named: keyspace.shownName, keyspace, progress)
    }
    // Indexes come last, when the rows are known.
    for keyspace in keyspaces.filter({ $0.kind != .tree }) + keyspaces.filter({ $0.kind == .tree }) {
      do {
        try verifyRecords(of: keyspace, progress)
      } catch let error as StoreError where error.code == .damagedRecord {
        // The keyspace's header cannot be read.
        damaged.insert(keyspace.id)
        report.add(
          VerificationReport.Problem(
            kind: .damagedFile, file: error.backendError?.file, page: error.backendError?.page,
            className: keyspace.owningClassName, message: keyspace.problemMessage(error.message)))
      }
    }
    try findOrigins()
    for keyspace in keyspaces where keyspace.kind == .tree { try verifyTexts(of: keyspace, progress) }
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
    of file: BackendFile, named name: String, _ keyspace: Keyspace?,
    _ progress: (VerificationProgress) throws -> Void
  ) throws {
    var page = 0
    while true {
      let pages: VerifiedPages
      do throws(BackendError) {
        guard let found = try store.backend.operations?.verifyPages(of: file, from: page) else { return }
        pages = found
      } catch {
        guard error.code == .damaged || error.code == .inputOutput else { throw store.translate(error) }
        return report.add(
          VerificationReport.Problem(
            kind: .damagedFile, file: error.file, className: keyspace?.owningClassName ?? name,
            message: keyspace?.problemMessage(error.message) ?? error.message))
      }
      let message = "The page's content does not match its checksum."
      for damaged in pages.damagedPages {
        report.add(
          VerificationReport.Problem(
            kind: .damagedPage, file: pages.file, page: damaged, className: keyspace?.owningClassName,
            message: keyspace?.problemMessage(message) ?? message))
      }
      page += pages.pageCount
      report.pageCount += pages.pageCount
      try progress(
        VerificationProgress(phase: .pages, name: pages.file, doneCount: page, totalCount: pages.filePageCount))
    }
  }

  // MARK: Records

  /// Checks every record's envelope, looks up every record by its key, and checks the number of records.
  private mutating func verifyRecords(
    of keyspace: Keyspace, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    let expectedCount = try store.onBackend { _ throws(BackendError) in try snapshot.count(of: keyspace.id) }
    let envelope = store.envelope(of: keyspace.id)
    var foundRows = RowSet()
    var foundCount = 0
    // If the scan encounters damage, the number of records is unknown, as damage may hide some.
    var isWhole = true
    // Damaged records of unknown rows hide records as well.
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
            .damagedRecord, keyspace, slice.rowID, "A second record has the same row id.")
        }
      }
      content?.endChunk()
      try verification.verifyReachability(of: keyspace)
      try progress(
        VerificationProgress(
          phase: .records, name: keyspace.shownName, doneCount: foundCount, totalCount: expectedCount))
    }
    rows[keyspace.id] = foundRows
    if !isWhole || hidesRecords { damaged.insert(keyspace.id) }
    if !damaged.contains(keyspace.id), let finding = index?.countFinding { report.add(finding, of: index) }
    if isWhole, foundCount != expectedCount {
      report.add(
        .wrongCount, keyspace, nil, "The file should have \(expectedCount) records, but \(foundCount) were found.")
    }
    if let findings = try content?.findings() {
      for finding in findings {
        report.add(.wrongIndex, keyspace, finding.rowID, "Index \"\(finding.indexName)\": \(finding.message)")
      }
    }
    if content?.hasReferences == true { withReferences.insert(keyspace.id) }
  }

  /// Returns the verification of a keyspace's contents; nil if they are not read.
  private mutating func contentVerification(of keyspace: Keyspace) throws(StoreError) -> ContentVerification? {
    guard keyspace.isOfClass else { return nil }
    guard let table = store.registry[keyspace.id] else {
      report.unknownClassNames.append(keyspace.displayName)
      return nil
    }
    return try ContentVerification(of: table, keyspace.id, in: store, snapshot)
  }

  /// Returns the verification of an index whose class the store was not opened with.
  ///
  /// Returns nil if the keyspace is not an index, or if the rows of its class are not fully known. It also returns nil
  /// if the class is registered: its records then determine the entries.
  private func indexVerification(of keyspace: Keyspace) -> StoredIndexVerification? {
    guard keyspace.kind == .tree, let name = ClassIndex.names(fromKeyspace: keyspace.name),
      !store.registry.tables.contains(where: { $0.name == name.className })
    else { return nil }
    let stored = keyspaces.first { $0.kind == .rows && $0.displayName == name.className }
    guard let stored else { return StoredIndexVerification(name, rows: RowSet()) }
    guard !damaged.contains(stored.id), let rows = rows[stored.id] else { return nil }
    return StoredIndexVerification(name, rows: rows)
  }

  /// Compares a text index with the records of its class, if the keyspace is the tree of one.
  private mutating func verifyTexts(
    of keyspace: Keyspace, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    guard let name = keyspace.textName else { return }
    let stored = keyspaces.first { $0.isOfClass && $0.displayName == name.className }
    let table = store.registry.tables.first { $0.name == name.className }
    let index = table?.textIndexes.first { $0.tree == keyspace.id }
    let declared: (ClassTable, KeyspaceID, ClassTextIndex)?
    if let table, let index, let stored { declared = (table, stored.id, index) } else { declared = nil }
    let known = stored.map { damaged.contains($0.id) ? nil : rows[$0.id] ?? RowSet() } ?? RowSet()
    let count = stored.flatMap { rows[$0.id]?.count } ?? 0
    var texts = TextIndexVerification(of: keyspace.id, declared, in: store, snapshot)
    try texts.run(comparedWith: known) { done in
      try progress(
        VerificationProgress(phase: .texts, name: keyspace.shownName, doneCount: done, totalCount: max(done, count)))
    }
    for finding in texts.findings { report.add(.wrongIndex, keyspace, finding.rowID, finding.message) }
  }

  private mutating func check(
    _ slice: RecordChunk.Slice, of keyspace: Keyspace, _ envelope: RecordEnvelope,
    _ content: inout ContentVerification?
  ) {
    count(slice, of: keyspace)
    let rowID = keyspace.kind == .rows ? slice.rowID : nil
    guard slice.status == .found else {
      content?.skip(slice.rowID)
      return report.add(.damagedRecord, keyspace, rowID, "The record cannot be read.")
    }
    // Records of trees have no envelope.
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

  private mutating func count(_ slice: RecordChunk.Slice, of keyspace: Keyspace) {
    report.byteCount += slice.value.count
    if keyspace.textName != nil { return }
    switch keyspace.kind {
    case .rows: report.recordCount += 1
    case .keys: if keyspace.name == NamedBuffers.keyspaceName { report.namedBufferCount += 1 }
    case .tree:
      // An index also has a header, and records of the rows that it skips.
      let isEntry = unsafe chunk.arena.bytes[slice.key].first == IndexHeader.entryByte
      if isEntry || slice.status != .found { report.indexEntryCount += 1 }
    }
  }

  private func key(of slice: RecordChunk.Slice) -> [UInt8] { unsafe [UInt8](chunk.arena.bytes[slice.key]) }

  /// Searches for the original places of records that were refused, and adds them to the problems.
  ///
  /// A record that was copied to another place has the same token at its original place.
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
            let origin = "; it may be a copy of \(place), which has the same token"
            verification.report.problems[record.problem].message += origin
          }
        }
      }
    }
  }

  /// Looks up the records of a chunk by their keys, as the path to an intact record may be damaged.
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
          report.add(
            .unreachableRecord, keyspace, slice.rowID,
            "The record exists, but a lookup by its row id does not find it.")
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
          report.add(.unreachableRecord, keyspace, nil, "A record exists, but a lookup by its key does not find it.")
        }
      }
    }
  }

  private func read(_ body: () throws(BackendError) -> Void) throws(StoreError) {
    do throws(BackendError) { try body() } catch { throw store.translate(error) }
  }

  // MARK: References

  /// Checks that the rows exist to which the records of a class refer.
  private mutating func verifyReferences(
    of keyspace: Keyspace, _ table: ClassTable, _ progress: (VerificationProgress) throws -> Void
  ) throws {
    var content = try ContentVerification(of: table, keyspace.id, in: store, snapshot)
    var isWhole = true
    var doneCount = 0
    let totalCount = rows[keyspace.id]?.count ?? 0
    try forEachChunk(of: keyspace, &isWhole, reportsDamage: false) { verification in
      for slice in verification.chunk.slices where slice.status == .found {
        // Records that cannot be read were reported before.
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

  /// Returns whether reported damage hides a row, so that its existence is unknown.
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

  /// Fills ``chunk`` repeatedly until all records of a keyspace were read, and calls a closure each time.
  ///
  /// Damage is reported unless `reportsDamage` is false.
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
              className: keyspace.owningClassName, message: keyspace.problemMessage(error.message)))
        }
        continue
      }
      if chunk.slices.isEmpty { return }
      try body(&self)
    }
  }
}

/// A record that was refused at its place, with the index of the problem that was reported.
private struct RefusedRecord {
  let problem: Int
  let keyspace: KeyspaceID
  let rowID: RowID
  let key: [UInt8]
}

extension VerificationReport {
  fileprivate mutating func add(_ kind: Kind, _ keyspace: Keyspace, _ rowID: RowID?, _ message: String) {
    var (rowID, message) = (rowID, message)
    // The records of a segment are its pages, and no rows of the class.
    if keyspace.kind == .rows, keyspace.textName != nil, let page = rowID {
      (rowID, message) = (nil, "Page \(page): \(message)")
    }
    add(
      Problem(
        kind: kind, className: keyspace.owningClassName, rowID: rowID, message: keyspace.problemMessage(message)))
  }

  fileprivate mutating func add(_ finding: StoredIndexVerification.Finding, of index: StoredIndexVerification?) {
    guard let index else { return }
    add(
      Problem(
        kind: .wrongIndex, className: index.className, rowID: finding.rowID,
        message: "Index \"\(index.name)\": \(finding.message)"))
  }
}
