/// A piece of work of an `add`: one thread reads it, another names and compresses it, a third stores it, in order.
struct AddJob: Sendable {
  enum Work: Sendable {
    /// A chunk of a large file.
    case chunk([UInt8])
    /// Steps, and the content of their small files, one after the other.
    case batch([TreeStep], smallFiles: [Range<Int>], data: [UInt8])

    /// The memory that the work takes, about.
    var byteCount: Int {
      switch self {
      case .chunk(let data): emptyByteCount + data.count
      case .batch(let steps, _, let data): steps.reduce(emptyByteCount + data.count) { $0 + $1.byteCount }
      }
    }
  }

  /// The memory of a job without any content.
  static let emptyByteCount = 512

  let number: Int
  let work: Work
  /// The memory that the job takes until its result is there, about.
  let byteCount: Int
}

/// The result of an ``AddJob``.
enum AddResult: Sendable {
  case chunk(NamedContent)
  /// `group`: the content of those small files that are new.
  case batch([TreeStep], smallFiles: [NamedSmallFile], group: NamedContent?)

  /// Memory that it takes, about.
  var byteCount: Int {
    switch self {
    case .chunk(let content): AddJob.emptyByteCount + content.byteCount
    case .batch(let steps, let smallFiles, let group):
      steps.reduce(AddJob.emptyByteCount + (group?.byteCount ?? 0)) { $0 + $1.byteCount }
        + smallFiles.count * MemoryLayout<NamedSmallFile>.stride
    }
  }
}

/// Content by its name, and how it is found.
struct NamedContent: Sendable {
  enum Place: Sendable {
    /// It is stored, in this row.
    case row(UInt64)
    /// It comes with this or an earlier job, or came, and is stored since.
    case elsewhere
    /// It comes here.
    case here(CompressedBytes)
  }

  let name: ContentName
  var place: Place

  /// The bytes of the content that comes here.
  var byteCount: Int {
    guard case .here(let compressed) = place else { return 0 }
    return compressed.bytes.count
  }
}

/// A small file by the name of its content, and how it is found.
struct NamedSmallFile: Sendable {
  enum Place: Sendable {
    case row(UInt64)
    case elsewhere
    /// In the group that comes here, from this byte on.
    case here(offset: Int, byteCount: Int)
  }

  let name: ContentName
  var place: Place
}

/// A step of a walk through the archived files, which the reading thread passes to the storing thread.
///
/// Entries that come in the order of a walk are entered and left; others are placed.
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
  /// The number of submitted chunks that belong to a file that could not be read to its end.
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
      // Attributes that come from a tar may be very long.
      let attributes = entry.attributes.reduce(0) { $0 + $1.name.count + $1.value.count }
      if case .symbolicLink(let target) = entry.kind { return few + path.count + attributes + target.count }
      return few + path.count + attributes
    }
  }

  /// The source of the data of a file.
  enum DataSource: Sendable {
    case none
    /// They were stored by an earlier snapshot, and the file is the same.
    case known(ArchiveEntry.Content, extents: [Range<Int64>])
    /// One of the small files that came with the step.
    case small(Int, extents: [Range<Int64>])
    /// The number of chunks that came before the step, and belong to no earlier one.
    case chunks(Int, extents: [Range<Int64>])
  }
}
