import Dispatch
import Foundation
import Synchronization

/// The way of records between a store and its backend: those of an encrypted backend are sealed on the way in and opened
/// on the way out.
///
/// Stores write records whose envelope has room for what sealing adds (``RecordEnvelope``), and read *opened* ones: an
/// `opened` byte or a ``SealingRefusal``, version byte, content, and 16 bytes whose last 8 are the token. Whatever comes
/// out of the files passes here and gets that first byte, so no byte of a file can pass for it. Trees pass as they
/// are if the backend seals their nodes; otherwise ``TreeSealing`` hides them, and names. What a backend without keys has passes as it is, and so does what is plain
/// while a store is being encrypted or decrypted: the backend knows which that is (``RecordChunk/isSealed``).
///
/// A record under a name begins with it, so that it need not stand in the file: to stores it comes as its key.
package final class RecordSealing: Sendable {
  let base: any StoreBackend
  private let sealers = Mutex<[Sealer]>([])
  private let trees = Mutex<Set<KeyspaceID>>([])
  /// Hides names and entries; nil if the backend does so itself, or has no keys.
  let treeSealing: TreeSealing?
  private let stamps = Mutex<KeyspaceID?>(nil)

  package init(_ base: any StoreBackend) {
    self.base = base
    treeSealing = base.sealsNamesAndTrees ? nil : base.keyRing.map { TreeSealing(ring: $0) }
  }

  // MARK: Writing

  package func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    try seal(batch)
    guard let treeSealing else { return try base.commit(batch, durability: durability) }
    return try commit(batch, durability: durability, treeSealing)
  }

  /// Commits a batch of which the backend sees neither names nor the entries of trees.
  private func commit(
    _ batch: borrowing WriteBatch, durability: Durability, _ treeSealing: TreeSealing
  ) throws(BackendError) -> CommitNumber {
    if batch.hasEmptyKey { throw BackendError(.invalidArgument, "A byte key has at least one byte.") }
    // It makes earlier commits durable, and needs no stamps.
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
        return try base.commit(coded.batch, durability: durability)
      } catch {
        guard error.code == .conflict else { throw error }
        attemptsLeft -= 1
        // Another commit may have changed the values and counts that this attempt looked at.
        if attemptsLeft > 0, let seen = coded.seenCommit, try base.snapshot().commitNumber != seen { continue }
        throw BackendError(.conflict, error.message, conflicts: coded.conflicts(error.conflicts, in: batch))
      }
    }
  }

  /// The keyspace of the trees' stamps (``TreeBatch``), which nobody else sees.
  private func stampKeyspace(_ treeSealing: TreeSealing) throws(BackendError) -> KeyspaceID {
    if let known = stamps.withLock({ $0 }) { return known }
    let id = try base.keyspaceID(of: .keys, named: treeSealing.sealed(keyspaceName: Self.stampName))
    stamps.withLock { $0 = id }
    return id
  }

  /// No class's name begins with a zero byte, nor does that of named buffers or indexes.
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

  /// What the threads that seal share: each writes to the values of its own part only.
  @unsafe
  private struct Batch: @unchecked Sendable {
    let changes: WriteBatch.Changes
    let base: UnsafeMutableRawPointer
    let trees: Set<KeyspaceID>
    let ring: KeyRing
  }

  private func seal(_ part: Range<Int>, of batch: Batch, by sealer: Sealer) throws(BackendError) {
    var first = part.lowerBound
    // As many nonces at once as fit a page or so: one call for each would cost thrice what sealing a small record does.
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
    // By an attempt to commit that did not succeed: nothing of it is in any file, so the nonce is still its own. Or written
    // before the store began to be encrypted: the backend seals it.
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

  /// What the threads that open share: each touches its own slices, and the bytes that those point to.
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
        // The envelope has more than a byte before the content.
        var start = value.lowerBound + content.lowerBound - 1
        // Where nothing is filled up, and no token was kept, that is where the record ends.
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

  /// Moves the name that stands between a record's version byte and its content before both, and leaves a byte between.
  ///
  /// - Returns: Where the name stands then; nil where there is none.
  private static func moveName(in base: UnsafeMutableRawPointer, from start: Int, to end: Int) -> Range<Int>? {
    let version = unsafe base.load(fromByteOffset: start, as: UInt8.self)
    var reader = unsafe DataBuffer(
      borrowing: UnsafeRawBufferPointer(start: base + start + 1, count: max(0, end - start - 1)), resolver: nil)
    guard let byteCount = try? reader.readVarUInt(), byteCount > 0, byteCount <= UInt64(reader.remainingByteCount)
    else {
      return nil
    }
    // Version and count take two bytes at least, where there was a byte before them.
    let nameStart = end - reader.remainingByteCount
    let name = nameStart - 2..<nameStart - 2 + Int(byteCount)
    unsafe (base + name.lowerBound).copyMemory(from: base + nameStart, byteCount: name.count)
    unsafe base.storeBytes(of: version, toByteOffset: name.upperBound + 1, as: UInt8.self)
    return name
  }

  // MARK: Threads

  /// Small work is done at once; large work on all processors.
  private func inParts(
    of count: Int, byteCount: Int, _ ring: KeyRing, _ body: @Sendable (Sealer, Range<Int>) throws(BackendError) -> Void
  ) throws(BackendError) {
    let partCount = count < 512 && byteCount < 128 << 10 ? 1 : min(Self.processorCount, count)
    guard partCount > 1 else {
      return try withSealer(ring) { sealer throws(BackendError) in try body(sealer, 0..<count) }
    }
    let failure = Mutex<BackendError?>(nil)
    DispatchQueue.concurrentPerform(iterations: partCount) { part in
      do throws(BackendError) {
        let range = count * part / partCount..<count * (part + 1) / partCount
        try withSealer(ring) { sealer throws(BackendError) in try body(sealer, range) }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  private static let processorCount = min(ProcessInfo.processInfo.activeProcessorCount, 8)

  /// Lends a sealer that nobody else uses; as many are kept as were ever in use at once.
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

  /// Bytes that the name of a keyspace may have.
  var nameByteLimit: Int { base.limits.nameByteCount - (treeSealing == nil ? 0 : KeyRing.codeByteCount) }

  package func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try base.count(of: keyspace) }

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

  /// Notes a tree that was made without asking here: its values pass as they are.
  func noteTree(_ id: KeyspaceID) { trees.withLock { _ = $0.insert(id) } }
}
