/// The counts of an upgrade (``Store/upgrade(_:batchSize:onDamage:progress:)``).
public struct UpgradeReport: Sendable, Equatable {
  /// The number of records of the class when the upgrade began.
  public var totalCount = 0
  /// The number of records that were examined.
  public var examinedCount = 0
  /// The number of records that were rewritten in the class's version.
  public var upgradedCount = 0
  /// The number of records that another store changed concurrently, so that they were not rewritten.
  ///
  /// The other store wrote them in its own version; upgrade again to be sure.
  public var skippedCount = 0
  /// The number of records that could not be read, and were left unchanged.
  public var damagedCount = 0
}

extension Store {
  /// Rewrites the records of a class that older versions of it wrote, in batches that are one commit each.
  ///
  /// Records of the current version are not changed, so an interrupted upgrade continues when it is called again.
  /// Pending changes of this store stay pending, and are not saved.
  ///
  /// ```swift
  /// let report = try store.upgrade(Song.self) { report in print(report.examinedCount, "of", report.totalCount) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The class; its subclasses are not upgraded.
  ///   - batchSize: The number of records rewritten in one commit, which bounds the memory used.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - progress: Called after each batch; throwing from it ends the upgrade between two batches.
  /// - Returns: The counts.
  /// - Throws: Errors of `progress`; ``StoreError``: ``StoreError/Code/newerVersion`` at a record of a newer version
  ///   than this program knows; ``StoreError/Code/withinSavepoint``.
  @discardableResult
  public func upgrade(
    _ type: StoredObject.Type, batchSize: Int = 1000, onDamage: DamagePolicy = .fail,
    progress: (UpgradeReport) throws -> Void = { _ in }
  ) throws -> UpgradeReport {
    try beginChange()
    try refuseWithinSavepoint("upgrade records")
    if registry[type] == nil { try registerAtFirstUse(type) }
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

  /// Rewrites the records of all registered classes that older versions of the classes wrote, class by class.
  ///
  /// Calls ``upgrade(_:batchSize:onDamage:progress:)`` for each class in the order of registration. Calling it again
  /// after an interruption continues with the remaining records.
  ///
  /// - Parameters:
  ///   - batchSize: The number of records rewritten in one commit.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - progress: Called after each batch with the class's stored name and its counts so far; throwing from it ends
  ///     the upgrade between two batches.
  /// - Returns: The counts by stored name.
  /// - Throws: Errors of `progress`; ``StoreError``.
  /// - Complexity: O(*n*) in the records of all registered classes, all of which are read.
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

  /// Encodes a record of an older version again and adds it to the batch.
  private func rewrite(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, of table: ClassTable, classID: KeyspaceID,
    into batch: inout UpgradeBatch
  ) throws(StoreError) {
    guard slice.status == .found else { throw damaged(slice.rowID, table) }
    let record = unsafe chunk.value(of: slice)
    // Only the version byte matters here; a record of the current version is not checked further.
    if record.count >= RecordEnvelope.minimumByteCount, unsafe record[1] == table.version { return }
    let object = table.type.init()
    let read = try unsafe decodeDetached(object, rowID: slice.rowID, of: table, record: record)
    var writer = DataBuffer(arena: batch.arena, encoder: UncheckedReferences())
    let written = try encode(object, rowID: slice.rowID, of: table, writer: &writer)
    batch.rows.append(.init(rowID: slice.rowID, oldToken: read.token, written: written))
  }

  /// Commits a batch, leaving out rows that other stores have changed since.
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
      // The texts of a new version may differ.
      for index in table.textIndexes { try appendPendingTexts(of: rows.lazy.map(\.rowID), index, to: &batch) }
      do throws(BackendError) {
        noteCommit(
          try sealing.commit(batch, durability: configuration.durability), durability: configuration.durability)
        break
      } catch {
        guard error.code == .conflict, !error.conflicts.isEmpty else { throw translate(error) }
        if error.conflicts.contains(where: { isOfReplacedTextHeader(batch.changes[$0]) }) { continue }
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
