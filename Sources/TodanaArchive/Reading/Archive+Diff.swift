internal import Todana

extension Archive {
  /// Calls back with each path that two snapshots do not have alike, in the order of names.
  ///
  /// What both have in the same pages is not read.
  ///
  /// - Parameters:
  ///   - old: One of this archive.
  ///   - new: Another one.
  ///   - paths: What is compared, with all that is below; none: everything.
  ///   - onFailure: Gets what cannot be read, while the rest is compared.
  ///   - progress: Called for each directory that is read; throws to end it all.
  ///   - body: Gets each difference; throws to end it all.
  /// - Throws: ``ArchiveError/Code/fileNotFound`` for a path that neither has; `StoreError`; what the closures throw.
  public func diff(
    _ old: Snapshot, _ new: Snapshot, paths: [[UInt8]] = [], onFailure: (String) -> Void,
    progress: () throws -> Void = {}, _ body: (FileDifference) throws -> Void
  ) throws {
    let selection = PathSelection(paths)
    for path in selection.paths where !path.isEmpty {
      guard try !has(path, old), try !has(path, new) else { continue }
      throw ArchiveError(.fileNotFound, "Neither snapshot has “\(printable(path))”.")
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

/// What became of a path between two snapshots.
public struct FileDifference: Sendable {
  public enum Change: String, Sendable, Hashable, CaseIterable {
    case added, removed
    /// It is something else now, such as a link where a file was.
    case kind
    /// Its bytes, the target of a link, the numbers of a device.
    case content
    /// Permissions, owner, modification time, attributes, or flags.
    case metadata
  }

  /// From the top of the snapshots.
  public let path: [UInt8]
  /// nil where it was added.
  public let old: FileEntry?
  /// nil where it was removed.
  public let new: FileEntry?
  /// One; or content and metadata.
  public let changes: [Change]
}

extension FileEntry {
  /// What people mean by metadata: not what file systems number and note by themselves.
  func hasSameMetadata(as other: FileEntry) -> Bool {
    permissions == other.permissions && owner == other.owner && modificationTime == other.modificationTime
      && Set(attributes) == Set(other.attributes) && flags == other.flags
  }
}

extension FileKind {
  /// Whether both are files, or links, and so on, whatever they hold.
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
  /// Whether two of a kind have other bytes, point elsewhere, or are other devices.
  ///
  /// Content has one row, so rows tell; nearly nothing is read.
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
      // What came from a pipe is a chunk, however small it is.
      return try chunks.count != 1 || !isSame(small: small, chunk: chunks[0])
    default: return oldContent != newContent
    }
  }

  /// What is damaged is the same as nothing.
  private func isSame(small: RowID, chunk: RowID) throws -> Bool {
    do {
      return try object(StoredSmallFile.self, small).name == object(StoredContent.self, chunk).name
    } catch let error as ArchiveError where error.code == .damaged {
      return false
    }
  }
}
