/// The data of one entry of a tar, without its holes, as they come.
struct TarData {
  private let reader: TarReader
  private var piece: ArraySlice<UInt8> = []
  /// Where data were, as far as they were read; none of them touches the next.
  private var ranges: [Range<Int64>] = []

  init(_ reader: TarReader) { self.reader = reader }

  /// Fills some of the memory; 0: there is nothing more.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
    if piece.isEmpty {
      guard let next = try next() else { return 0 }
      piece = next[...]
    }
    let count = min(piece.count, buffer.count)
    unsafe buffer.copyBytes(from: piece.prefix(count))
    piece = piece.dropFirst(count)
    return count
  }

  /// All that there is, of a file that fits into memory.
  mutating func readAll() throws(ArchiveError) -> [UInt8] {
    var all = try next() ?? []
    while let next = try next() { all += next }
    return all
  }

  private mutating func next() throws(ArchiveError) -> [UInt8]? {
    guard let (offset, bytes) = try reader.readData() else { return nil }
    let end = offset + Int64(bytes.count)
    if let last = ranges.last, last.upperBound == offset {
      ranges[ranges.count - 1] = last.lowerBound..<end
    } else {
      ranges.append(offset..<end)
    }
    return bytes
  }

  /// Where a file of that length has data, as archives say it: none where it has no holes.
  func extents(byteCount: Int64) -> [Range<Int64>] {
    if byteCount == 0 || ranges == [0..<byteCount] { return [] }
    // What is a hole to its end says so.
    return ranges.isEmpty ? [byteCount..<byteCount] : ranges
  }
}
