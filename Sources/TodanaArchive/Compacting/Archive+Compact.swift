internal import Foundation
internal import Todana

/// The result of a compaction.
public struct CompactResult: Sendable {
  /// The number of removed contents: chunks and groups that no snapshot needed any more.
  public var removedContents = 0
  public var removedSmallFiles = 0
  public var removedPages = 0
  /// The number of groups that were less than half in use, and whose files were moved to new groups.
  public var rewrittenGroups = 0
  /// A description of the damage that prevented compacting a file of the store; nil if there was none.
  public var keptDamage: String?
  /// The bytes of the archive's files before the compaction, without logs.
  public var byteCountBefore: Int64 = 0
  public var byteCountAfter: Int64 = 0

  init() {}
}

extension Archive {
  /// Removes content that no snapshot needs any more, and returns its disk space to the system.
  ///
  /// Groups of small files that are less than half in use are joined. Damaged rows stay where they are. If an error, a
  /// power failure or `progress` interrupts the compaction, the steps done so far are kept. Snapshots are complete at
  /// any time.
  ///
  /// - Parameter progress: Called repeatedly with a description of the current step; throws to cancel.
  /// - Returns: The numbers of removed rows, and the sizes before and after.
  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read, and the content that it needs is unknown:
  ///   nothing is removed then. ``ArchiveError/Code/noSpace`` if the disk has no room for the log of the removal;
  ///   errors of `progress`; `StoreError`.
  public func compact(progress: (String) throws -> Void = { _ in }) throws -> CompactResult {
    try content.buildIndexes { try progress("building indexes") }
    var result = CompactResult()
    result.byteCountBefore = diskByteCount
    let live = try LiveRows(try snapshots(), of: content) { try progress("finding content in use") }
    do {
      var groups = try removeSmallFiles(live, &result, progress)
      try removeContents(live, &groups, &result, progress)
      try removePages(live, &result, progress)
    } catch let error as StoreError where error.backendError?.code == .noSpace {
      throw ArchiveError(.noSpace, missingRoomText, underlying: error)
    }
    result.keptDamage = try compactFiles(progress)
    try store.backend.operations?.checkpoint()
    result.byteCountAfter = diskByteCount
    return result
  }

  /// The disk space that the log of a compaction needs, in bytes.
  private static let neededRoom = 6 << 20

  private var missingRoomText: String {
    let missing = max(64 << 10, Self.neededRoom - (DiskRoom(path: path).freeByteCount ?? 0))
    return "Compacting needs \(Self.neededRoom >> 10) KiB of disk space for its log: "
      + "free \((missing + 1023) >> 10) KiB more, and compact again."
  }

  /// Compacts the files of the store, which returns the space of removed rows.
  ///
  /// - Returns: A description of the damage that prevented compacting a file; nil if there was none.
  private func compactFiles(_ progress: (String) throws -> Void) throws -> String? {
    var failure: (any Error)?
    var damage: String?
    do throws(StoreError) {
      _ = try store.compact { step in
        do {
          try progress("Compacting \(step.className ?? "names"): \(Int(step.fractionCompleted * 100)) %")
          return true
        } catch {
          failure = error
          return false
        }
      }
    } catch {
      guard ContentStore.isDamage(error) else { throw error }
      damage = "\(error)"
    }
    if let failure { throw failure }
    return damage
  }

  private static let batchCount = 1000
  /// The number of small files after which sparse groups are rewritten: each rewriting scans all small files.
  private static let rewrittenFileCount = 1 << 20

  private func removeSmallFiles(
    _ live: LiveRows, _ result: inout CompactResult, _ progress: (String) throws -> Void
  ) throws -> GroupUses {
    var groups = GroupUses()
    var dead: [StoredSmallFile] = []
    try store.forEach(StoredSmallFile.self, onDamage: .report { _ in }) { file, _ in
      guard let row = file.id?.rowID else { return }
      if live.smallFiles.contains(row) { return groups.add(file.byteCount, to: file.group) }
      dead.append(file)
      guard dead.count >= Self.batchCount else { return }
      try progress("removing small files")
      try remove(&dead, &result.removedSmallFiles)
    }
    try remove(&dead, &result.removedSmallFiles)
    return groups
  }

  private func removeContents(
    _ live: LiveRows, _ groups: inout GroupUses, _ result: inout CompactResult, _ progress: (String) throws -> Void
  ) throws {
    var dead: [StoredContent] = []
    var byteCount = 0
    var sparse: [RowID] = []
    var fileCount = 0
    func removeDead() throws {
      try progress("removing content")
      try remove(&dead, &result.removedContents)
      byteCount = 0
    }
    func rewrite() throws {
      // Removal comes first: a joined group may equal a group that no file needs, and must not reuse its row.
      try removeDead()
      try rewriteGroups(sparse, &groups, &result, progress)
      sparse.removeAll(keepingCapacity: true)
      fileCount = 0
    }
    for row in 1..<max(1, try store.catalog[StoredContent.self]?.nextRowID ?? 1) where !live.contents.contains(row) {
      // Damaged rows stay where they are, so that `verify` can report them.
      guard let stored = try content.soundObject(StoredContent.self, row) else { continue }
      if let use = groups[row] {
        guard use.byteCount * 2 < stored.compressed.byteCount else { continue }
        sparse.append(row)
        fileCount += use.fileCount
        if fileCount >= Self.rewrittenFileCount { try rewrite() }
      } else {
        dead.append(stored)
        byteCount += stored.compressed.bytes.count
        if byteCount > 8 << 20 || dead.count >= Self.batchCount { try removeDead() }
      }
    }
    try rewrite()
  }

  /// Moves the remaining files of sparse groups to new groups.
  private func rewriteGroups(
    _ sparse: [RowID], _ groups: inout GroupUses, _ result: inout CompactResult, _ progress: (String) throws -> Void
  ) throws {
    if sparse.isEmpty { return }
    var files = Dictionary(uniqueKeysWithValues: sparse.map { ($0, [RowID]()) })
    try store.forEach(StoredSmallFile.self, onDamage: .report { _ in }) { file, _ in
      if let row = file.id?.rowID { files[file.group]?.append(row) }
    }
    var rewriting = try GroupRewriting(content, key, compression)
    func save() throws {
      try progress("merging small files")
      if let made = try rewriting.flush() { groups.add(made.byteCount, to: made.row) }
      try content.save()
    }
    for row in sparse {
      // If a file of the group cannot be read any more, the group is kept: the file still refers to it.
      guard let rows = files[row], rows.count == groups[row]?.fileCount,
        let group = try content.soundObject(StoredContent.self, row),
        try rewriting.take(rows, of: group), rewriting.isFull
      else { continue }
      try save()
    }
    try save()
    result.rewrittenGroups += rewriting.rewrittenCount
  }

  private func removePages(
    _ live: LiveRows, _ result: inout CompactResult, _ progress: (String) throws -> Void
  ) throws {
    var dead: [StoredTreePage] = []
    for row in 1..<max(1, try store.catalog[StoredTreePage.self]?.nextRowID ?? 1) where !live.pages.contains(row) {
      guard let page = try content.soundObject(StoredTreePage.self, row) else { continue }
      dead.append(page)
      guard dead.count >= Self.batchCount else { continue }
      try progress("removing directories")
      try remove(&dead, &result.removedPages)
    }
    try remove(&dead, &result.removedPages)
  }

  private func remove<T: StoredObject>(_ objects: inout [T], _ count: inout Int) throws {
    try store.delete(objects)
    try content.save()
    count += objects.count
    objects.removeAll()
  }

  /// The bytes of the files in the archive's directory, without the logs, which exist only while a process writes.
  var diskByteCount: Int64 {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.lazy.filter { !$0.hasPrefix("log-") }.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
      return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
    }
  }
}
