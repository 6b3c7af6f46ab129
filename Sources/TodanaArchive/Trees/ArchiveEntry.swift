internal import Todana

/// An entry of a snapshot: its metadata, and the rows of its content.
package struct ArchiveEntry: Sendable, Hashable {
  /// The rows that hold the data of a file or the entries of a directory.
  package enum Content: Sendable, Hashable {
    /// The entry has no content.
    case none
    /// The content is in a row of ``StoredSmallFile``.
    case small(UInt64)
    /// The content is in rows of ``StoredContent``, one after the other.
    case chunks([UInt64])
    /// The entries of a directory are in rows of ``StoredTreePage``.
    case pages([UInt64])
  }

  package var file: FileEntry
  package var content: Content
  /// The data ranges of a sparse file, whose holes are not stored; empty if there are no holes.
  package var extents: [Range<Int64>]

  package init(file: FileEntry, content: Content, extents: [Range<Int64>] = []) {
    self.file = file
    self.content = content
    self.extents = extents
  }

  /// The number of data bytes, without holes.
  package var dataByteCount: Int64 {
    extents.isEmpty ? file.byteCount : extents.reduce(0) { $0 + Int64($1.count) }
  }
}
