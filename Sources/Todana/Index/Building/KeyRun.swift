/// Keys of an index that went to a temporary file, sorted.
struct KeyRun {
  private let file: SpillFile
  private var blocks: [(position: UInt64, byteCount: Int)] = []

  private static let blockByteCount = 64 << 10

  /// Writes keys that are sorted.
  init(_ keys: IndexKeys, to file: SpillFile) throws(BackendError) {
    self.file = file
    let block = ByteArena(capacity: Self.blockByteCount + 4096)
    for entry in keys.entries {
      unsafe Record(entry).append(with: keys.bytes(of: entry), to: block)
      if block.count >= Self.blockByteCount { try write(block) }
    }
    if block.count > 0 { try write(block) }
  }

  private mutating func write(_ block: ByteArena) throws(BackendError) {
    blocks.append((try unsafe file.append(block.bytes), block.count))
    block.count = 0
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
    private let run: KeyRun
    private var nextBlock = 0
    private let block = ByteArena()
    private var offset = 0
    private var record = Record()
    /// The first bytes of the key behind that which all keys begin with.
    private(set) var head: UInt64 = 0

    /// At the first key; nil where there is none.
    init?(_ run: KeyRun) throws(BackendError) {
      self.run = run
      guard try advance() else { return nil }
    }

    /// Good until the next call of ``advance()``.
    var key: UnsafeRawBufferPointer {
      unsafe UnsafeRawBufferPointer(
        start: block.base + offset - Int(record.keyByteCount), count: Int(record.keyByteCount))
    }

    /// Adds the key to others.
    func append(to keys: inout IndexKeys) {
      unsafe keys.append(
        key, rowID: record.rowID, token: record.token, endsInRow: record.flags & 1 != 0, isCut: record.flags & 2 != 0)
    }

    /// Goes to the next key; false at the end.
    func advance() throws(BackendError) -> Bool {
      if offset == block.count {
        guard nextBlock < run.blocks.count else { return false }
        let (position, byteCount) = run.blocks[nextBlock]
        nextBlock += 1
        block.reserve(byteCount)
        try unsafe run.file.read(position, into: UnsafeMutableRawBufferPointer(start: block.base, count: byteCount))
        block.count = byteCount
        offset = 0
      }
      // The file is authenticated: what was written comes back.
      record = unsafe Record(UnsafeRawBufferPointer(start: block.base + offset, count: Record.byteCount))
      offset += Record.byteCount + Int(record.keyByteCount)
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
