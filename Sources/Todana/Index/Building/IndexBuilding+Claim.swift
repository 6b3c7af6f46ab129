/// Somebody else builds the index: another session of the same records.
struct IndexTakeover: Error, CustomStringConvertible {
  var description: String { "Another program builds the indexes of the class now." }
}

// Several sessions may find an index unfinished; the one that has claimed it last builds it. A claim is the token of the
// header that the builder itself has written: every commit of the building expects it.
extension IndexBuilding {
  /// Claims the indexes.
  ///
  /// - Returns: The row from which the least advanced of them goes on.
  /// - Throws: ``IndexTakeover`` where others claim them at the same time, or have made another index of one.
  mutating func claim() throws -> RowID {
    var headers: [(KeyspaceID, IndexHeader)] = []
    var first = RowID.max
    for index in indexes {
      guard let keyspace = index.keyspace else { continue }
      guard let header = try store.indexHeader(of: keyspace).0, header.signature == index.signature else {
        throw IndexTakeover()
      }
      claims[keyspace] = header.token
      headers.append(
        (keyspace, IndexHeader(state: header.state, nextRow: header.nextRow, signature: header.signature)))
      first = min(first, header.nextRow)
    }
    try commitHeaders(headers)
    return max(first, 1)
  }

  /// Writes headers over those that the building has written last, or has claimed.
  ///
  /// - Throws: ``IndexTakeover``; ``StoreError``.
  @discardableResult
  mutating func commitHeaders(_ headers: [(KeyspaceID, IndexHeader)]) throws -> CommitNumber {
    var batch = WriteBatch()
    for (keyspace, header) in headers {
      store.append(header, to: keyspace, &batch, expecting: claims[keyspace].map { .token($0) } ?? .anything)
    }
    batch.sort()
    let number: CommitNumber
    do throws(BackendError) {
      number = try store.sealing.commit(batch, durability: .relaxed)
    } catch {
      if error.code == .conflict { throw IndexTakeover() }
      throw store.translate(error)
    }
    store.noteCommit(number, durability: .relaxed)
    for (keyspace, header) in headers { claims[keyspace] = header.token }
    return number
  }

  /// Makes a batch expect that an index is still claimed.
  func appendClaim(of keyspace: KeyspaceID, to batch: inout WriteBatch) {
    guard let token = claims[keyspace] else { return }
    let key = unsafe IndexHeader.key.withUnsafeBytes { unsafe batch.arena.append($0) }
    batch.append(
      .init(keyspace: keyspace, kind: .check, expectation: .token(token), key: .bytes(key), value: 0..<0))
  }

  /// Throws ``IndexTakeover`` where a batch was refused since an index is not claimed any more.
  func checkClaims(in batch: borrowing WriteBatch, _ error: BackendError) throws(IndexTakeover) {
    let changes = batch.changes
    for position in error.conflicts {
      if case .bytes = changes[position].key, changes[position].kind == .check { throw IndexTakeover() }
    }
  }
}

extension Store {
  /// Looks how far indexes are that others build.
  ///
  /// - Returns: Whether all of them are complete.
  @discardableResult
  func noteIndexesOfOthers(_ indexes: [ClassIndex]) throws(StoreError) -> Bool {
    var areComplete = true
    for index in indexes {
      guard let keyspace = index.keyspace, isUnfinished(index) else { continue }
      let (header, commit) = try indexHeader(of: keyspace)
      guard let header, header.signature == index.signature, header.state != .building else {
        areComplete = false
        continue
      }
      session.indexes.setSkipsRows(header.state == .completeButSkippedRows, keyspace)
      session.indexes[keyspace] = .complete(since: commit)
    }
    return areComplete
  }
}
