extension IndexKeys {
  /// Fewer entries than this are sorted by comparing them.
  private static let fewEntries = 512

  /// Orders the entries by their keys.
  ///
  /// The keys stand in the arena in the same order then, so that whoever takes one after another finds them in the
  /// processor's cache.
  mutating func sort() { sort(0..<entries.count, from: 1) }

  /// Orders some entries, whose keys are the same before `offset`: many of them by the next eight bytes, then those that
  /// have these in common.
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
    // They are the same, or differ in length.
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

  /// Puts entries into an order, and their keys, in the memory that these take.
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
    // What stands between the keys, if anything, is of no use any more.
    unsafe (arena.base + firstOffset).copyMemory(from: keys.base, byteCount: keys.count)
    if range.count == entries.count {
      entries = arranged
    } else {
      entries.replaceSubrange(range, with: arranged)
    }
  }
}
