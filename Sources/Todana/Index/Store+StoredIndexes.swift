/// An index saved in a store, possibly of a class that the program does not know.
public struct StoredIndex: Sendable, Equatable {
  /// The stored name of the class.
  public var className: String
  public var name: String
  /// Whether it is a ``TextIndex``.
  public var isTextIndex = false
  public var isUnique = false
  /// Whether queries use the index.
  ///
  /// If not, a program that has the class builds it when it opens the store.
  public var isComplete = false
  /// The number of entries; 0 if ``isDamaged``.
  ///
  /// A text index has one for each object whose texts it has.
  public var entryCount = 0
  /// The number of objects whose texts searches read, because a text index does not have them as they are now.
  ///
  /// Objects that were deleted since the last merge count, too.
  public var pendingCount = 0
  /// The number of rows without entries, as their records could not be read when the index was built.
  public var skippedRowCount = 0
  /// The parts, condition and versions as they were declared, one a line; for a text index, its properties, options and
  /// versions.
  public var definition: [String] = []
  /// Whether the file of the index cannot be read.
  ///
  /// ``Store/emptyStoredIndex(named:ofClassNamed:)`` repairs the index by emptying it.
  public var isDamaged = false
}

extension Store {
  /// All indexes of the store, including those of classes that the program does not know.
  ///
  /// An index that is no longer declared and was emptied is left out.
  ///
  /// - Throws: ``StoreError``. A damaged index throws no error, but is listed with ``StoredIndex/isDamaged``.
  public var storedIndexes: [StoredIndex] {
    get throws(StoreError) {
      try begin()
      var found: [StoredIndex] = []
      let keyspaces = try onRecords({ sealing throws(BackendError) in try sealing.keyspaces() })
      for keyspace in keyspaces {
        if let textIndex = try storedTextIndex(of: keyspace, keyspaces) { found.append(textIndex) }
        guard keyspace.kind == .tree, let (className, name) = ClassIndex.names(fromKeyspace: keyspace.name) else {
          continue
        }
        var index = StoredIndex(className: className, name: name)
        do throws(StoreError) {
          guard let header = try indexHeader(of: keyspace.id).0 else { continue }
          index.definition = header.signature.split(separator: "\n").map(String.init)
          index.isUnique = index.definition.contains { $0 == "unique" || $0 == "unique with nil" }
          index.isComplete = header.state != .building
          if header.state != .complete { index.skippedRowCount = try skippedRows(of: keyspace.id).count }
          // One of the records is the header.
          index.entryCount = max(0, try savedCount(of: keyspace.id) - 1 - index.skippedRowCount)
        } catch {
          guard error.code == .damagedRecord || error.code == .damagedIndex else { throw error }
          index.isDamaged = true
        }
        found.append(index)
      }
      return found
    }
  }

  /// Counts the rows of a class after a row.
  private func rowCount(
    of classID: KeyspaceID, after rowID: RowID, in snapshot: any BackendSnapshot
  ) throws(StoreError) -> Int {
    let bound = try onRecords { _ throws(BackendError) in try snapshot.rowIDBound(of: classID) }
    let scan = OrderedRowScan(of: classID, in: snapshot, from: rowID + 1, bound: bound)
    let chunk = RecordChunk(byteCapacity: 1 << 10, recordLimit: 4096, leavesOutValues: true)
    var count = 0
    while try next(of: scan, into: chunk, onDamage: .report { _ in }) { count += chunk.slices.count }
    return count
  }

  private func storedTextIndex(of keyspace: Keyspace, _ keyspaces: [Keyspace]) throws(StoreError) -> StoredIndex? {
    guard keyspace.kind == .tree, let name = keyspace.textName else { return nil }
    var index = StoredIndex(className: name.className, name: name.indexName, isTextIndex: true)
    do throws(StoreError) {
      let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
      let found = try onRecords { _ throws(BackendError) -> (header: TextIndexHeader, changedCount: Int)? in
        guard let header = try TextIndexState.header(of: keyspace.id, in: snapshot, self) else { return nil }
        return (
          header, try TextIndexState.pending(of: keyspace.id, in: snapshot).count { $0.rowID <= header.mergedRow }
        )
      }
      guard let (header, changedCount) = found else { return nil }
      index.definition = header.signature.split(separator: "\n").map(String.init)
      index.isComplete = true
      index.entryCount = header.segments.reduce(0) { $0 + $1.info.rowCount - $1.staleCount }
      index.pendingCount = changedCount
      if let stored = keyspaces.first(where: { $0.isOfClass && $0.displayName == name.className }) {
        index.pendingCount += try rowCount(of: stored.id, after: header.mergedRow, in: snapshot)
      }
    } catch {
      guard error.code == .damagedRecord || error.code == .damagedIndex else { throw error }
      index.isDamaged = true
    }
    return index
  }

  /// Empties an index, so that a program that has the class builds it again when it opens the store.
  ///
  /// A class may have an index and a text index with one name; both are emptied.
  ///
  /// A program that has the class uses ``rebuildIndexes(of:named:progress:)`` instead.
  ///
  /// Until the index is built again, queries of the class read all objects, and a unique index refuses only values that
  /// it already has.
  ///
  /// - Parameters:
  ///   - name: The name of the index, as in ``storedIndexes``.
  ///   - className: The stored name of the class.
  /// - Throws: ``StoreError/Code/invalidIndex`` if there is no such index; else the errors of the commit.
  public func emptyStoredIndex(named name: String, ofClassNamed className: String) throws(StoreError) {
    try beginChange()
    let keyspaceName = ClassIndex.keyspacePrefix(ofClass: className) + Array(name.utf8)
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    let textName = TextKeyspaceName(className: className, indexName: name)
    let hasTextIndex = keyspaces.contains { $0.textName == textName }
    let found = keyspaces.first { $0.kind == .tree && $0.name == keyspaceName }?.id
    guard found != nil || hasTextIndex else {
      throw StoreError(.invalidIndex, "There is no index \"\(name)\" of this class.", className: className)
    }
    try session.worker.pause()
    defer { session.worker.resume() }
    if hasTextIndex { try emptyStoredTextIndex(textName, keyspaces) }
    if let found { try emptyStoredIndex(found) }
  }

  private func emptyStoredIndex(_ tree: KeyspaceID) throws(StoreError) {
    // An unreadable header is not needed: without one, the build starts from the beginning.
    var header: IndexHeader?
    do throws(StoreError) {
      header = try indexHeader(of: tree).0
    } catch {
      guard error.code == .damagedRecord else { throw error }
    }
    // The state changes before the commit, as no query may use the index after it.
    if session.indexes[tree] != nil { session.indexes[tree] = .building }
    session.indexes.setSkipsRows(false, tree)
    var batch = WriteBatch()
    batch.appendClear(of: tree)
    if let header {
      append(IndexHeader(state: .building, nextRow: 1, signature: header.signature), to: tree, &batch)
    }
    batch.sort()
    do throws(BackendError) {
      noteCommit(try sealing.commit(batch, durability: .full), durability: .full)
    } catch {
      throw translate(error)
    }
  }
}

extension ClassIndex {
  /// Returns the names of class and index from the name of a tree; nil for another kind of tree.
  static func names(fromKeyspace name: [UInt8]) -> (className: String, name: String)? {
    let parts = name.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("index".utf8) else { return nil }
    return (String(decoding: parts[1], as: UTF8.self), String(decoding: parts[2], as: UTF8.self))
  }
}
