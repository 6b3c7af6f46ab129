internal import Synchronization
internal import Todana

/// Decompresses content, and compares its hash with its name.
///
/// Not thread-safe: each thread has its own.
final class ContentChecker {
  /// The reason for rows that are not read now but are noted as damaged.
  static let knownDamage = ArchiveError(.damaged, "It was damaged when last read.")

  private let content: ContentStore
  private let namer: KeyedHash
  private let share: Double
  private var generator = SystemRandomNumberGenerator()

  /// Creates a checker.
  ///
  /// - Parameters:
  ///   - content: The content store of this thread.
  ///   - key: The key of the archive.
  ///   - share: The share of the rows to read, from 0 to 1.
  /// - Throws: ``ArchiveError/Code/cryptography``.
  init(_ content: ContentStore, _ key: ArchiveKey, share: Double = 1) throws {
    self.content = content
    self.share = share
    namer = try key.makeNamer()
  }

  func checkContents(_ queue: RowQueue, _ checked: CheckedRows, _ isStopped: () -> Bool) throws {
    try check(StoredContent.self, queue, checked, isStopped) { stored in
      try check(stored.compressed, stored.name)
      return Int64(stored.compressed.byteCount)
    }
  }

  func checkPages(_ queue: RowQueue, _ checked: CheckedRows, _ isStopped: () -> Bool) throws {
    try check(StoredTreePage.self, queue, checked, isStopped) { stored in
      try check(stored.compressed, stored.name)
      return 0
    }
  }

  /// Checks the small files of sound groups; the other small files count as damaged.
  ///
  /// If no content is read, a small file counts as sound unless it is noted as damaged.
  func checkSmallFiles(
    _ queue: RowQueue, _ checked: CheckedRows, in groups: CheckedRows, readsContent: Bool, _ isStopped: () -> Bool
  ) throws {
    var group: (row: RowID, bytes: [UInt8])?
    try check(StoredSmallFile.self, queue, checked, isStopped) { stored in
      guard readsContent else {
        if let row = stored.id?.rowID, try content.damage.isLost(.init(kind: .smallFile, row: row)) {
          throw Self.knownDamage
        }
        return 0
      }
      guard try isSound(stored.group, groups) else { throw ArchiveError(.damaged, "Its group is damaged.") }
      if group?.row != stored.group { group = (stored.group, try content.bytes(stored.group)) }
      let end = stored.offset + stored.byteCount
      guard let bytes = group?.bytes, end <= bytes.count else {
        throw ArchiveError(.damaged, "It is beyond the end of its group.")
      }
      try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
        try unsafe compare(.init(rebasing: bytes[stored.offset..<end]), with: stored.name)
      }
      return 0
    }
  }

  /// Tests whether a group or its replacement is sound.
  private func isSound(_ group: RowID, _ groups: CheckedRows) throws -> Bool {
    try groups.isSound(group)
      || content.damage.current(.init(kind: .content, row: group)).map { groups.isSound($0) } ?? false
  }

  private func check<T: NamedObject>(
    _ type: T.Type, _ queue: RowQueue, _ checked: CheckedRows, _ isStopped: () -> Bool,
    _ body: (T) throws -> Int64
  ) throws {
    while let rows = queue.take() {
      if isStopped() { return }
      var sound: [RowID] = []
      var readCount = 0
      var byteCount: Int64 = 0
      for row in rows {
        do {
          // Rows outside the sample count as sound, unless they are noted as damaged.
          if share < 1, Double.random(in: 0..<1, using: &generator) >= share {
            if try content.damage.isLost(.init(kind: T.kind, row: row)) { throw Self.knownDamage }
            sound.append(row)
            continue
          }
          guard let id = try content.id(type, row), let object = try content.store.fetch(id) else { continue }
          byteCount += try body(object)
          sound.append(row)
          readCount += 1
        } catch let error as StoreError where ContentStore.isDamage(error) {
          checked.add(damaged: row, error.message)
        } catch let error as ArchiveError where error.code == .damaged {
          checked.add(damaged: row, error.message)
        }
      }
      checked.add(sound: sound, readCount: readCount, byteCount: byteCount)
    }
  }

  private func check(_ compressed: CompressedBytes, _ name: ContentName) throws {
    try unsafe content.withContent(of: compressed) { bytes in try unsafe compare(bytes, with: name) }
  }

  private func compare(_ bytes: UnsafeRawBufferPointer, with name: ContentName) throws(ArchiveError) {
    guard try unsafe namer.name(of: bytes) == name else {
      throw ArchiveError(.damaged, "Its content does not match its name.")
    }
  }
}

/// The sound and damaged rows of a class.
///
/// Thread-safe.
final class CheckedRows: Sendable {
  private struct State {
    var sound = RowSet()
    var damaged: [RowID: String] = [:]
    var readCount = 0
    var byteCount: Int64 = 0
  }

  private let state = Mutex(State())

  /// Adds sound rows.
  ///
  /// - Parameters:
  ///   - rows: The rows that are sound or count as sound.
  ///   - readCount: The number of them that were read.
  ///   - byteCount: The number of their content bytes.
  func add(sound rows: [RowID], readCount: Int, byteCount: Int64) {
    state.withLock { state in
      for row in rows { _ = state.sound.insert(row) }
      state.readCount += readCount
      state.byteCount += byteCount
    }
  }

  /// Whether a row is sound or damaged; one that is neither has no record.
  func isKnown(_ row: RowID) -> Bool { state.withLock { $0.sound.contains(row) || $0.damaged[row] != nil } }

  func add(damaged row: RowID, _ reason: String) { state.withLock { $0.damaged[row] = reason } }

  func isSound(_ row: RowID) -> Bool { state.withLock { $0.sound.contains(row) } }

  /// The number of sound rows that were read.
  var readCount: Int { state.withLock { $0.readCount } }
  var byteCount: Int64 { state.withLock { $0.byteCount } }
  var damaged: [(row: RowID, reason: String)] {
    state.withLock { $0.damaged.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}

/// Distributes the rows of a class among several threads, in small ranges.
final class RowQueue: Sendable {
  private static let batchCount: RowID = 16

  private let next: Atomic<RowID>
  private let end: RowID

  /// Creates a queue of the rows from 1 up to, but not including, `end`.
  init(end: RowID) {
    next = Atomic(1)
    self.end = end
  }

  /// Returns the next rows, some of which may not exist; nil if none are left.
  func take() -> Range<RowID>? {
    let start = next.add(Self.batchCount, ordering: .relaxed).oldValue
    return start < end ? start..<min(start + Self.batchCount, end) : nil
  }
}
