/// Keys of an index that went to a temporary file, sorted.
struct KeyRun {
  private var blocks: SpilledBlocks

  /// Writes keys that are sorted.
  init(_ keys: IndexKeys, to file: SpillFile) throws(BackendError) {
    blocks = SpilledBlocks(in: file)
    let block = ByteArena(capacity: SpilledBlocks.blockByteCount + 4096)
    for entry in keys.entries {
      unsafe Record(entry).append(with: keys.bytes(of: entry), to: block)
      if block.count >= SpilledBlocks.blockByteCount { try blocks.append(block) }
    }
    try blocks.append(block)
  }

  /// What stands before each key.
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

  /// Reads the keys of a run, one after the other.
  final class Cursor: MergeCursor {
    private var reader: SpilledBlocks.Reader
    private var record = Record()
    /// The first bytes of the key behind that which all keys begin with.
    private(set) var head: UInt64 = 0

    /// Begins at the first key; nil if there is none.
    init?(_ run: KeyRun) throws(BackendError) {
      reader = SpilledBlocks.Reader(run.blocks)
      guard try advance() else { return nil }
    }

    /// Good until the next call of ``advance()``.
    var key: UnsafeRawBufferPointer {
      unsafe UnsafeRawBufferPointer(
        start: reader.block.base + reader.offset - Int(record.keyByteCount), count: Int(record.keyByteCount))
    }

    /// Adds the key to others.
    func append(to keys: inout IndexKeys) {
      unsafe keys.append(
        key, rowID: record.rowID, token: record.token, endsInRow: record.flags & 1 != 0, isCut: record.flags & 2 != 0)
    }

    /// Goes to the next key; false at the end.
    func advance() throws(BackendError) -> Bool {
      guard try reader.hasNext() else { return false }
      // The file is authenticated: what was written comes back.
      record = unsafe Record(
        UnsafeRawBufferPointer(start: reader.block.base + reader.offset, count: Record.byteCount))
      reader.offset += Record.byteCount + Int(record.keyByteCount)
      head = unsafe KeyHead.head(of: key, from: 1)
      return true
    }

    /// Whether the key stands before another.
    func isBefore(_ other: Cursor) -> Bool {
      if head != other.head { return head < other.head }
      return unsafe Bytes.order(key, other.key) < 0
    }
  }
}
