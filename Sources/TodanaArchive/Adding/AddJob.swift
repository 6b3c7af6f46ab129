/// A piece of work of an `add`: read by one thread, named and made smaller by another, stored by a third, in order.
struct AddJob: Sendable {
  enum Work: Sendable {
    /// A chunk of a large file.
    case chunk([UInt8])
    /// Steps, and the content of their small files, one behind the other.
    case batch([TreeStep], smallFiles: [Range<Int>], data: [UInt8])
  }

  let number: Int
  let work: Work
  /// Memory that it and its result take, about.
  let byteCount: Int
  /// Of a job without any content.
  static let emptyByteCount = 512

  init(number: Int, work: Work) {
    self.number = number
    self.work = work
    byteCount =
      switch work {
      case .chunk(let data): Self.emptyByteCount + data.count
      case .batch(let steps, _, let data): steps.reduce(Self.emptyByteCount + data.count) { $0 + $1.byteCount }
      }
  }
}

/// What came of an ``AddJob``.
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

  /// Of what comes with it.
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
