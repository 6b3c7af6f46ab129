internal import Todana

/// The rows that snapshots need: all that can be reached from them.
struct LiveRows {
  private(set) var contents = RowSet()
  private(set) var smallFiles = RowSet()
  private(set) var pages = RowSet()

  /// Walks all snapshots, and reads each page once.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` if a page cannot be read: the rows that it refers to are then unknown.
  init(_ snapshots: [Snapshot], of content: ContentStore, _ check: () throws -> Void) throws {
    var pending: [RowID] = []
    for snapshot in snapshots {
      insert(.pages(snapshot.pages), &pending)
      insert(try content.current(.pages(snapshot.pages)), &pending)
      while let row = pending.popLast() {
        try check()
        var reader = DirectoryReader([row], of: content)
        while let entry = try reader.next() {
          insert(entry.content, &pending)
          // The replacements of damaged rows are needed, too.
          let current = try content.current(entry.content)
          if current != entry.content { insert(current, &pending) }
        }
      }
    }
  }

  private mutating func insert(_ content: ArchiveEntry.Content, _ pending: inout [RowID]) {
    switch content {
    case .none: break
    case .small(let row): _ = smallFiles.insert(row)
    case .chunks(let rows): for row in rows { _ = contents.insert(row) }
    case .pages(let rows): for row in rows where pages.insert(row) { pending.append(row) }
    }
  }
}

/// The number of needed bytes and files of each group of small files.
struct GroupUses {
  struct Use {
    var byteCount = 0
    var fileCount = 0
  }

  private var uses: [RowID: Use] = [:]

  subscript(group: RowID) -> Use? { uses[group] }

  mutating func add(_ byteCount: Int, to group: RowID) {
    uses[group, default: Use()].byteCount += byteCount
    uses[group, default: Use()].fileCount += 1
  }
}
