/// The sort keys of many rows, with their bytes in one block of memory.
struct RowKeys {
  private var places: [RowID: Place] = [:]
  private var arena: ByteArena
  /// The number of bytes in the arena that no longer belong to a row.
  private var unusedByteCount = 0

  private struct Place {
    var offset: Int
    var byteCount: Int32
  }

  init() { arena = ByteArena(capacity: 0) }

  /// Takes over the keys of sorted rows, with their memory.
  init(of sorted: SortedRows) {
    arena = sorted.arena
    places = Dictionary(minimumCapacity: sorted.rows.count)
    for row in sorted.rows { places[row.rowID] = Place(offset: row.offset, byteCount: Int32(row.byteCount)) }
  }

  /// The key of a row; nil if it has none.
  subscript(rowID: RowID) -> [UInt8]? {
    places[rowID].map { place in unsafe Array(bytes(place)) }
  }

  /// Compares a row's key, or an empty key if it has none, with another key; returns a negative number, 0 or a positive
  /// number.
  func order(_ rowID: RowID, _ key: [UInt8]) -> Int {
    guard let place = places[rowID] else { return key.isEmpty ? 0 : -1 }
    return unsafe key.withUnsafeBytes { key in unsafe Bytes.order(bytes(place), key) }
  }

  /// Adds the key of a row that has none.
  mutating func insert(_ key: [UInt8], of rowID: RowID) {
    let range = unsafe key.withUnsafeBytes { key in unsafe arena.append(key) }
    places[rowID] = Place(offset: range.lowerBound, byteCount: Int32(key.count))
  }

  mutating func remove(_ rowID: RowID) {
    guard let place = places.removeValue(forKey: rowID) else { return }
    unusedByteCount += Int(place.byteCount)
    if unusedByteCount > max(1 << 16, arena.count / 2) { compact() }
  }

  private mutating func compact() {
    let kept = ByteArena(capacity: arena.count - unusedByteCount)
    places = places.mapValues { place in
      Place(offset: unsafe kept.append(bytes(place)).lowerBound, byteCount: place.byteCount)
    }
    arena = kept
    unusedByteCount = 0
  }

  private func bytes(_ place: Place) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: arena.bytes[place.offset..<place.offset + Int(place.byteCount)])
  }
}
