internal import Foundation
internal import Glibc
internal import Todana

/// The numbers and sizes of an archive's contents.
public struct ArchiveStats: Sendable, Hashable {
  public let snapshotCount: Int
  /// The number of chunks of large files and groups of small files.
  public let contentCount: Int
  /// The number of small files with different content.
  public let smallFileCount: Int
  /// The number of pages, the parts that directories are stored in.
  public let pageCount: Int
  /// The number of entries other than directories, summed over all snapshots.
  public let fileCount: Int
  /// The bytes of the regular files of all snapshots.
  public let byteCount: Int64
  /// The bytes that the archive's files occupy on disk.
  public let storedByteCount: Int64

  /// The number of archived bytes per stored byte; 0 if nothing is stored.
  public var ratio: Double { storedByteCount > 0 ? Double(byteCount) / Double(storedByteCount) : 0 }
}

extension Archive {
  /// Computes the statistics from the catalog and the snapshots, without reading content.
  ///
  /// - Returns: The statistics.
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

  /// Returns the occupied bytes, as `du` counts them; files that vanish during the count are left out.
  private func storedByteCount() -> Int64 {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.reduce(0) { sum, name in
      var status = stat()
      guard unsafe lstat("\(path)/\(name)", &status) == 0 else { return sum }
      return sum + Int64(status.st_blocks) * 512
    }
  }
}
