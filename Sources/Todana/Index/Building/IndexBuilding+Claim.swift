/// The error of a build whose index has been claimed by another session of the store.
struct IndexTakeover: Error, CustomStringConvertible {
  var description: String { "Another program is building the indexes of the class." }
}

// Several sessions may find an index unfinished; the last one to claim it builds it. A claim is the token of a header
// that the builder has written itself. Every commit of the build expects this token.
extension IndexBuilding {
  /// Claims the indexes by writing their headers again.
  ///
  /// - Returns: The row from which the least advanced index continues.
  /// - Throws: ``IndexTakeover`` if another session claims them at the same time, or has changed the signature of one.
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

  /// Replaces the headers that this build has written last, or has claimed.
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

  /// Gives up the claims, so that a session that waits for this session continues the building.
  ///
  /// A failure is ignored, as after a crash: the next session that opens the store continues.
  func giveUp() {
    var batch = WriteBatch()
    for index in indexes {
      guard let keyspace = index.keyspace, let claim = claims[keyspace],
        let header = try? store.indexHeader(of: keyspace).0, header.token == claim
      else { continue }
      store.append(header.givenUp(), to: keyspace, &batch, expecting: .token(claim))
    }
    guard !batch.isEmpty else { return }
    batch.sort()
    if let number = try? store.sealing.commit(batch, durability: .relaxed) {
      store.noteCommit(number, durability: .relaxed)
    }
  }

  /// Adds a check to a batch that the index is still claimed by this build.
  func appendClaim(of keyspace: KeyspaceID, to batch: inout WriteBatch) {
    guard let token = claims[keyspace] else { return }
    let key = unsafe IndexHeader.key.withUnsafeBytes { unsafe batch.arena.append($0) }
    batch.append(
      .init(keyspace: keyspace, kind: .check, expectation: .token(token), key: .bytes(key), value: 0..<0))
  }

  /// Throws ``IndexTakeover`` if a batch was refused because an index is no longer claimed by this build.
  func checkClaims(in batch: borrowing WriteBatch, _ error: BackendError) throws(IndexTakeover) {
    let changes = batch.changes
    for position in error.conflicts {
      if case .bytes = changes[position].key, changes[position].kind == .check { throw IndexTakeover() }
    }
  }
}

extension Store {
  /// Reads the progress of indexes that other sessions build, and marks the complete ones as usable.
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

  /// Returns whether the builder of one of the unfinished indexes has given it up.
  func isAnyGivenUp(_ indexes: [ClassIndex]) throws(StoreError) -> Bool {
    for index in indexes {
      guard let keyspace = index.keyspace, isUnfinished(index) else { continue }
      if let header = try indexHeader(of: keyspace).0, header.state == .building, header.isUnclaimed { return true }
    }
    return false
  }
}
