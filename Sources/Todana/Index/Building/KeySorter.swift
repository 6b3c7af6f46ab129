/// A sorter of index keys, which uses a temporary file if the keys exceed a memory limit.
struct KeySorter {
  private var keys: IndexKeys
  private let byteLimit: Int
  private var file: SpillFile?
  private var runs: [KeyRun] = []
  /// The total number of keys.
  private(set) var count = 0

  /// Creates a sorter without keys.
  ///
  /// - Parameters:
  ///   - index: The index of the keys.
  ///   - byteLimit: The maximum number of bytes of keys in memory; sorting needs the same amount again.
  init(_ index: ClassIndex, byteLimit: Int) {
    keys = IndexKeys(index)
    self.byteLimit = byteLimit
  }

  /// Adds the keys of an object, whose content must be loaded.
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

  /// Calls the closure with all keys in sorted order, up to `limit` at a time.
  ///
  /// - Throws: ``BackendError``; the errors of `body`.
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
    var merging = MergeHeap(cursors)
    while merging.first != nil {
      while keys.entries.count < limit, let first = merging.first {
        first.append(to: &keys)
        try merging.advance()
      }
      try body(keys.entries[...], keys)
      keys.removeAll()
    }
  }
}
