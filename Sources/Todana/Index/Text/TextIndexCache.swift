internal import Synchronization

/// The text indexes of a backend, as far as its stores know them.
final class TextIndexCache: Sendable {
  private struct Contents {
    /// The newest known headers, by their trees.
    var headers = SmallMap<KeyspaceID, TextIndexHeader>()
    var tables = SmallMap<KeyspaceID, TextSegmentTables>()
    /// The pages of all segments; nil before the first search.
    var pages: TextPageCache?
    /// The pending entries of the newest state that was read.
    var pending = SmallMap<KeyspaceID, (commit: CommitNumber, entries: [PendingText])>()
    /// The weight of the rows of a tree's class that were saved since the last merge began.
    var changedWeights = SmallMap<KeyspaceID, Int>()
  }

  private let contents = Mutex(Contents())

  /// The newest known header of a tree.
  ///
  /// Another store, also of another process, may have replaced it. A commit that expects its token is then refused.
  func header(of tree: KeyspaceID) -> TextIndexHeader? { contents.withLock { $0.headers[tree] } }

  func note(_ header: TextIndexHeader?, of tree: KeyspaceID) { contents.withLock { $0.headers[tree] = header } }

  /// Returns the tables of a segment, which are read if they are not known.
  func tables(
    of keyspace: KeyspaceID, _ read: () throws(BackendError) -> TextSegmentTables
  ) throws(BackendError) -> TextSegmentTables {
    if let known = contents.withLock({ $0.tables[keyspace] }) { return known }
    let tables = try read()
    contents.withLock { $0.tables[keyspace] = tables }
    return tables
  }

  /// Returns the cache of the segments' pages.
  ///
  /// - Parameter byteCapacity: The most bytes that it takes, if it is made now.
  /// - Returns: The cache.
  /// - Throws: ``BackendError/Code/noMemory``.
  func pages(byteCapacity: Int) throws(BackendError) -> TextPageCache {
    if let known = contents.withLock({ $0.pages }) { return known }
    let pages = try TextPageCache(byteCapacity: byteCapacity)
    return contents.withLock { contents in
      // Another thread may have made one.
      if let known = contents.pages { return known }
      contents.pages = pages
      return pages
    }
  }

  /// Forgets the tables of segments that are no longer part of an index.
  func forget(tablesOf keyspaces: [KeyspaceID]) {
    contents.withLock { contents in for keyspace in keyspaces { contents.tables[keyspace] = nil } }
  }

  /// Returns the pending entries of a state, which are read if they are not known.
  func pending(
    of tree: KeyspaceID, at commit: CommitNumber, _ read: () throws(BackendError) -> [PendingText]
  ) throws(BackendError) -> [PendingText] {
    if let known = contents.withLock({ $0.pending[tree] }), known.commit == commit { return known.entries }
    let entries = try read()
    contents.withLock { $0.pending[tree] = (commit, entries) }
    return entries
  }

  /// Counts rows that were saved; returns whether their weight has reached the limit, and then begins again.
  func countChanged(_ weight: Int, of tree: KeyspaceID, limit: Int) -> Bool {
    contents.withLock { contents in
      let total = (contents.changedWeights[tree] ?? 0) + weight
      contents.changedWeights[tree] = total >= limit ? 0 : total
      return total >= limit
    }
  }

  /// Whether pages or tables of segments are in memory.
  var hasSegments: Bool { contents.withLock { $0.pages != nil || !$0.tables.keys.isEmpty } }

  /// Releases the pages and the tables of segments, which the next search reads again.
  func releaseMemory() {
    contents.withLock { contents in
      contents.pages = nil
      contents.tables = SmallMap()
    }
  }

  /// Forgets everything, so that it is read from the files again.
  func forget() { contents.withLock { $0 = Contents() } }
}
