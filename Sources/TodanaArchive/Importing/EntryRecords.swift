internal import Todana

/// Entries without their names, packed as the pages of directories have them, to be decoded one at a time.
struct EntryRecords {
  typealias Record = BlockArena.Place

  /// What stands in the place of a name.
  private static let name = [UInt8(ascii: "-")]
  private static let lengthByteCount = 4

  private var arena = BlockArena()
  private let encoder = Encoder()

  /// Keeps its memory between entries.
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

  /// - Throws: ``ArchiveError/Code/damaged`` where memory is not what it was.
  subscript(record: Record) -> ArchiveEntry {
    get throws(ArchiveError) {
      let length = arena[record, Self.lengthByteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
      let bytes = arena[record, Self.lengthByteCount + length].dropFirst(Self.lengthByteCount)
      var decoder = try TreePageDecoder(Array(bytes), pageRow: .max, after: [])
      guard let entry = try decoder.next() else { throw ArchiveError(.damaged, "An entry is not there any more.") }
      return entry
    }
  }
}
