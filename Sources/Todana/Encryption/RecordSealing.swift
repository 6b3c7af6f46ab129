import Dispatch
import Foundation
import Synchronization

/// The layer between a store and its backend, which seals records on the way in and opens them on the way out.
///
/// Stores write records whose envelope has room for the additions of sealing (``RecordEnvelope``). They read *opened*
/// records: a format byte, the version byte, the content, and 16 bytes whose last 8 are the token. The format byte is
/// `opened` or a ``SealingRefusal``. It is set here for every sealed record, so a byte of a file is never mistaken for
/// it.
///
/// Trees pass unchanged if the backend seals their nodes; otherwise ``TreeSealing`` hides them, and names. All records
/// of a backend without keys pass unchanged. During a migration so do plain records: the backend reports which records
/// are plain (``RecordChunk/isSealed``).
///
/// A sealed record with a name begins with the name, so the file does not show it. Stores get the name as the record's
/// key.
package final class RecordSealing: Sendable {
  let base: any StoreBackend
  private let sealers = Mutex<[Sealer]>([])
  private let trees = Mutex<Set<KeyspaceID>>([])
  /// The object that hides names and entries; nil if the backend does so itself, or has no keys.
  let treeSealing: TreeSealing?
  private let stamps = Mutex<KeyspaceID?>(nil)

  package init(_ base: any StoreBackend) {
    self.base = base
    treeSealing = base.sealsNamesAndTrees ? nil : base.keyRing.map { TreeSealing(ring: $0) }
  }

  // MARK: Writing

  package func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    try seal(batch)
    guard let treeSealing else { return try commitToBase(batch, durability: durability) }
    return try commit(batch, durability: durability, treeSealing)
  }

  private func commitToBase(
    _ batch: borrowing WriteBatch, durability: Durability
  ) throws(BackendError) -> CommitNumber {
    let count = batch.changes.count
    do throws(BackendError) {
      return try base.commit(batch, durability: durability)
    } catch {
      guard error.conflicts.allSatisfy({ 0..<count ~= $0 }) else {
        throw BackendError(wrongAnswer: "a conflict of a change that the batch does not have")
      }
      throw error
    }
  }

  /// Commits a batch so that the backend sees neither names nor the entries of trees.
  private func commit(
    _ batch: borrowing WriteBatch, durability: Durability, _ treeSealing: TreeSealing
  ) throws(BackendError) -> CommitNumber {
    if batch.hasEmptyKey { throw BackendError(.invalidArgument, "A byte key must have at least one byte.") }
    // An empty batch makes earlier commits durable, and needs no stamps.
    if batch.isEmpty { return try base.commit(batch, durability: durability) }
    try batch.check(base.limits)
    let arena = batch.arena
    let byteCount = arena.count
    defer { arena.count = byteCount }
    let stamps = try stampKeyspace(treeSealing)
    let trees = trees.withLock { $0 }
    let sealer = try treeSealing.ring.makeSealer()
    var attemptsLeft = 100
    while true {
      arena.count = byteCount
      let coded = try TreeBatch(
        batch, sealing: self, trees: treeSealing, sealer: sealer, stamps: stamps, treeIDs: trees)
      do throws(BackendError) {
        return try commitToBase(coded.batch, durability: durability)
      } catch {
        guard error.code == .conflict else { throw error }
        attemptsLeft -= 1
        // Another commit may have changed the values and counts that this attempt read.
        if attemptsLeft > 0, let seen = coded.seenCommit, try base.snapshot().commitNumber != seen { continue }
        throw BackendError(.conflict, error.message, conflicts: coded.conflicts(error.conflicts, in: batch))
      }
    }
  }

  /// Returns the keyspace of the trees' stamps (``TreeBatch``), which is hidden from stores.
  private func stampKeyspace(_ treeSealing: TreeSealing) throws(BackendError) -> KeyspaceID {
    if let known = stamps.withLock({ $0 }) { return known }
    let id = try base.keyspaceID(of: .keys, named: treeSealing.sealed(keyspaceName: Self.stampName))
    stamps.withLock { $0 = id }
    return id
  }

  /// The name of the stamps' keyspace: no name of a class, of named buffers or of an index begins with a zero byte.
  private static let stampName = Array("\0stamps".utf8)

  package func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    let name = try treeSealing.map { sealing throws(BackendError) in try sealing.sealed(keyspaceName: name) } ?? name
    let loader = try base.loadKeyspace(of: kind, named: name, expecting: count)
    if kind == .tree { noteTree(loader.keyspace) }
    guard let treeSealing, kind != .rows else { return SealedLoader(loader, sealing: self) }
    return CodedLoader(loader, isTree: kind == .tree, sealing: self, trees: treeSealing)
  }

  func seal(_ batch: borrowing WriteBatch) throws(BackendError) {
    if let ring = base.keyRing { try seal(batch, with: ring) }
  }

  private func seal(_ batch: borrowing WriteBatch, with ring: KeyRing) throws(BackendError) {
    let changes = batch.changes
    let arena = batch.arena
    guard !changes.isEmpty else { return }
    let trees = trees.withLock { $0 }
    let batch = unsafe Batch(changes: changes, base: arena.base, trees: trees, ring: ring)
    try inParts(of: changes.count, byteCount: arena.count, ring) { sealer, part throws(BackendError) in
      try unsafe self.seal(part, of: batch, by: sealer)
    }
  }

  /// The batch that several threads seal; each writes only to the values of its own part.
  @unsafe
  private struct Batch: @unchecked Sendable {
    let changes: WriteBatch.Changes
    let base: UnsafeMutableRawPointer
    let trees: Set<KeyspaceID>
    let ring: KeyRing
  }

  private func seal(_ part: Range<Int>, of batch: Batch, by sealer: Sealer) throws(BackendError) {
    var first = part.lowerBound
    // 512 nonces are drawn at a time. One call for each would take three times as long as sealing a small record.
    while first < part.upperBound {
      let end = min(first + 512, part.upperBound)
      var failure: BackendError?
      unsafe withUnsafeTemporaryAllocation(byteCount: (end - first) * Sealer.nonceByteCount, alignment: 8) { nonces in
        do throws(BackendError) {
          try unsafe batch.ring.drawNonces(into: nonces)
          for index in first..<end {
            let nonce = unsafe nonces.baseAddress.map { unsafe $0 + (index - first) * Sealer.nonceByteCount }
            guard let nonce = unsafe nonce else { throw Sealer.failure }
            try unsafe seal(batch.changes[index], in: batch, by: sealer, nonce: nonce)
          }
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      first = end
    }
  }

  @inline(__always)
  private func seal(
    _ change: WriteBatch.Change, in batch: Batch, by sealer: Sealer, nonce: UnsafeRawPointer
  ) throws(BackendError) {
    guard change.kind == .put else { return }
    let record = unsafe UnsafeMutableRawBufferPointer(
      start: batch.base + change.value.lowerBound, count: change.value.count)
    if case .bytes = change.key, unsafe batch.trees.contains(change.keyspace) { return }
    let epoch: UInt32
    let isPadded: Bool
    switch unsafe RecordEnvelope.sealing(of: UnsafeRawBufferPointer(record)) {
    case .needed(let known, let padded): (epoch, isPadded) = (known, padded)
    // Either the record was sealed by a commit that failed. Nothing reached a file, so the nonce has not been reused.
    // Or it was written before the encryption of the store began. Then the backend seals it.
    case .done: return
    case nil:
      throw BackendError(
        .invalidArgument, "A value for an encrypted store has no room for its envelope.", keyspace: change.keyspace)
    }
    switch change.key {
    case .row(let rowID):
      try unsafe sealer.seal(
        record, key: .row(rowID), of: change.keyspace, epoch: epoch, isPadded: isPadded, nonce: nonce)
    case .bytes:
      try unsafe sealer.seal(
        record, key: .name, of: change.keyspace, epoch: epoch, isPadded: isPadded, nonce: nonce)
    }
  }

  // MARK: Reading

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try base.read(rows: rows, of: keyspace, into: chunk)
    try chunk.requireAtMost(rows.count)
    try open(chunk, of: keyspace)
  }

  package func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try read(key: key, of: keyspace, into: chunk) { key throws(BackendError) in
      try base.read(key: key, of: keyspace, into: chunk)
    }
  }

  // Reads and opens one record by its key; `readStored` reads by the key that the backend knows.
  func read(
    key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk,
    _ readStored: ([UInt8]) throws(BackendError) -> Void
  ) throws(BackendError) {
    guard let treeSealing else {
      try readStored(key)
      return try open(chunk, of: keyspace, key: key)
    }
    guard isTree(keyspace) else {
      try readStored(treeSealing.code(ofName: key))
      return try open(chunk, of: keyspace, key: key)
    }
    var place = try treeSealing.code(ofKey: key[...], in: keyspace)
    try readStored(place)
    if chunk.slices.first?.status == .absent,
      let numbered = try treeSealing.numberedPlace(of: key[...], in: keyspace)
    {
      place = numbered
      try readStored(place)
    }
    try open(chunk, ofTree: keyspace, treeSealing, place: place)
  }

  /// Opens the entries of a tree in place.
  func open(
    _ chunk: RecordChunk, ofTree tree: KeyspaceID, _ treeSealing: TreeSealing, place: [UInt8]? = nil
  ) throws(BackendError) {
    try withSealer(treeSealing.ring) { sealer throws(BackendError) in
      try treeSealing.open(chunk, of: tree, place: place, by: sealer)
    }
  }

  func isTree(_ keyspace: KeyspaceID) -> Bool { trees.withLock { $0.contains(keyspace) } }

  package func snapshot() throws(BackendError) -> any BackendSnapshot {
    SealedSnapshot(try base.snapshot(), sealing: self)
  }

  /// Opens every record of a chunk in place.
  func open(_ chunk: RecordChunk, of keyspace: KeyspaceID, key: [UInt8]? = nil) throws(BackendError) {
    let count = chunk.slices.count
    guard chunk.isSealed || treeSealing != nil, !chunk.leavesOutValues, count > 0, let ring = base.keyRing,
      !trees.withLock({ $0.contains(keyspace) })
    else {
      return
    }
    if count == 1 {
      try withSealer(ring) { sealer in
        unsafe chunk.slices.withUnsafeMutableBufferPointer { slices in
          unsafe Self.open(slices, base: chunk.arena.base, of: keyspace, key: key, by: sealer)
        }
      }
      return
    }
    let arena = chunk.arena
    let failure = unsafe chunk.slices.withUnsafeMutableBufferPointer { slices -> BackendError? in
      let records = unsafe Records(slices: slices, base: arena.base)
      do throws(BackendError) {
        try inParts(of: count, byteCount: arena.count, ring) { sealer, part throws(BackendError) in
          let slices = unsafe UnsafeMutableBufferPointer(rebasing: records.slices[part])
          unsafe Self.open(slices, base: records.base, of: keyspace, key: nil, by: sealer)
        }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// The records that several threads open; each accesses only its own slices, and the bytes to which they refer.
  @unsafe
  private struct Records: @unchecked Sendable {
    let slices: UnsafeMutableBufferPointer<RecordChunk.Slice>
    let base: UnsafeMutableRawPointer
  }

  private static func open(
    _ slices: UnsafeMutableBufferPointer<RecordChunk.Slice>, base: UnsafeMutableRawPointer, of keyspace: KeyspaceID,
    key: [UInt8]?, by sealer: Sealer
  ) {
    for index in slices.indices {
      let slice = unsafe slices[index]
      guard slice.status == .found else { continue }
      let value = slice.value
      let record = unsafe UnsafeMutableRawBufferPointer(start: base + value.lowerBound, count: value.count)
      let isNamed = key != nil || !slice.key.isEmpty
      let opened = unsafe sealer.open(record, key: isNamed ? .name : .row(slice.rowID), of: keyspace)
      switch opened {
      case .success(let content):
        // The envelope has more than one byte before the content.
        var start = value.lowerBound + content.lowerBound - 1
        // The record already ends here, if there is neither padding nor a kept token.
        let end = value.lowerBound + content.upperBound + RecordEnvelope.sealedTrailerByteCount
        if end != value.upperBound {
          unsafe (base + end - Sealer.tokenByteCount).copyMemory(
            from: base + value.upperBound - Sealer.tokenByteCount, byteCount: Sealer.tokenByteCount)
        }
        if isNamed {
          let name = unsafe moveName(in: base, from: start + 1, to: start + 1 + content.count)
          let isRight = name.map { name in
            key.map {
              unsafe $0.elementsEqual(UnsafeRawBufferPointer(start: base + name.lowerBound, count: name.count))
            }
              ?? true
          }
          guard let name, isRight == true else {
            unsafe base.storeBytes(
              of: SealingRefusal.notAuthentic.rawValue, toByteOffset: value.lowerBound, as: UInt8.self)
            continue
          }
          start = name.upperBound
          if key == nil { unsafe slices[index].rename(byteCount: name.count) }
        }
        unsafe base.storeBytes(of: RecordEnvelope.openedFormat, toByteOffset: start, as: UInt8.self)
        unsafe slices[index].narrow(to: start..<end)
      case .failure(let refusal):
        if value.count > 0 {
          unsafe base.storeBytes(of: refusal.rawValue, toByteOffset: value.lowerBound, as: UInt8.self)
        }
      }
    }
  }

  /// Moves a record's name before its version byte and content, and leaves one byte between the name and the version.
  ///
  /// - Returns: The position of the name; nil if there is none.
  private static func moveName(in base: UnsafeMutableRawPointer, from start: Int, to end: Int) -> Range<Int>? {
    let version = unsafe base.load(fromByteOffset: start, as: UInt8.self)
    var reader = unsafe DataBuffer(
      borrowing: UnsafeRawBufferPointer(start: base + start + 1, count: max(0, end - start - 1)), resolver: nil)
    guard let byteCount = try? reader.readVarUInt(), byteCount > 0, byteCount <= UInt64(reader.remainingByteCount)
    else {
      return nil
    }
    // Version and length take at least two bytes, so the name can move up by two and leave room for format and version.
    let nameStart = end - reader.remainingByteCount
    let name = nameStart - 2..<nameStart - 2 + Int(byteCount)
    unsafe (base + name.lowerBound).copyMemory(from: base + nameStart, byteCount: name.count)
    unsafe base.storeBytes(of: version, toByteOffset: name.upperBound + 1, as: UInt8.self)
    return name
  }

  // MARK: Threads

  /// Divides a number of records into parts, and calls `body` for each part.
  ///
  /// Few records are one part. Many records are processed in parallel, on up to 8 threads.
  private func inParts(
    of count: Int, byteCount: Int, _ ring: KeyRing, _ body: @Sendable (Sealer, Range<Int>) throws(BackendError) -> Void
  ) throws(BackendError) {
    let partCount = count < 512 && byteCount < 128 << 10 ? 1 : min(ThreadPool.usefulCount, count)
    guard partCount > 1 else {
      return try withSealer(ring) { sealer throws(BackendError) in try body(sealer, 0..<count) }
    }
    let failure = Mutex<BackendError?>(nil)
    ThreadPool.shared.forEachPart(of: partCount) { part in
      do throws(BackendError) {
        let range = count * part / partCount..<count * (part + 1) / partCount
        try withSealer(ring) { sealer throws(BackendError) in try body(sealer, range) }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Calls `body` with a sealer that no other thread uses; unused sealers are kept for later calls.
  func withSealer(_ ring: KeyRing, _ body: (Sealer) throws(BackendError) -> Void) throws(BackendError) {
    let spare = sealers.withLock { $0.popLast() }
    let sealer = if let spare { spare } else { try ring.makeSealer() }
    defer { sealers.withLock { $0.append(sealer) } }
    try body(sealer)
  }
}

// MARK: Keyspaces

extension RecordSealing {
  var keyRing: KeyRing? { base.keyRing }

  /// The maximum number of bytes of a keyspace's name.
  var nameByteLimit: Int { base.limits.nameByteCount - (treeSealing == nil ? 0 : KeyRing.codeByteCount) }

  package func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    try base.count(of: keyspace).requiringCount()
  }

  package func keyspaces() throws(BackendError) -> [Keyspace] {
    var keyspaces = try base.keyspaces()
    if let treeSealing {
      let known = try keyspaces.map { keyspace throws(BackendError) in
        Keyspace(
          id: keyspace.id, kind: keyspace.kind, name: try treeSealing.opened(keyspaceName: keyspace.name))
      }
      keyspaces = known.filter { $0.name != Self.stampName }
    }
    trees.withLock { for keyspace in keyspaces where keyspace.kind == .tree { $0.insert(keyspace.id) } }
    return keyspaces
  }

  package func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    let name = try treeSealing.map { sealing throws(BackendError) in try sealing.sealed(keyspaceName: name) } ?? name
    let id = try base.keyspaceID(of: kind, named: name)
    if kind == .tree { noteTree(id) }
    return id
  }

  /// Registers a tree that was created without this object, so that its values pass unchanged.
  func noteTree(_ id: KeyspaceID) { trees.withLock { _ = $0.insert(id) } }
}
