internal import Foundation
internal import Glibc
internal import Todana

/// How much an archive holds, and how little it takes.
public struct ArchiveStats: Sendable, Hashable {
  public let snapshotCount: Int
  /// Chunks of large files, and groups of small ones.
  public let contentCount: Int
  /// Small files of different content.
  public let smallFileCount: Int
  /// Parts of directories.
  public let pageCount: Int
  /// Of all snapshots, each counted by itself: all that is not a directory.
  public let fileCount: Int
  /// Of the regular files among them.
  public let byteCount: Int64
  /// What the archive's files take on the disk.
  public let storedByteCount: Int64

  /// How many bytes of files each stored byte stands for.
  public var ratio: Double { storedByteCount > 0 ? Double(byteCount) / Double(storedByteCount) : 0 }
}

extension Archive {
  /// Counts what the archive holds: from its catalog and its snapshots, without reading content.
  ///
  /// - Returns: The counts.
  /// - Throws: `StoreError`.
  public func stats() throws -> ArchiveStats {
    let snapshots = try snapshots()
    let catalog = try store.catalog
    func count(_ type: StoredObject.Type) -> Int { catalog[type]?.recordCount ?? 0 }
    return ArchiveStats(
      snapshotCount: snapshots.count, contentCount: count(StoredContent.self),
      smallFileCount: count(StoredSmallFile.self), pageCount: count(StoredTreePage.self),
      fileCount: snapshots.reduce(0) { $0 + $1.counts.files },
      byteCount: snapshots.reduce(0) { SnapshotCounts.sum($0, $1.counts.bytes) },
      storedByteCount: storedByteCount())
  }

  /// As `du` counts it; what goes while it is counted is no part of it.
  private func storedByteCount() -> Int64 {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.reduce(0) { sum, name in
      var status = stat()
      guard unsafe lstat("\(path)/\(name)", &status) == 0 else { return sum }
      return sum + Int64(status.st_blocks) * 512
    }
  }
}
