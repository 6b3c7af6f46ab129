internal import Todana

extension Archive {
  /// Calls back with each path that is different in two snapshots, in the order of names.
  ///
  /// Pages that both snapshots share are not read.
  ///
  /// - Parameters:
  ///   - old: A snapshot of this archive.
  ///   - new: Another snapshot of this archive.
  ///   - paths: The paths to compare, with everything below them; if empty, everything.
  ///   - onFailure: Receives a message for each part that cannot be read; the rest is compared.
  ///   - progress: Called for each directory that is read; throws to cancel.
  ///   - body: Receives each difference; throws to cancel.
  /// - Throws: ``ArchiveError/Code/fileNotFound`` for a path that neither snapshot has; `StoreError`; errors of the
  ///   closures.
  public func diff(
    _ old: Snapshot, _ new: Snapshot, paths: [[UInt8]] = [], onFailure: (String) -> Void,
    progress: () throws -> Void = {}, _ body: (FileDifference) throws -> Void
  ) throws {
    let selection = PathSelection(paths)
    for path in selection.paths where !path.isEmpty {
      guard try !has(path, old), try !has(path, new) else { continue }
      throw ArchiveError(.fileNotFound, "Neither snapshot contains “\(printable(path))”.")
    }
    var comparison = SnapshotComparison(old.pages, new.pages, of: content, selection)
    try comparison.run(onFailure: onFailure, progress: progress, body)
  }

  private func has(_ path: [UInt8], _ snapshot: Snapshot) throws -> Bool {
    do {
      _ = try entry(path, of: snapshot)
      return true
    } catch let error as ArchiveError where error.code == .fileNotFound {
      return false
    }
  }
}

/// The difference of a path between two snapshots.
public struct FileDifference: Sendable {
  public enum Change: String, Sendable, Hashable, CaseIterable {
    case added, removed
    /// The kind of file changed, for example from a file to a link.
    case kind
    /// The bytes, the target of a link, or the numbers of a device changed.
    case content
    /// Permissions, owner, modification time, attributes or flags changed.
    case metadata
  }

  /// The path from the top of the snapshots.
  public let path: [UInt8]
  /// The entry in the old snapshot; nil if it was added.
  public let old: FileEntry?
  /// The entry in the new snapshot; nil if it was removed.
  public let new: FileEntry?
  /// The changes: one, or content and metadata.
  public let changes: [Change]
}

extension FileEntry {
  /// Tests whether the metadata that users care about are equal; ignores values that file systems assign themselves.
  func hasSameMetadata(as other: FileEntry) -> Bool {
    permissions == other.permissions && owner == other.owner && modificationTime == other.modificationTime
      && Set(attributes) == Set(other.attributes) && flags == other.flags
  }
}

extension FileKind {
  /// Tests whether both are the same kind of file, ignoring link targets and device numbers.
  func isSameKind(as other: FileKind) -> Bool {
    switch (self, other) {
    case (.regular, .regular), (.directory, .directory), (.symbolicLink, .symbolicLink), (.fifo, .fifo),
      (.characterDevice, .characterDevice), (.blockDevice, .blockDevice), (.socket, .socket):
      true
    default: false
    }
  }
}

extension ContentStore {
  /// Tests whether two entries of the same kind differ in their bytes, link targets or device numbers.
  ///
  /// Equal content has one row, so rows are compared, and almost nothing is read.
  func hasOtherContent(_ old: ArchiveEntry, _ new: ArchiveEntry) throws -> Bool {
    switch old.file.kind {
    case .directory: return false
    case .regular: break
    default: return old.file.kind != new.file.kind
    }
    if old.file.byteCount != new.file.byteCount || old.extents != new.extents { return true }
    let (oldContent, newContent) = try (current(old.content), current(new.content))
    switch (oldContent, newContent) {
    case (.small(let small), .chunks(let chunks)), (.chunks(let chunks), .small(let small)):
      // Content from a pipe is stored as a chunk, even if it is small.
      return try chunks.count != 1 || !isSame(small: small, chunk: chunks[0])
    default: return oldContent != newContent
    }
  }

  /// Tests whether a small file and a chunk have the same content; false if either is damaged.
  private func isSame(small: RowID, chunk: RowID) throws -> Bool {
    do {
      return try object(StoredSmallFile.self, small).name == object(StoredContent.self, chunk).name
    } catch let error as ArchiveError where error.code == .damaged {
      return false
    }
  }
}
