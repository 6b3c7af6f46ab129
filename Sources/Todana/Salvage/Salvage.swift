/// A salvage, which reads records from a damaged store and puts them into a new one.
final class Salvage: SalvageVisitor {
  /// The highest number of a class that is accepted; a higher one is taken for damage.
  private static let highestNumber: UInt32 = 1 << 16

  private let targetPath: String
  private let secret: StoreSecret?
  /// The names that the caller gives classes whose names are lost, by their numbers.
  private let givenNames: [Int: String]
  /// The writer to the new store, which is created as soon as the old store's identity and keys are known.
  private var openWriter: RecordWriter?
  private let progress: (SalvageProgress) throws -> Void
  private var report = SalvageReport()
  private var failure: (any Error)?

  private var sourceID: StoreID?
  /// The sealer that opens the records of an encrypted store; nil if it is not encrypted.
  private var sealer: Sealer?
  /// Whether an encryption or decryption of the store was interrupted, so that records may be plain.
  private var mayBePlain = false
  private var opened = ByteArena()
  /// The numbers that are known to belong to keyspaces.
  private var numbers: Set<UInt32> = []
  private var names: Set<[UInt8]> = []

  // State of the keyspace that is being read.
  /// The keyspace; nil while an index is read, whose records are not kept.
  private var keyspace: SalvagedKeyspace?
  private var targetID: KeyspaceID?
  private var sourceNumber: KeyspaceID?
  private var sourceEnvelope: RecordEnvelope?
  private var rows = RowSet()
  private var keys: Set<[UInt8]> = []
  private var lostRows = RowSet()
  private var highestRowID: RowID = 0
  /// The number of further records from which the keyspace's number may be guessed, if it is unknown.
  private var guessesLeft = 0

  init(
    to path: String, secret: StoreSecret?, naming names: [Int: String],
    progress: @escaping (SalvageProgress) throws -> Void
  ) {
    targetPath = path
    self.secret = secret
    givenNames = names
    self.progress = progress
  }

  private var writer: RecordWriter {
    get throws(BackendError) {
      guard let openWriter else { throw .closed }
      return openWriter
    }
  }

  func run(from path: String) throws -> SalvageReport {
    do throws(BackendError) {
      do throws(BackendError) {
        try KyotoSalvage.run(path, secret: secret, self)
        try endKeyspace()
      } catch {
        // The caller removes the files of the new store.
        try? openWriter?.backend.close()
        throw error
      }
      try writer.backend.close()
    } catch {
      throw failure ?? StoreError(error)
    }
    return report
  }

  // MARK: Visiting

  func beginStore(id: StoreID?, keyRing: KeyRing?, mayBePlain: Bool) {
    sourceID = id
    self.mayBePlain = mayBePlain
    attempt { () throws(BackendError) in
      var options = KyotoBackend.Options()
      if let keyRing { options.cipher = keyRing.cipher }
      openWriter = RecordWriter(try KyotoBackend(.directory(targetPath), secret: secret, options: options))
      sealer = try keyRing?.makeSealer()
    }
  }

  func noteLoss(_ sentence: String) { report.losses.append(sentence) }

  func beginKeyspace(_ keyspace: SalvagedKeyspace) {
    attempt { () throws(BackendError) in
      try endKeyspace()
      if keyspace.isIndex { return leaveOut(keyspace) }
      self.keyspace = keyspace
      rows = RowSet()
      keys = []
      lostRows = RowSet()
      highestRowID = 0
      guessesLeft = 1000
      describe(keyspace)
    }
  }

  func take(_ record: SalvagedRecord) -> SalvageAnswer {
    guard failure == nil else { return .stop }
    let isTaken = attempt { () throws(BackendError) -> Bool in try keep(record) }
    return failure != nil ? .stop : isTaken == true ? .take : .refuse
  }

  func noteDamage(rowID: RowID?, byteCount: Int) {
    guard keyspace != nil else { return }
    let index = report.keyspaces.count - 1
    guard let rowID else {
      report.keyspaces[index].unreadableByteCount += byteCount
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

  // MARK: Keyspaces

  /// Notes an index, which is rebuilt later from the saved rows, as its entries may belong to lost rows.
  private func leaveOut(_ index: SalvagedKeyspace) {
    if let id = index.id { numbers.insert(id.rawValue) }
    if index.isNameKnown, let text = TextKeyspaceName(index.name) {
      // The segments of a text index are named with its tree.
      if text.segment == nil { report.indexesToBuild.append("\(text.className): \(text.indexName)") }
      return
    }
    let names = index.isNameKnown ? ClassIndex.names(fromKeyspace: index.name) : nil
    report.indexesToBuild.append(names.map { "\($0.className): \($0.name)" } ?? index.file)
  }

  private func describe(_ keyspace: SalvagedKeyspace) {
    var entry = SalvageReport.Keyspace(name: "", isNameKnown: keyspace.isNameKnown, number: 0)
    entry.recordCount = keyspace.recordCount
    report.keyspaces.append(entry)
    if !keyspace.isNameKnown, keyspace.kind == .rows, let given = keyspace.id.flatMap({ givenNames[Int($0.rawValue)] })
    {
      setName(Array(given.utf8), isKnown: true)
    } else {
      setName(keyspace.name, isKnown: keyspace.isNameKnown)
    }
    targetID = nil
    sourceEnvelope = nil
    if let id = keyspace.id, id.rawValue <= Self.highestNumber, numbers.insert(id.rawValue).inserted {
      sourceNumber = id
      sourceEnvelope = sourceID.map { RecordEnvelope(storeID: $0, keyspace: id) }
    } else {
      sourceNumber = nil
    }
  }

  /// Sets the name of the keyspace that is being read; a name that is in use is made unique.
  private func setName(_ name: [UInt8], isKnown: Bool) {
    var name = name
    if !names.insert(name).inserted, let keyspace {
      name += Array(" (\(keyspace.file))".utf8)
      names.insert(name)
    }
    keyspace?.name = name
    keyspace?.isNameKnown = isKnown
    report.keyspaces[report.keyspaces.count - 1].name = String(decoding: name, as: UTF8.self)
    report.keyspaces[report.keyspaces.count - 1].isNameKnown = isKnown
  }

  /// Names a keyspace of byte keys whose name is lost: only named buffers and content fields are stored in one.
  private func recognize(_ name: String, _ opened: RecordEnvelope.Opened, _ content: UnsafeRawBufferPointer) {
    guard let keyspace, !keyspace.isNameKnown, targetID == nil else { return }
    let layout = unsafe ContentLayout(className: name, version: opened.version, bytes: Array(content))
    let isLayout = layout.map { !$0.fields.isEmpty } ?? false
    let recognized = isLayout ? ContentLayout.keyspaceName : NamedBuffers.keyspaceName
    if !names.contains(recognized) { setName(recognized, isKnown: true) }
  }

  /// Returns the keyspace in the new store, which is created when its first record is put.
  ///
  /// It keeps its number if that is known, because references contain it.
  private func target(of keyspace: SalvagedKeyspace, _ kind: KeyspaceKind) throws(BackendError) -> KeyspaceID {
    if let targetID { return targetID }
    let id: KeyspaceID
    if let sourceNumber {
      try writer.makeKeyspace(sourceNumber, kind, named: keyspace.name)
      id = sourceNumber
    } else {
      id = try writer.keyspaceID(of: kind, named: keyspace.name)
    }
    targetID = id
    report.keyspaces[report.keyspaces.count - 1].number = Int(id.rawValue)
    report.keyspaces[report.keyspaces.count - 1].isNumberKept = sourceNumber != nil
    return id
  }

  private func endKeyspace() throws(BackendError) {
    guard let keyspace else { return }
    try writer.commit()
    let index = report.keyspaces.count - 1
    let lost = lostRows.rowIDs.filter { !rows.contains($0) }
    report.keyspaces[index].lostRowIDs = Array(lost.prefix(SalvageReport.rowLimit))
    report.keyspaces[index].damagedCount = lost.count
    if keyspace.kind == .rows { try keepRowIDs(of: keyspace) }
    self.keyspace = nil
  }

  /// Reserves all used row ids of a class, including those of lost rows, so that references to lost rows stay dangling.
  private func keepRowIDs(of keyspace: SalvagedKeyspace) throws(BackendError) {
    let last = max(highestRowID, keyspace.nextRowID - 1)
    if let targetID { return try writer.reserveRows(through: last, of: targetID) }
    // No row of the class was saved. Its number is reserved as well, if it is certain.
    guard keyspace.isNameKnown, sourceNumber != nil else { return }
    try writer.putNoRows(through: max(last, 1), in: target(of: keyspace, .rows))
  }

  // MARK: Records

  /// Puts a record into the new store; returns false if the bytes are not a sound record.
  private func keep(_ record: SalvagedRecord) throws(BackendError) -> Bool {
    // A skipped index's entries are sound records, although they are not kept.
    guard let keyspace else { return true }
    if keyspace.kind == .tree { return try keepRaw(record, of: keyspace) }
    let key = unsafe [UInt8](record.key)
    let kind: KeyspaceKind = key.isEmpty ? .rows : .keys
    guard keyspace.kind == nil || keyspace.kind == kind, let opened = open(record, key) else { return false }
    // The first record determines the kind.
    self.keyspace?.kind = kind
    if kind == .keys { return try keep(record, key, opened) }
    let targetID = try target(of: keyspace, kind)
    guard rows.insert(record.rowID) else { return true }
    report.keyspaces[report.keyspaces.count - 1].savedCount += 1
    highestRowID = max(highestRowID, record.rowID)
    try unsafe writer.putRow(record.rowID, version: opened.version, content: opened.content, in: targetID)
    return true
  }

  /// Puts a record with a byte key into the new store.
  private func keep(
    _ record: SalvagedRecord, _ key: [UInt8], _ opened: RecordEnvelope.Opened
  ) throws(BackendError) -> Bool {
    var buffer = unsafe (name: String(decoding: key, as: UTF8.self), content: opened.content)
    if isSealed(record) {
      do throws(DataBufferError) {
        unsafe buffer = try nameAndContent(ofBuffer: opened.content)
      } catch {
        throw BackendError(.damaged, "A named buffer has no name: \(error)")
      }
    }
    unsafe recognize(buffer.name, opened, buffer.content)
    guard let keyspace else { return true }
    let targetID = try target(of: keyspace, .keys)
    guard keys.insert(key).inserted else { return true }
    report.keyspaces[report.keyspaces.count - 1].savedCount += 1
    try unsafe writer.putBuffer(named: buffer.name, version: opened.version, content: buffer.content, in: targetID)
    return true
  }

  /// Puts a record of a tree, which has no envelope, into the new store; returns false if it cannot be trusted.
  private func keepRaw(_ record: SalvagedRecord, of keyspace: SalvagedKeyspace) throws(BackendError) -> Bool {
    let key = unsafe [UInt8](record.key)
    let writer = try writer
    guard record.isVouchedFor, !key.isEmpty, key.count <= writer.backend.limits.keyByteCount else { return false }
    guard keys.insert(key).inserted else { return true }
    try unsafe writer.putEntry(key: record.key, value: record.value, in: target(of: keyspace, .tree))
    report.keyspaces[report.keyspaces.count - 1].savedCount += 1
    return true
  }

  /// Returns whether the record must be sealed to be accepted.
  private func isSealed(_ record: SalvagedRecord) -> Bool {
    guard sealer != nil else { return false }
    let isPlain = unsafe RecordEnvelope.Format.ofPlain(record.value.first) != nil
    return !(mayBePlain && isPlain)
  }

  /// Returns the opened content of a record; nil if it is not sound.
  private func open(_ record: SalvagedRecord, _ key: [UInt8]) -> RecordEnvelope.Opened? {
    if let sealer, isSealed(record) { return openSealed(record, key, sealer) }
    guard let sourceID else {
      // Only the checksums of pages show whether the record is sound.
      return record.isVouchedFor ? unsafe RecordEnvelope.openUnchecked(record.value) : nil
    }
    if let sourceEnvelope {
      if let opened = open(record, key, sourceEnvelope) { return opened }
      // A number from a damaged header may be wrong until a record has confirmed it.
      if targetID != nil || keyspace?.isNameKnown == true { return nil }
    }
    guard guessesLeft > 0 else { return nil }
    guessesLeft -= 1
    // The header of the file is damaged, but a record's check depends on the number of its keyspace.
    for number in 1...(numbers.max() ?? 0) + 1000 where !numbers.contains(number) {
      let envelope = RecordEnvelope(storeID: sourceID, keyspace: KeyspaceID(rawValue: number))
      guard let opened = open(record, key, envelope) else { continue }
      sourceEnvelope = envelope
      sourceNumber = KeyspaceID(rawValue: number)
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
      guard let opened = openSealed(record, key, sealer, of: KeyspaceID(rawValue: number)) else { continue }
      sourceNumber = KeyspaceID(rawValue: number)
      numbers.insert(number)
      return opened
    }
    return nil
  }

  private func openSealed(
    _ record: SalvagedRecord, _ key: [UInt8], _ sealer: Sealer, of number: KeyspaceID
  ) -> RecordEnvelope.Opened? {
    opened.count = 0
    _ = unsafe opened.append(record.value)
    let copy = unsafe UnsafeMutableRawBufferPointer(start: opened.base, count: record.value.count)
    let range = unsafe sealer.open(copy, key: key.isEmpty ? .row(record.rowID) : .name, of: number)
    guard case .success(let range) = range, let version = unsafe copy[range].first else { return nil }
    let content = unsafe UnsafeRawBufferPointer(rebasing: copy[range.dropFirst()])
    return unsafe RecordEnvelope.Opened(version: version, content: content, token: 0)
  }

  private func open(_ record: SalvagedRecord, _ key: [UInt8], _ envelope: RecordEnvelope) -> RecordEnvelope.Opened? {
    guard !key.isEmpty else { return unsafe envelope.openIfSound(record.value, record.rowID) }
    do throws(RecordEnvelopeError) { return unsafe try envelope.open(record.value, key) } catch { return nil }
  }
}

extension SalvagedKeyspace {
  /// Whether the keyspace belongs to an index, or is a tree that may be an index because its name is lost.
  fileprivate var isIndex: Bool {
    if isNameKnown, TextKeyspaceName(name) != nil { return true }
    return kind == .tree && (!isNameKnown || ClassIndex.names(fromKeyspace: name) != nil)
  }
}
