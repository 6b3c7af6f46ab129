/// A sorter of entries by the bytes of their keys, in memory; if they are too large, in a temporary file.
///
/// Used by one thread at a time.
package final class EntrySorter {
  /// The maximum number of bytes of entries in memory.
  private let byteLimit: Int
  /// -1 for descending order, else 1.
  private let direction: Int
  private var arena = ByteArena()
  private var entries: [EntryPlace] = []
  private var file: SpillFile?
  private var runs: [EntryRun] = []
  private var merging: MergeHeap<EntryRun.Cursor>?
  private var position = 0
  private var hasTaken = false

  package init(descending: Bool = false, byteLimit: Int = 8 << 20) {
    self.byteLimit = byteLimit
    direction = descending ? -1 : 1
  }

  /// Adds an entry, and writes all entries in memory to a file if they exceed ``byteLimit``.
  func append(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) throws(BackendError) {
    try unsafe append(key: arena.append(key), value: value)
  }

  /// Adds an entry, and writes all entries in memory to a file if they exceed ``byteLimit``.
  package func append(key: [UInt8], value: UnsafeRawBufferPointer) throws(BackendError) {
    try unsafe append(key: arena.append(key), value: value)
  }

  private func append(key: Range<Int>, value: UnsafeRawBufferPointer) throws(BackendError) {
    let valueRange = unsafe arena.append(value)
    entries.append(EntryPlace(key: key, valueByteCount: valueRange.count))
    if arena.count > byteLimit { try spill() }
  }

  /// Ends the adding of entries; from then on ``next()`` returns them in order.
  package func finish() throws(BackendError) {
    guard !runs.isEmpty else { return sort() }
    if !entries.isEmpty { try spill() }
    var cursors: [EntryRun.Cursor] = []
    for run in runs {
      if let cursor = try EntryRun.Cursor(run, direction: direction) { cursors.append(cursor) }
    }
    merging = MergeHeap(cursors)
  }

  /// Returns the next entry in the order of keys; nil at the end.
  ///
  /// Its bytes are valid until the next call.
  package func next() throws(BackendError) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    if merging != nil {
      if hasTaken { try merging?.advance() }
      hasTaken = true
      guard let first = merging?.first else { return nil }
      return unsafe (first.key, first.value)
    }
    guard position < entries.count else { return nil }
    defer { position += 1 }
    let place = entries[position]
    return unsafe (arena.bytes(in: place.key), arena.bytes(in: place.value))
  }

  private func sort() {
    let (arena, direction) = (arena, direction)
    entries.sort { unsafe Bytes.order(arena.bytes(in: $0.key), arena.bytes(in: $1.key)) * direction < 0 }
  }

  private func spill() throws(BackendError) {
    let file = if let file { file } else { try SpillFile() }
    self.file = file
    sort()
    runs.append(try EntryRun(entries, in: arena, to: file))
    entries.removeAll(keepingCapacity: true)
    arena.count = 0
  }
}

/// The position of an entry in an arena: its key, directly followed by its value.
struct EntryPlace {
  var key: Range<Int>
  var valueByteCount: Int

  var value: Range<Int> { key.upperBound..<key.upperBound + valueByteCount }
}

/// A sorted sequence of entries in a temporary file.
struct EntryRun {
  private var blocks: SpilledBlocks

  /// The size of the head of an entry: the lengths of key and value.
  private static let headByteCount = 16

  /// Writes sorted entries to a file.
  init(_ entries: [EntryPlace], in arena: ByteArena, to file: SpillFile) throws(BackendError) {
    blocks = SpilledBlocks(in: file)
    let block = ByteArena(capacity: SpilledBlocks.blockByteCount + 4096)
    for entry in entries {
      unsafe withUnsafeBytes(of: (entry.key.count, entry.valueByteCount)) { _ = unsafe block.append($0) }
      _ = unsafe block.append(arena.bytes(in: entry.key.lowerBound..<entry.value.upperBound))
      if block.count >= SpilledBlocks.blockByteCount { try blocks.append(block) }
    }
    try blocks.append(block)
  }

  /// A reader of a run's entries, one after another.
  final class Cursor: MergeCursor {
    private var reader: SpilledBlocks.Reader
    private let direction: Int
    private var place = EntryPlace(key: 0..<0, valueByteCount: 0)

    /// Begins at the first entry; nil if there is none.
    init?(_ run: EntryRun, direction: Int) throws(BackendError) {
      reader = SpilledBlocks.Reader(run.blocks)
      self.direction = direction
      guard try advance() else { return nil }
    }

    /// The key of the current entry; valid until the next call of ``advance()``, as is the value.
    var key: UnsafeRawBufferPointer { unsafe reader.block.bytes(in: place.key) }
    var value: UnsafeRawBufferPointer { unsafe reader.block.bytes(in: place.value) }

    func advance() throws(BackendError) -> Bool {
      guard try reader.hasNext() else { return false }
      // The file is authenticated, so the numbers are the written ones.
      let (keyByteCount, valueByteCount) =
        unsafe (reader.block.base + reader.offset).loadUnaligned(as: (Int, Int).self)
      let start = reader.offset + EntryRun.headByteCount
      place = EntryPlace(key: start..<start + keyByteCount, valueByteCount: valueByteCount)
      reader.offset = place.value.upperBound
      return true
    }

    func isBefore(_ other: Cursor) -> Bool { unsafe Bytes.order(key, other.key) * direction < 0 }
  }
}

extension ByteArena {
  /// Returns a part of the bytes in use; valid until the next call that may grow the arena.
  fileprivate func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
  }
}
