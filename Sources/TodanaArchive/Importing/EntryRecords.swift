internal import Todana

/// A memory-saving collection of entries without names, encoded as in directory pages and decoded one at a time.
struct EntryRecords {
  typealias Record = BlockArena.Place

  /// The name that is encoded instead of the entry's.
  private static let name = [UInt8(ascii: "-")]
  private static let lengthByteCount = 4

  private var arena = BlockArena()
  private let encoder = Encoder()

  /// A page encoder that keeps its memory between entries.
  private final class Encoder {
    var page = TreePageEncoder()
  }

  mutating func append(_ entry: ArchiveEntry) throws(ArchiveError) -> Record {
    var entry = entry
    entry.file.name = Self.name
    if entry.file.kind == .directory { entry.content = .pages([]) }
    try encoder.page.append(entry)
    let bytes = try encoder.page.finish()
    let length = UInt32(bytes.count)
    return arena.append(
      (0..<Self.lengthByteCount).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) } + bytes)
  }

  /// Decodes the entry of a record.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` if it cannot be decoded, which means that memory was corrupted.
  subscript(record: Record) -> ArchiveEntry {
    get throws(ArchiveError) {
      let length = arena[record, Self.lengthByteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
      let bytes = arena[record, Self.lengthByteCount + length].dropFirst(Self.lengthByteCount)
      var decoder = try TreePageDecoder(Array(bytes), pageRow: .max, after: [])
      guard let entry = try decoder.next() else { throw ArchiveError(.damaged, "An entry is missing.") }
      return entry
    }
  }
}

/// An allocator that stores many small byte sequences in few large blocks.
struct BlockArena {
  /// The position of a byte sequence.
  struct Place: Hashable {
    fileprivate var block: UInt32
    fileprivate var offset: UInt32
  }

  private static let blockByteCount = 1 << 20

  private var blocks: [[UInt8]] = [[]]

  /// Appends bytes, at most 4 GiB in one call.
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

  /// The first `count` bytes of the sequence at a place.
  subscript(place: Place, count: Int) -> ArraySlice<UInt8> {
    blocks[Int(place.block)][Int(place.offset)..<Int(place.offset) + count]
  }
}
