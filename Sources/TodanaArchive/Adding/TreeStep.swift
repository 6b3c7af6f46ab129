/// A step of a walk through what is archived, as the reading thread hands it on to the one that writes trees.
///
/// What comes in the order of a walk is entered and left; what does not is placed.
enum TreeStep: Sendable {
  /// A directory; what is in it follows, then its ``leave``.
  case enter(FileEntry)
  case leave
  case entry(FileEntry, DataSource)
  /// A file that was read, with what an earlier snapshot has at its path.
  ///
  /// Indirect, because steps are moved in great numbers and few are of this kind.
  indirect case changed(FileEntry, DataSource, earlier: ArchiveEntry)
  /// The directory whose content is at the top of the snapshot.
  case top(FileEntry)
  /// So many chunks that came are of a file that could not be read to its end.
  case drop(Int)
  /// Something at a path from the top, in no order; a directory is entered by nothing else.
  case place(path: [UInt8], FileEntry, DataSource)
  /// Another name of what is at a path.
  case link(path: [UInt8], target: [UInt8], time: FileTime)

  /// Memory that it takes, about.
  var byteCount: Int {
    let few = 256
    switch self {
    case .enter, .leave, .entry, .drop, .top: return few
    case .changed(_, _, let earlier):
      guard case .chunks(let rows) = earlier.content else { return few }
      return few + rows.count * MemoryLayout<UInt64>.stride
    case .link(let path, let target, _): return few + path.count + target.count
    case .place(let path, let entry, _):
      // What comes from a tar may have very long ones.
      let attributes = entry.attributes.reduce(0) { $0 + $1.name.count + $1.value.count }
      if case .symbolicLink(let target) = entry.kind { return few + path.count + attributes + target.count }
      return few + path.count + attributes
    }
  }

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
