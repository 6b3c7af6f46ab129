/// Memory for many small byte sequences in few large blocks.
struct BlockArena {
  /// The place of a byte sequence.
  struct Place: Hashable {
    fileprivate var block: UInt32
    fileprivate var offset: UInt32
  }

  private static let blockByteCount = 1 << 20

  private var blocks: [[UInt8]] = [[]]

  /// Appends bytes, at most 4 GiB at once.
  mutating func append(_ bytes: some Collection<UInt8>) -> Place {
    let last = blocks.count - 1
    if blocks[last].isEmpty || blocks[last].count + bytes.count <= Self.blockByteCount {
      let place = Place(block: UInt32(last), offset: UInt32(blocks[last].count))
      blocks[last].append(contentsOf: bytes)
      return place
    }
    var block: [UInt8] = []
    block.reserveCapacity(max(Self.blockByteCount, bytes.count))
    block.append(contentsOf: bytes)
    blocks.append(block)
    return Place(block: UInt32(last + 1), offset: 0)
  }

  /// The first bytes of the sequence at a place.
  subscript(place: Place, count: Int) -> ArraySlice<UInt8> {
    blocks[Int(place.block)][Int(place.offset)..<Int(place.offset) + count]
  }
}
