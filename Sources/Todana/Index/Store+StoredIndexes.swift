/// An index as it stands in the store, whether the program knows its class or not.
public struct StoredIndex: Sendable, Equatable {
  /// The stored name of the class.
  public var className: String
  public var name: String
  public var isUnique = false
  /// Whether queries use it; otherwise the program that has the class builds it when it opens the store.
  public var isComplete = false
  /// The number of entries; 0 where the file of the index is damaged.
  public var entryCount = 0
  /// The number of rows that are not in it, as their records could not be read when it was built.
  public var skippedRowCount = 0
  /// Its parts, conditions and versions as they were declared, a line each.
  public var definition: [String] = []
  /// The file of the index cannot be read: emptying it makes it right (``Store/emptyStoredIndex(named:ofClassNamed:)``).
  public var isDamaged = false
}

extension Store {
  /// All indexes of the store, those of classes that the program does not know among them.
  ///
  /// Indexes that are not declared any more, and were emptied, are left out.
  ///
  /// - Throws: ``StoreError``. Damage is told of the index that it is in.
  public var storedIndexes: [StoredIndex] {
    get throws(StoreError) {
      try begin()
      var found: [StoredIndex] = []
      for keyspace in try onRecords({ sealing throws(BackendError) in try sealing.keyspaces() }) {
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
          // One of them is the header.
          index.entryCount = max(0, try savedCount(of: keyspace.id) - 1 - index.skippedRowCount)
        } catch {
          guard error.code == .damagedRecord else { throw error }
          index.isDamaged = true
        }
        found.append(index)
      }
      return found
    }
  }

  /// Empties an index, so that the program that has the class builds it anew when it opens the store: what
  /// ``rebuildIndexes(of:named:progress:)`` does, for one who does not have the class.
  ///
  /// Until then queries of that class look at all objects, and a unique index refuses only what is in it already.
  ///
  /// - Parameters:
  ///   - name: The index, as ``storedIndexes`` has it.
  ///   - className: The stored name of the class.
  /// - Throws: ``StoreError/Code/invalidIndex`` where there is none; else what the commit met.
  public func emptyStoredIndex(named name: String, ofClassNamed className: String) throws(StoreError) {
    try beginChange()
    let keyspaceName = ClassIndex.keyspacePrefix(ofClass: className) + Array(name.utf8)
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    guard let tree = keyspaces.first(where: { $0.kind == .tree && $0.name == keyspaceName })?.id else {
      throw StoreError(.invalidIndex, "There is no index \"\(name)\" of this class.", className: className)
    }
    // A header that cannot be read is not needed: without one the index is begun anew.
    var header: IndexHeader?
    do throws(StoreError) {
      header = try indexHeader(of: tree).0
    } catch {
      guard error.code == .damagedRecord else { throw error }
    }
    try session.worker.pause()
    defer { session.worker.resume() }
    // Before the commit: from then on nobody may rely on it.
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
  /// The class and the index that a tree's name is made of; nil where it is another kind of tree.
  static func names(fromKeyspace name: [UInt8]) -> (className: String, name: String)? {
    let parts = name.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("index".utf8) else { return nil }
    return (String(decoding: parts[1], as: UTF8.self), String(decoding: parts[2], as: UTF8.self))
  }
}
