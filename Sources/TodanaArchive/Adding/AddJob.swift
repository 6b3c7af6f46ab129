/// A unit of work of an `add`: one thread reads it, another compresses it, a third stores it in the order of jobs.
struct AddJob: Sendable {
  enum Work: Sendable {
    /// A chunk of a large file.
    case chunk([UInt8])
    /// Steps of the walk, and the concatenated content of their small files.
    case batch([TreeStep], smallFiles: [Range<Int>], data: [UInt8])

    /// The approximate memory of the work, in bytes.
    var byteCount: Int {
      switch self {
      case .chunk(let data): emptyByteCount + data.count
      case .batch(let steps, _, let data): steps.reduce(emptyByteCount + data.count) { $0 + $1.byteCount }
      }
    }
  }

  /// The memory of a job without content, in bytes.
  static let emptyByteCount = 512

  let number: Int
  let work: Work
  /// The approximate memory of the job until its result exists, in bytes.
  let byteCount: Int
}

/// The result of an ``AddJob``.
enum AddResult: Sendable {
  case chunk(NamedContent)
  /// The steps of a batch, its small files, and a group with the content of the new small files.
  case batch([TreeStep], smallFiles: [NamedSmallFile], group: NamedContent?)

  /// The approximate memory of the result, in bytes.
  var byteCount: Int {
    switch self {
    case .chunk(let content): AddJob.emptyByteCount + content.byteCount
    case .batch(let steps, let smallFiles, let group):
      steps.reduce(AddJob.emptyByteCount + (group?.byteCount ?? 0)) { $0 + $1.byteCount }
        + smallFiles.count * MemoryLayout<NamedSmallFile>.stride
    }
  }
}

/// A content's name (its keyed hash), and the place of its bytes.
struct NamedContent: Sendable {
  enum Place: Sendable {
    /// The content is stored in this row.
    case row(UInt64)
    /// The content is in this or an earlier job, and may be stored already.
    case elsewhere
    /// The content is in this job.
    case here(CompressedBytes)
  }

  let name: ContentName
  var place: Place

  /// The length of the compressed bytes in this job; 0 if they are elsewhere.
  var byteCount: Int {
    guard case .here(let compressed) = place else { return 0 }
    return compressed.bytes.count
  }
}

/// The name of a small file's content (its keyed hash), and the place of its bytes.
struct NamedSmallFile: Sendable {
  enum Place: Sendable {
    case row(UInt64)
    case elsewhere
    /// The content is in the group of this job, from this offset on.
    ///
    /// It completes a small file whose group is lost.
    case here(offset: Int, byteCount: Int, completing: UInt64?)
  }

  let name: ContentName
  var place: Place
}

/// A step of a walk through the archived files, which the reading thread passes to the storing thread.
///
/// Entries in the order of the walk are entered and left; entries in any other order are placed at their path.
enum TreeStep: Sendable {
  /// A directory; the steps of its content follow, and then its ``leave``.
  case enter(FileEntry)
  case leave
  case entry(FileEntry, DataSource)
  /// A file that was read, with the earlier snapshot's entry at its path.
  ///
  /// Indirect because this case is rare and large, while steps are moved in great numbers.
  indirect case changed(FileEntry, DataSource, earlier: ArchiveEntry)
  /// The directory whose content is at the top of the snapshot.
  case top(FileEntry)
  /// The number of submitted chunks to drop, since their file could not be read to its end.
  case drop(Int)
  /// An entry at a path from the top, in any order; a directory placed in this way is neither entered nor left.
  case place(path: [UInt8], FileEntry, DataSource)
  /// Another name (hard link) of the file at the path `target`.
  case link(path: [UInt8], target: [UInt8], time: FileTime)

  /// The approximate memory of the step, in bytes.
  var byteCount: Int {
    let few = 256
    switch self {
    case .enter, .leave, .entry, .drop, .top: return few
    case .changed(_, _, let earlier):
      guard case .chunks(let rows) = earlier.content else { return few }
      return few + rows.count * MemoryLayout<UInt64>.stride
    case .link(let path, let target, _): return few + path.count + target.count
    case .place(let path, let entry, _):
      // Attributes from a tar may be very long.
      let attributes = entry.attributes.reduce(0) { $0 + $1.name.count + $1.value.count }
      if case .symbolicLink(let target) = entry.kind { return few + path.count + attributes + target.count }
      return few + path.count + attributes
    }
  }

  /// The source of the data of a file.
  enum DataSource: Sendable {
    case none
    /// The data was stored by an earlier snapshot, and the file is unchanged.
    case known(ArchiveEntry.Content, extents: [Range<Int64>])
    /// The data is the small file at this index of the batch.
    case small(Int, extents: [Range<Int64>])
    /// The data is the next chunks that were submitted before the step and belong to no earlier step; the value is
    /// their number.
    case chunks(Int, extents: [Range<Int64>])
  }
}
