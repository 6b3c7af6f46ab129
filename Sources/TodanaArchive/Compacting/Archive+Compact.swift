internal import Foundation
internal import Todana

/// What a compaction did.
public struct CompactResult: Sendable {
  /// What no snapshot needs any more, and was removed.
  public var removedContents = 0
  public var removedSmallFiles = 0
  public var removedPages = 0
  /// Groups that were less than half in use, and were joined with others.
  public var rewrittenGroups = 0
  /// What is damaged in a file that has not become smaller for that; nil where nothing is.
  public var keptDamage: String?
  /// Of the archive's files.
  public var byteCountBefore: Int64 = 0
  public var byteCountAfter: Int64 = 0

  init() {}
}

extension Archive {
  /// Removes what no snapshot needs any more, and gives the room back to the system.
  ///
  /// Groups of small files that are less than half in use are joined. What is damaged stays where it is. What was done
  /// stays so if an error, a loss of power or `progress` ends it; snapshots are whole at any time.
  ///
  /// - Parameter progress: Called now and then with a word about what is being done; throws to end it all.
  /// - Returns: What was removed.
  /// - Throws: ``ArchiveError/Code/damaged`` where a directory cannot be read, so that nobody knows what it needs:
  ///   nothing is removed then. ``ArchiveError/Code/noSpace`` if the log of the removal has no room on the disk; errors of
  ///   `progress`; `StoreError`.
  public func compact(progress: (String) throws -> Void = { _ in }) throws -> CompactResult {
    try content.buildIndexes { try progress("Building indexes") }
    var result = CompactResult()
    result.byteCountBefore = diskByteCount
    let live = try LiveRows(try snapshots(), of: content) { try progress("Looking for what is needed") }
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

  /// The log of a compaction takes as much room on the disk.
  private static let neededRoom = 6 << 20

  private var missingRoomText: String {
    let missing = max(64 << 10, Self.neededRoom - (DiskRoom(path: path).freeByteCount ?? 0))
    return "Compacting takes \(Self.neededRoom >> 10) KiB of room on the disk for its log: "
      + "free \((missing + 1023) >> 10) KiB more, and compact again."
  }

  /// Gives the room of what was removed back.
  ///
  /// - Returns: What is damaged in a file that stays as it is.
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
  /// Small files of groups that are rewritten after one look through all of them.
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
      try progress("Removing small files")
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
      try progress("Removing content")
      try remove(&dead, &result.removedContents)
      byteCount = 0
    }
    func rewrite() throws {
      // First, for what is joined may have been there already, needed by nothing.
      try removeDead()
      try rewriteGroups(sparse, &groups, &result, progress)
      sparse.removeAll(keepingCapacity: true)
      fileCount = 0
    }
    for row in 1..<max(1, try store.catalog[StoredContent.self]?.nextRowID ?? 1) where !live.contents.contains(row) {
      // What is damaged stays as it is, for `verify` to tell of.
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

  /// Joins what is left of groups.
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
      try progress("Joining small files")
      if let made = try rewriting.flush() { groups.add(made.byteCount, to: made.row) }
      try content.save()
    }
    for row in sparse {
      // A file that cannot be read any more is still in its group.
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
      try progress("Removing directories")
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

  /// Of the files in the archive's directory, without the logs, which are there as long as somebody writes.
  var diskByteCount: Int64 {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.lazy.filter { !$0.hasPrefix("log-") }.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
      return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
    }
  }
}
