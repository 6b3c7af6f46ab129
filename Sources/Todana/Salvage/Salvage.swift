/// Takes records out of a damaged store, and puts them into a new one.
final class Salvage: SalvageVisitor {
  private static let batchByteCount = 4 << 20
  /// Numbers of classes beyond this are damage rather than numbers.
  private static let highestNumber: UInt32 = 1 << 16

  private let targetPath: String
  private let secret: StoreSecret?
  private var openTarget: KyotoBackend?
  /// The new store as records go to it: sealed on the way, if it is encrypted.
  private var records: (any StoreBackend)?
  private let progress: (SalvageProgress) throws -> Void
  private var report = SalvageReport()
  private var failure: (any Error)?

  private var sourceID: StoreID?
  /// Opens the records of an encrypted store.
  private var sealer: Sealer?
  private var opened = ByteArena()
  /// Numbers that are known to be some structure's.
  private var numbers: Set<UInt32> = []
  private var names: Set<[UInt8]> = []

  // Of the structure that is being read.
  private var structure: SalvagedStructure?
  private var targetID: ClassID?
  private var sourceNumber: ClassID?
  private var sourceEnvelope: RecordEnvelope?
  private var rows = RowSet()
  private var keys: Set<[UInt8]> = []
  private var lostRows = RowSet()
  private var highestRowID: RowID = 0
  /// How often the number of a structure that does not know it may still be guessed.
  private var guessesLeft = 0

  private var arena = ByteArena()
  private var changes: [WriteBatch.Change] = []

  init(to path: String, secret: StoreSecret?, progress: @escaping (SalvageProgress) throws -> Void) {
    targetPath = path
    self.secret = secret
    self.progress = progress
  }

  /// The new store, which is made as soon as it is known what the old one is.
  private var target: KyotoBackend {
    get throws(BackendError) {
      guard let openTarget else { throw .closed }
      return openTarget
    }
  }

  func run(from path: String) throws -> SalvageReport {
    do throws(BackendError) {
      do throws(BackendError) {
        try KyotoSalvage.run(path, secret: secret, self)
        try endStructure()
      } catch {
        // The files of the new store are removed next.
        try? openTarget?.close()
        throw error
      }
      try target.close()
    } catch {
      throw failure ?? StoreError(error)
    }
    return report
  }

  // MARK: Visiting

  func beginStore(id: StoreID?, keyRing: KeyRing?) {
    sourceID = id
    attempt { () throws(BackendError) in
      var options = KyotoBackend.Options()
      if let keyRing { options.cipher = keyRing.cipher }
      let target = try KyotoBackend(.directory(targetPath), secret: secret, options: options)
      openTarget = target
      records = target.keyRing.map { SealedBackend(target, ring: $0) } ?? target
      sealer = try keyRing?.makeSealer()
    }
  }

  func noteLoss(_ sentence: String) { report.losses.append(sentence) }

  func beginStructure(_ structure: SalvagedStructure) {
    attempt { () throws(BackendError) in
      try endStructure()
      self.structure = structure
      rows = RowSet()
      keys = []
      lostRows = RowSet()
      highestRowID = 0
      guessesLeft = 1000
      describe(structure)
    }
  }

  func take(_ record: SalvagedRecord) -> SalvageAnswer {
    guard failure == nil else { return .stop }
    let isTaken = attempt { () throws(BackendError) -> Bool in try keep(record) }
    return failure != nil ? .stop : isTaken == true ? .take : .refuse
  }

  func noteDamage(rowID: RowID?, byteCount: Int) {
    guard !report.structures.isEmpty else { return }
    let index = report.structures.count - 1
    guard let rowID else {
      report.structures[index].unreadableByteCount += byteCount
      return
    }
    _ = lostRows.insert(rowID)
  }

  func report(done: Int, total: Int) -> Bool {
    guard failure == nil else { return false }
    do {
      try progress(SalvageProgress(doneByteCount: done, byteCount: total))
      return true
    } catch {
      failure = error
      return false
    }
  }

  @discardableResult
  private func attempt<Result>(_ body: () throws(BackendError) -> Result) -> Result? {
    guard failure == nil else { return nil }
    do throws(BackendError) {
      return try body()
    } catch {
      failure = StoreError(error)
      return nil
    }
  }

  // MARK: Structures

  private func describe(_ structure: SalvagedStructure) {
    var name = structure.name
    if !names.insert(name).inserted {
      name += Array(" (\(structure.file))".utf8)
      names.insert(name)
    }
    self.structure?.name = name
    var entry = SalvageReport.Structure(
      name: String(decoding: name, as: UTF8.self), isNameKnown: structure.isNameKnown, number: 0)
    entry.recordCount = structure.recordCount
    report.structures.append(entry)
    targetID = nil
    sourceEnvelope = nil
    if let id = structure.id, id.rawValue <= Self.highestNumber, numbers.insert(id.rawValue).inserted {
      sourceNumber = id
      sourceEnvelope = sourceID.map { RecordEnvelope(storeID: $0, structure: id) }
    } else {
      sourceNumber = nil
    }
  }

  /// The structure in the new store, which is made when there is something to put into it.
  ///
  /// It has the number that it had, because references name it.
  private func target(of structure: SalvagedStructure, _ kind: StructureKind) throws(BackendError) -> ClassID {
    if let targetID { return targetID }
    let id: ClassID
    if let sourceNumber {
      try target.makeStructure(sourceNumber, kind, named: structure.name)
      id = sourceNumber
    } else {
      id = try target.structureID(of: kind, named: structure.name)
    }
    targetID = id
    report.structures[report.structures.count - 1].number = Int(id.rawValue)
    report.structures[report.structures.count - 1].isNumberKept = sourceNumber != nil
    return id
  }

  private func endStructure() throws(BackendError) {
    guard let structure else { return }
    try commit()
    let index = report.structures.count - 1
    let lost = lostRows.rowIDs.filter { !rows.contains($0) }
    report.structures[index].lostRowIDs = Array(lost.prefix(SalvageReport.rowLimit))
    report.structures[index].damagedCount = lost.count
    // No row id is given out twice, those of lost rows neither.
    if structure.kind == .rows, let targetID {
      try reserveRows(through: max(highestRowID, structure.nextRowID - 1), of: targetID)
    }
    self.structure = nil
  }

  /// Counts the new store's row ids up to one.
  private func reserveRows(through rowID: RowID, of targetID: ClassID) throws(BackendError) {
    let next = try target.reserveRowIDs(1, in: targetID).lowerBound
    guard rowID > next else { return }
    // A damaged header may say anything; what is beyond is nobody's row.
    _ = try target.reserveRowIDs(Int(clamping: rowID - next), in: targetID)
  }

  // MARK: Records

  /// Puts a record into the new store if it is one.
  private func keep(_ record: SalvagedRecord) throws(BackendError) -> Bool {
    guard let structure else { return false }
    if structure.kind == .tree { return try keepRaw(record, of: structure) }
    let key = unsafe [UInt8](record.key)
    let kind: StructureKind = key.isEmpty ? .rows : .keys
    guard structure.kind == nil || structure.kind == kind, let opened = open(record, key) else { return false }
    // The first record tells.
    self.structure?.kind = kind
    let targetID = try target(of: structure, kind)
    switch kind {
    case .rows: guard rows.insert(record.rowID) else { return true }
    default: guard keys.insert(key).inserted else { return true }
    }
    highestRowID = max(highestRowID, record.rowID)
    let target = try target
    let envelope = RecordEnvelope(
      storeID: target.storeID, structure: targetID, epoch: target.keyRing?.epoch ?? 0)
    // Of another store's keys, so of another name.
    let newKey = try kind == .rows ? key : storageKey(of: key, opened)
    var writer = DataBuffer(arena: arena, encoder: UncheckedReferences())
    envelope.begin(version: opened.version, in: &writer)
    unsafe writer.writeRawBytes([UInt8](opened.content))
    let written: RecordEnvelope.Written
    do throws(DataBufferError) {
      written =
        kind == .rows ? try envelope.finish(record.rowID, in: &writer) : try envelope.finish(newKey, in: &writer)
    } catch {
      throw BackendError(.limitExceeded, "A record cannot be written again: \(error)")
    }
    try put(kind == .rows ? .row(record.rowID) : .bytes(append(newKey)), written.range, in: targetID)
    return true
  }

  /// The same for records of trees, which have no envelopes.
  private func keepRaw(_ record: SalvagedRecord, of structure: SalvagedStructure) throws(BackendError) -> Bool {
    let key = unsafe [UInt8](record.key)
    guard record.isVouchedFor, !key.isEmpty, key.count <= (try target).limits.keyByteCount else { return false }
    guard keys.insert(key).inserted else { return true }
    unsafe try put(.bytes(append(key)), append([UInt8](record.value)), in: target(of: structure, .tree))
    return true
  }

  private func append(_ bytes: [UInt8]) -> Range<Int> {
    let start = arena.count
    arena.reserve(start + bytes.count)
    unsafe UnsafeMutableRawBufferPointer(start: arena.base + start, count: bytes.count).copyBytes(from: bytes)
    arena.count += bytes.count
    return start..<arena.count
  }

  /// What a named buffer stands under in the new store.
  private func storageKey(of key: [UInt8], _ buffer: RecordEnvelope.Opened) throws(BackendError) -> [UInt8] {
    guard let ring = try target.keyRing else { return key }
    var reader = unsafe DataBuffer(borrowing: buffer.content, resolver: nil)
    let name: String
    do throws(DataBufferError) {
      name = try reader.readString()
    } catch {
      throw BackendError(.damaged, "A named buffer has no name: \(error)")
    }
    return try ring.storageKey(ofName: Array(name.utf8))
  }

  /// What a record holds, if it is sound.
  private func open(_ record: SalvagedRecord, _ key: [UInt8]) -> RecordEnvelope.Opened? {
    if let sealer { return openSealed(record, key, sealer) }
    guard let sourceID else {
      // Nothing else than the checksums of pages can tell.
      return record.isVouchedFor ? unsafe RecordEnvelope.openUnchecked(record.value) : nil
    }
    if let sourceEnvelope {
      if let opened = open(record, key, sourceEnvelope) { return opened }
      // A number that only a damaged header claims may be wrong, as long as no record has confirmed it.
      if targetID != nil || structure?.isNameKnown == true { return nil }
    }
    guard guessesLeft > 0 else { return nil }
    guessesLeft -= 1
    // The header of the file is damaged, but a record's check knows the structure.
    for number in 1...(numbers.max() ?? 0) + 1000 where !numbers.contains(number) {
      let envelope = RecordEnvelope(storeID: sourceID, structure: ClassID(rawValue: number))
      guard let opened = open(record, key, envelope) else { continue }
      sourceEnvelope = envelope
      sourceNumber = ClassID(rawValue: number)
      numbers.insert(number)
      return opened
    }
    return nil
  }

  private func openSealed(_ record: SalvagedRecord, _ key: [UInt8], _ sealer: Sealer) -> RecordEnvelope.Opened? {
    if let sourceNumber {
      return openSealed(record, key, sealer, of: sourceNumber)
    }
    guard guessesLeft > 0 else { return nil }
    guessesLeft -= 1
    for number in 1...(numbers.max() ?? 0) + 1000 where !numbers.contains(number) {
      guard let opened = openSealed(record, key, sealer, of: ClassID(rawValue: number)) else { continue }
      sourceNumber = ClassID(rawValue: number)
      numbers.insert(number)
      return opened
    }
    return nil
  }

  private func openSealed(
    _ record: SalvagedRecord, _ key: [UInt8], _ sealer: Sealer, of number: ClassID
  ) -> RecordEnvelope.Opened? {
    opened.count = 0
    _ = unsafe opened.append(record.value)
    let copy = unsafe UnsafeMutableRawBufferPointer(start: opened.base, count: record.value.count)
    let range =
      unsafe key.withUnsafeBytes { key in
        unsafe sealer.open(copy, key: key.isEmpty ? .row(record.rowID) : .name(.init(key)), of: number)
      }
    guard case .success(let range) = range, let version = unsafe copy[range].first else { return nil }
    let content = unsafe UnsafeRawBufferPointer(rebasing: copy[range.dropFirst()])
    return unsafe RecordEnvelope.Opened(version: version, content: content, token: 0)
  }

  private func open(_ record: SalvagedRecord, _ key: [UInt8], _ envelope: RecordEnvelope) -> RecordEnvelope.Opened? {
    guard !key.isEmpty else { return unsafe envelope.openIfSound(record.value, record.rowID) }
    do throws(RecordEnvelopeError) { return unsafe try envelope.open(record.value, key) } catch { return nil }
  }

  // MARK: Writing

  private func put(
    _ key: WriteBatch.Key, _ value: Range<Int>, in targetID: ClassID
  ) throws(BackendError) {
    changes.append(.init(structure: targetID, kind: .put, expectation: .absent, key: key, value: value))
    report.structures[report.structures.count - 1].savedCount += 1
    if arena.count >= Self.batchByteCount { try commit() }
  }

  private func commit() throws(BackendError) {
    guard !changes.isEmpty else { return }
    if structure?.kind == .rows, let targetID { try reserveRows(through: highestRowID, of: targetID) }
    var batch = WriteBatch(arena: arena)
    batch.reserveCapacity(changes.count)
    for change in changes { batch.append(change) }
    batch.sort()
    guard let records else { throw .closed }
    _ = try records.commit(batch, durability: .relaxed)
    changes.removeAll(keepingCapacity: true)
    arena.count = 0
  }
}
