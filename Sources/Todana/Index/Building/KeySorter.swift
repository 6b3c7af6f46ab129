/// Sorts keys of an index: in memory, and where they are more than that may take, by way of a temporary file.
struct KeySorter {
  private var keys: IndexKeys
  private let byteLimit: Int
  private var file: SpillFile?
  private var runs: [KeyRun] = []
  /// Keys in all.
  private(set) var count = 0

  /// - Parameters:
  ///   - index: What the keys are of.
  ///   - byteLimit: Of keys that are in memory at a time; sorting takes as much again.
  init(_ index: ClassIndex, byteLimit: Int) {
    keys = IndexKeys(index)
    self.byteLimit = byteLimit
  }

  /// Adds the keys of an object, whose content is loaded.
  mutating func append(_ object: StoredObject, rowID: RowID, token: UInt64) throws {
    let first = keys.entries.count
    try keys.append(object, rowID: rowID, token: token)
    count += keys.entries.count - first
    if keys.byteCount > byteLimit { try spill() }
  }

  private mutating func spill() throws(BackendError) {
    let file = if let file { file } else { try SpillFile() }
    self.file = file
    keys.sort()
    runs.append(try KeyRun(keys, to: file))
    keys.removeAll()
  }

  /// Calls back with all keys in their order, so many at a time.
  ///
  /// - Throws: ``BackendError``; what `body` throws.
  consuming func forEach(_ limit: Int, _ body: (ArraySlice<IndexKeys.Entry>, IndexKeys) throws -> Void) throws {
    if runs.isEmpty {
      keys.sort()
      for start in stride(from: 0, to: keys.entries.count, by: limit) {
        try body(keys.entries[start..<min(start + limit, keys.entries.count)], keys)
      }
      return
    }
    try spill()
    keys = IndexKeys(keys.index)
    var cursors: [KeyRun.Cursor] = []
    for run in runs {
      if let cursor = try KeyRun.Cursor(run) { cursors.append(cursor) }
    }
    var merging = KeyMerging(cursors)
    while try merging.next(limit, &keys) {
      try body(keys.entries[...], keys)
      keys.removeAll()
    }
  }
}

/// Takes keys from several runs in the order of all.
private struct KeyMerging {
  /// A heap: none stands before the one in half its place.
  private var cursors: [KeyRun.Cursor]

  init(_ cursors: [KeyRun.Cursor]) {
    self.cursors = cursors
    for position in (0..<cursors.count / 2).reversed() { sink(from: position) }
  }

  /// Adds so many keys to others; false where there are no more.
  mutating func next(_ limit: Int, _ keys: inout IndexKeys) throws(BackendError) -> Bool {
    for _ in 0..<limit {
      guard let first = cursors.first else { break }
      first.append(to: &keys)
      if try !first.advance() {
        cursors.swapAt(0, cursors.count - 1)
        cursors.removeLast()
      }
      sink(from: 0)
    }
    return !keys.entries.isEmpty
  }

  private mutating func sink(from position: Int) {
    var position = position
    while true {
      var least = position
      for child in 2 * position + 1...2 * position + 2
      where child < cursors.count && cursors[child].isBefore(cursors[least]) {
        least = child
      }
      if least == position { return }
      cursors.swapAt(position, least)
      position = least
    }
  }
}
