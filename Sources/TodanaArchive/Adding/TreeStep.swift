/// A step of a walk through what is archived, as the reading thread hands it on to the one that writes trees.
enum TreeStep: Sendable {
  /// A directory; what is in it follows, then its ``leave``.
  case enter(FileEntry)
  case leave
  case entry(FileEntry, DataSource)
  /// So many chunks that came are of a file that could not be read to its end.
  case drop(Int)

  /// Memory that it takes, about.
  var byteCount: Int { 256 }

  /// Where the data of a file come from.
  enum DataSource: Sendable {
    case none
    /// They were stored by an earlier snapshot, and the file is the same.
    case known(ArchiveEntry.Content, extents: [Range<Int64>])
    /// One of the small files that came with the step.
    case small(Int, extents: [Range<Int64>])
    /// So many of the chunks that came before the step, and were not taken yet.
    case chunks(Int, extents: [Range<Int64>])
  }
}
