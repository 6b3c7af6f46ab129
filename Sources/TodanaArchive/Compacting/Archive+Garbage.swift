internal import Todana

/// The content that no snapshot needs any more, and that a compaction would remove.
public struct ArchiveGarbage: Sendable {
  /// The number of unneeded chunks of large files, and of groups without a needed small file.
  public var contents = 0
  public var smallFiles = 0
  public var pages = 0
  /// The number of groups of small files that are less than half in use, and would be joined.
  public var sparseGroups = 0
  /// The stored bytes of the garbage; the unused part of ``sparseGroups`` is an estimate.
  public var byteCount: Int64 = 0

  init() {}
}

extension Archive {
  /// Counts the rows that ``compact(progress:)`` would remove; changes nothing.
  ///
  /// - Parameter progress: Called repeatedly; throws to cancel.
  /// - Returns: The counts.
  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read; errors of `progress`; `StoreError`.
  public func garbage(progress: () throws -> Void = {}) throws -> ArchiveGarbage {
    var garbage = ArchiveGarbage()
    let live = try LiveRows(try snapshots(), of: content, progress)
    let groups = try countSmallFiles(live, &garbage, progress)
    for row in try rows(of: StoredContent.self) where !live.contents.contains(row) {
      try progress()
      guard let stored = try content.soundObject(StoredContent.self, row) else { continue }
      garbage.add(stored, use: groups[row]?.byteCount)
    }
    for row in try rows(of: StoredTreePage.self) where !live.pages.contains(row) {
      try progress()
      guard let page = try content.soundObject(StoredTreePage.self, row) else { continue }
      garbage.pages += 1
      garbage.byteCount += Int64(page.compressed.bytes.count)
    }
    return garbage
  }

  private func countSmallFiles(
    _ live: LiveRows, _ garbage: inout ArchiveGarbage, _ progress: () throws -> Void
  ) throws -> GroupUses {
    var groups = GroupUses()
    try store.forEach(StoredSmallFile.self, onDamage: .report { _ in }) { file, _ in
      try progress()
      guard let row = file.id?.rowID else { return }
      if live.smallFiles.contains(row) { groups.add(file.byteCount, to: file.group) } else { garbage.smallFiles += 1 }
    }
    return groups
  }

  private func rows(of type: StoredObject.Type) throws -> Range<RowID> {
    1..<max(1, try store.catalog[type]?.nextRowID ?? 1)
  }
}

extension ArchiveGarbage {
  /// Counts content that no file needs as a chunk; `use` is the number of its bytes that belong to needed small files,
  /// or nil if there are none.
  fileprivate mutating func add(_ stored: StoredContent, use: Int?) {
    let storedByteCount = Int64(stored.compressed.bytes.count)
    guard let use else {
      contents += 1
      byteCount += storedByteCount
      return
    }
    let whole = stored.compressed.byteCount
    guard use * 2 < whole else { return }
    sparseGroups += 1
    byteCount += storedByteCount * Int64(whole - use) / Int64(whole)
  }
}
