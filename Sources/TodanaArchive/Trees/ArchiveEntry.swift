internal import Todana

/// Something in a snapshot: all that was kept of it, and where its data are.
package struct ArchiveEntry: Sendable, Hashable {
  /// Where the data, or the entries of a directory, are.
  package enum Content: Sendable, Hashable {
    /// There are none.
    case none
    /// A row of ``StoredSmallFile``.
    case small(UInt64)
    /// Rows of ``StoredContent``, one behind the other.
    case chunks([UInt64])
    /// Rows of ``StoredTreePage``: the entries of a directory.
    case pages([UInt64])
  }

  package var file: FileEntry
  package var content: Content
  /// Where the data lie in a sparse file, whose holes are not stored; empty: there are no holes.
  package var extents: [Range<Int64>]

  package init(file: FileEntry, content: Content, extents: [Range<Int64>] = []) {
    self.file = file
    self.content = content
    self.extents = extents
  }

  /// Bytes of data, without holes.
  package var dataByteCount: Int64 {
    extents.isEmpty ? file.byteCount : extents.reduce(0) { $0 + Int64($1.count) }
  }
}
