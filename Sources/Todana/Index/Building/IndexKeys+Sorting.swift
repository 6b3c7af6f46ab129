extension IndexKeys {
  /// The number of entries from which sorting uses key heads; fewer are sorted by comparing keys.
  private static let fewEntries = 512

  /// Sorts the entries by their keys.
  ///
  /// Large ranges are also arranged in the arena in this order, so that reading one key after another makes good use of
  /// the processor's cache.
  mutating func sort() { if !isAscending { sort(0..<entries.count, from: 1) } }

  /// Sorts a range of entries whose keys are equal before `offset`.
  ///
  /// A large range is sorted by the next eight bytes, then entries with equal heads by the following bytes.
  private mutating func sort(_ range: Range<Int>, from offset: Int) {
    guard range.count >= Self.fewEntries else { return sortFew(range) }
    var isPastAll = true
    var heads: [KeyHead] = []
    heads.reserveCapacity(range.count)
    for position in range {
      let key = unsafe bytes(of: entries[position])
      if key.count > offset { isPastAll = false }
      heads.append(KeyHead(head: unsafe KeyHead.head(of: key, from: offset), position: position))
    }
    // The keys are equal, or differ only in length.
    if isPastAll { return sortFew(range) }
    if KeyHead.sort(&heads) { arrange(range, as: heads) }
    var start = 0
    while start < heads.count {
      var end = start + 1
      while end < heads.count, heads[end].head == heads[start].head { end += 1 }
      if end > start + 1 { sort(range.lowerBound + start..<range.lowerBound + end, from: offset + 8) }
      start = end
    }
  }

  private mutating func sortFew(_ range: Range<Int>) {
    let isSorted = range.dropFirst().allSatisfy { order(entries[$0 - 1], entries[$0]) <= 0 }
    if isSorted { return }
    let arena = arena
    entries[range].sort { Self.order($0, $1, arena, arena) < 0 }
  }

  /// Arranges entries, and their keys in the arena, in the order of the heads.
  private mutating func arrange(_ range: Range<Int>, as heads: [KeyHead]) {
    let firstOffset = range.reduce(Int.max) { min($0, entries[$1].offset) }
    let keys = ByteArena(capacity: range.reduce(0) { $0 + entries[$1].byteCount })
    var arranged: [Entry] = []
    arranged.reserveCapacity(range.count)
    for head in heads {
      var entry = entries[head.position]
      entry.offset = unsafe firstOffset + keys.append(bytes(of: entry)).lowerBound
      arranged.append(entry)
    }
    // Any bytes between the keys are no longer needed.
    unsafe (arena.base + firstOffset).copyMemory(from: keys.base, byteCount: keys.count)
    if range.count == entries.count {
      entries = arranged
    } else {
      entries.replaceSubrange(range, with: arranged)
    }
  }
}
