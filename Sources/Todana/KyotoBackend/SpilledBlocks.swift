/// Records in a temporary file, in blocks: written in order, and read in that order.
struct SpilledBlocks {
  private let file: SpillFile
  private var blocks: [(position: UInt64, byteCount: Int)] = []

  /// The bytes after which a block is written.
  static let blockByteCount = 64 << 10

  init(in file: SpillFile) { self.file = file }

  /// Writes a block, and empties it.
  mutating func append(_ block: ByteArena) throws(BackendError) {
    guard block.count > 0 else { return }
    blocks.append((try unsafe file.append(block.bytes), block.count))
    block.count = 0
  }

  /// Reads the blocks, one after the other.
  struct Reader {
    private let blocks: SpilledBlocks
    private var nextBlock = 0
    let block = ByteArena()
    /// The place of the next record in ``block``, for the caller to move on.
    var offset = 0

    init(_ blocks: SpilledBlocks) { self.blocks = blocks }

    /// Reads the next block if all of this one is used; false at the end.
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
