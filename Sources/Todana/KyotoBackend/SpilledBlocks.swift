/// Blocks of records in a temporary file, read in the order in which they were written.
struct SpilledBlocks {
  private let file: SpillFile
  private var blocks: [(position: UInt64, byteCount: Int)] = []

  /// The number of bytes after which a block is written.
  static let blockByteCount = 64 << 10

  init(in file: SpillFile) { self.file = file }

  /// Writes a block to the file, and empties the block.
  mutating func append(_ block: ByteArena) throws(BackendError) {
    guard block.count > 0 else { return }
    blocks.append((try unsafe file.append(block.bytes), block.count))
    block.count = 0
  }

  /// A reader of the blocks, one after another.
  struct Reader {
    private let blocks: SpilledBlocks
    private var nextBlock = 0
    let block = ByteArena()
    /// The position of the next record in ``block``, which the caller advances.
    var offset = 0

    init(_ blocks: SpilledBlocks) { self.blocks = blocks }

    /// Returns whether there is another record; reads the next block if all of this one is used.
    mutating func hasNext() throws(BackendError) -> Bool {
      if offset < block.count { return true }
      guard nextBlock < blocks.blocks.count else { return false }
      let (position, byteCount) = blocks.blocks[nextBlock]
      nextBlock += 1
      block.reserve(byteCount)
      try unsafe blocks.file.read(position, into: UnsafeMutableRawBufferPointer(start: block.base, count: byteCount))
      block.count = byteCount
      offset = 0
      return true
    }
  }
}
