/// A sorted sequence of index keys in a temporary file.
struct KeyRun {
  private var blocks: SpilledBlocks

  /// Writes sorted keys to the file.
  init(_ keys: IndexKeys, to file: SpillFile) throws(BackendError) {
    blocks = SpilledBlocks(in: file)
    let block = ByteArena(capacity: SpilledBlocks.blockByteCount + 4096)
    for entry in keys.entries {
      unsafe Record(entry).append(with: keys.bytes(of: entry), to: block)
      if block.count >= SpilledBlocks.blockByteCount { try blocks.append(block) }
    }
    try blocks.append(block)
  }

  /// The fixed-size fields before each key.
  private struct Record {
    static let byteCount = 24

    var keyByteCount: UInt32 = 0
    var flags: UInt32 = 0
    var rowID: RowID = 0
    var token: UInt64 = 0

    init() {}

    init(_ entry: IndexKeys.Entry) {
      keyByteCount = UInt32(entry.byteCount)
      flags = (entry.endsInRow ? 1 : 0) | (entry.isCut ? 2 : 0)
      (rowID, token) = (entry.rowID, entry.token)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
      unsafe keyByteCount = bytes.loadUnaligned(fromByteOffset: 0, as: UInt32.self)
      unsafe flags = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      unsafe rowID = bytes.loadUnaligned(fromByteOffset: 8, as: RowID.self)
      unsafe token = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    }

    func append(with key: UnsafeRawBufferPointer, to block: ByteArena) {
      unsafe withUnsafeBytes(of: (keyByteCount, flags, rowID, token)) { _ = unsafe block.append($0) }
      _ = unsafe block.append(key)
    }
  }

  /// A reader of the keys of a run, one after another.
  final class Cursor: MergeCursor {
    private var reader: SpilledBlocks.Reader
    private var record = Record()
    /// The eight bytes of the key after the first one, which all keys have in common.
    private(set) var head: UInt64 = 0

    /// Creates a cursor at the first key; nil if there is none.
    init?(_ run: KeyRun) throws(BackendError) {
      reader = SpilledBlocks.Reader(run.blocks)
      guard try advance() else { return nil }
    }

    /// The current key; valid until the next call of ``advance()``.
    var key: UnsafeRawBufferPointer {
      unsafe UnsafeRawBufferPointer(
        start: reader.block.base + reader.offset - Int(record.keyByteCount), count: Int(record.keyByteCount))
    }

    /// Appends the current key to `keys`.
    func append(to keys: inout IndexKeys) {
      unsafe keys.append(
        key, rowID: record.rowID, token: record.token, endsInRow: record.flags & 1 != 0, isCut: record.flags & 2 != 0)
    }

    /// Moves to the next key; returns false at the end.
    func advance() throws(BackendError) -> Bool {
      guard try reader.hasNext() else { return false }
      // The file is authenticated, so the bytes read are those that were written.
      record = unsafe Record(
        UnsafeRawBufferPointer(start: reader.block.base + reader.offset, count: Record.byteCount))
      reader.offset += Record.byteCount + Int(record.keyByteCount)
      head = unsafe KeyHead.head(of: key, from: 1)
      return true
    }

    /// Returns whether the current key sorts before the other cursor's key.
    func isBefore(_ other: Cursor) -> Bool {
      if head != other.head { return head < other.head }
      return unsafe Bytes.order(key, other.key) < 0
    }
  }
}
