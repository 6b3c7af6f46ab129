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
