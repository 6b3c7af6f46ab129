/// What ``Store/upgrade(_:batchSize:onDamage:progress:)`` did.
public struct UpgradeReport: Sendable, Equatable {
  /// Records of the class when the upgrade began.
  public var totalCount = 0
  /// Records that were looked at.
  public var examinedCount = 0
  /// Records that were rewritten in the class's version.
  public var upgradedCount = 0
  /// Records that another store changed at that moment.
  ///
  /// It wrote them in its own version; upgrade again to be sure.
  public var skippedCount = 0
  /// Records that could not be read, and were left as they are.
  public var damagedCount = 0
}

extension Store {
  /// Rewrites the records of a class that older versions of it wrote, in batches that each are one commit.
  ///
  /// Records of the current version are not touched, so an upgrade that was interrupted goes on when it is called
  /// again. What is pending in this store stays pending, and is not saved by it.
  ///
  /// ```swift
  /// let report = try store.upgrade(Song.self) { report in print(report.examinedCount, "of", report.totalCount) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: Exactly this class is upgraded.
  ///   - batchSize: Records rewritten in one commit, which bounds the memory it takes.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - progress: Called after each batch; throwing from it ends the upgrade between two batches.
  /// - Returns: The counts.
  /// - Throws: What `progress` throws; ``StoreError``: ``StoreError/Code/newerVersion`` at a record that this program
  ///   is too old for; ``StoreError/Code/withinSavepoint``.
  @discardableResult
  public func upgrade(
    _ type: StoredObject.Type, batchSize: Int = 1000, onDamage: DamagePolicy = .fail,
    progress: (UpgradeReport) throws -> Void = { _ in }
  ) throws -> UpgradeReport {
    try beginChange()
    try refuseWithinSavepoint("upgrade records")
    let table = try registry.table(for: type)
    var report = UpgradeReport()
    guard let classID = try table.classIDForReading() else { return report }
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    let scan: any BackendScan
    do throws(BackendError) {
      report.totalCount = try snapshot.count(of: classID)
      scan = try snapshot.scan(classID)
    } catch {
      throw translate(error)
    }
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    var batch = UpgradeBatch()
    while try next(of: scan, into: chunk, onDamage: onDamage) {
      for slice in chunk.slices {
        report.examinedCount += 1
        do throws(StoreError) {
          try rewrite(slice, in: chunk, of: table, classID: classID, into: &batch)
        } catch {
          report.damagedCount += 1
          try onDamage.handle(error)
        }
        if batch.rows.count >= max(1, batchSize) {
          try commit(&batch, of: table, classID: classID, report: &report)
          try progress(report)
        }
      }
    }
    if !batch.rows.isEmpty { try commit(&batch, of: table, classID: classID, report: &report) }
    try progress(report)
    return report
  }

  /// Rewrites the records of every registered class that older versions of it wrote, class by class.
  ///
  /// As ``upgrade(_:batchSize:onDamage:progress:)`` for each class in the order of registration; calling it again after
  /// an interruption goes on with what is left.
  ///
  /// - Parameters:
  ///   - batchSize: Records rewritten in one commit.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - progress: Called after each batch with the class's stored name and its counts so far; throwing from it ends the
  ///     upgrade between two batches.
  /// - Returns: The counts by stored name.
  /// - Throws: What `progress` throws; ``StoreError``.
  /// - Complexity: O(*n*) in the records of all registered classes, all of which are looked at.
  @discardableResult
  public func upgradeAll(
    batchSize: Int = 1000, onDamage: DamagePolicy = .fail,
    progress: (_ className: String, _ report: UpgradeReport) throws -> Void = { _, _ in }
  ) throws -> [String: UpgradeReport] {
    var reports: [String: UpgradeReport] = [:]
    for table in registry.tables {
      reports[table.name] = try upgrade(table.type, batchSize: batchSize, onDamage: onDamage) { report in
        try progress(table.name, report)
      }
    }
    return reports
  }

  private struct UpgradeBatch {
    var arena = ByteArena()
    var rows: [Row] = []

    struct Row {
      var rowID: RowID
      var oldToken: UInt64
      var written: RecordEnvelope.Written
    }
  }

  /// Writes a record of an older version anew.
  private func rewrite(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, of table: ClassTable, classID: KeyspaceID,
    into batch: inout UpgradeBatch
  ) throws(StoreError) {
    guard slice.status == .found else { throw damaged(slice.rowID, table) }
    let record = unsafe chunk.value(of: slice)
    // The version byte decides; everything else about a current record is of no interest here.
    if record.count >= RecordEnvelope.minimumByteCount, unsafe record[1] == table.version { return }
    let object = table.type.init()
    let read = try unsafe decodeDetached(object, rowID: slice.rowID, of: table, record: record)
    var writer = DataBuffer(arena: batch.arena, encoder: UncheckedReferences())
    let written = try encode(object, rowID: slice.rowID, of: table, writer: &writer)
    batch.rows.append(.init(rowID: slice.rowID, oldToken: read.token, written: written))
  }

  /// Commits a batch; rows that others changed since are left out.
  private func commit(
    _ upgraded: inout UpgradeBatch, of table: ClassTable, classID: KeyspaceID, report: inout UpgradeReport
  ) throws(StoreError) {
    var rows = upgraded.rows.sorted { $0.rowID < $1.rowID }
    while !rows.isEmpty {
      var batch = WriteBatch(arena: upgraded.arena)
      for row in rows {
        batch.append(
          .init(
            keyspace: classID, kind: .put, expectation: .token(row.oldToken), key: .row(row.rowID),
            value: row.written.range))
      }
      do throws(BackendError) {
        noteCommit(
          try sealing.commit(batch, durability: configuration.durability), durability: configuration.durability)
        break
      } catch {
        guard error.code == .conflict, !error.conflicts.isEmpty else { throw translate(error) }
        report.skippedCount += error.conflicts.count
        let conflicting = Set(error.conflicts)
        rows = rows.indices.filter { !conflicting.contains($0) }.map { rows[$0] }
      }
    }
    for row in rows {
      guard let object = table.identity[row.rowID], object.token == row.oldToken else { continue }
      object.token = unsafe recordToken(UnsafeRawBufferPointer(rebasing: upgraded.arena.bytes[row.written.range]))
    }
    report.upgradedCount += rows.count
    upgraded.rows.removeAll(keepingCapacity: true)
    upgraded.arena.count = 0
  }
}
