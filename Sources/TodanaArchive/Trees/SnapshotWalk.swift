internal import Todana

/// A walk through all entries of a snapshot in byte order of their names, each directory before its entries.
///
/// It keeps one page in memory for each directory from the root to the current one.
struct SnapshotWalk: ~Copyable {
  enum Step {
    /// An entry of a directory. If the entry is itself a directory, the walk enters it next, unless it is skipped.
    case entry(ArchiveEntry)
    /// The end of a directory; unreadable pages were left out.
    case end(ArchiveEntry)
    /// A page of ``directory`` that cannot be read; the walk continues without it.
    case failure(ArchiveError, page: RowID)
  }

  /// The maximum depth of directories, more than programs can reach on common file systems.
  static let levelLimit = 100_000

  private let content: ContentStore
  private let levelLimit: Int
  private var levels = LevelStack()
  private var pending: ArchiveEntry?
  /// The path of the directory that contains the last entry; empty for the root.
  private(set) var directory: [UInt8] = []

  init(_ pages: [RowID], of content: ContentStore, levelLimit: Int = SnapshotWalk.levelLimit) {
    self.content = content
    self.levelLimit = levelLimit
    levels.push(DirectoryReader(pages, of: content), nil)
  }

  /// Skips the content of the last returned directory.
  mutating func skip() { pending = nil }

  /// Returns the path of an entry that was returned last.
  func path(of entry: ArchiveEntry) -> [UInt8] {
    directory.isEmpty ? entry.file.name : directory + [UInt8(ascii: "/")] + entry.file.name
  }

  /// Returns the next step; nil at the end.
  ///
  /// - Throws: Errors that concern more than a single page.
  mutating func next() throws -> Step? {
    if let entry = pending.take(), case .pages(let pages) = entry.content {
      let isTooDeep = levels.count >= levelLimit
      directory = path(of: entry)
      // A directory that is too deep is entered without pages, so that its end is reported all the same.
      levels.push(DirectoryReader(isTooDeep ? [] : pages, of: content), entry)
      if isTooDeep {
        let error = ArchiveError(.damaged, "Directories are nested more than \(levelLimit) levels deep.")
        return .failure(error, page: 0)
      }
    }
    if levels.count == 0 { return nil }
    do {
      if let entry = try levels.next() {
        if entry.file.kind == .directory { pending = entry }
        return .entry(entry)
      }
    } catch let error as ArchiveError where error.code == .damaged || error.code == .newerFormat {
      return .failure(error, page: levels.page)
    }
    guard let entry = levels.pop() else { return nil }
    let nameByteCount = entry.file.name.count
    directory.removeLast(min(directory.count, nameByteCount + 1))
    return .end(entry)
  }
}

/// The readers of the directories from the root to the current one.
private struct LevelStack: ~Copyable {
  private final class Level {
    var reader: DirectoryReader
    let entry: ArchiveEntry?

    init(_ reader: consuming DirectoryReader, _ entry: ArchiveEntry?) {
      self.reader = reader
      self.entry = entry
    }
  }

  private var levels: [Level] = []

  var count: Int { levels.count }
  var page: RowID { levels.last?.reader.page ?? 0 }

  mutating func push(_ reader: consuming DirectoryReader, _ entry: ArchiveEntry?) {
    levels.append(Level(reader, entry))
  }

  func next() throws -> ArchiveEntry? { try levels.last?.reader.next() }

  mutating func pop() -> ArchiveEntry? { levels.popLast()?.entry }
}

/// Reads the entries of one directory in the order of their names, one page at a time.
struct DirectoryReader: ~Copyable {
  private let content: ContentStore
  private var pages: ArraySlice<RowID>
  private var decoder: TreePageDecoder?
  private var lastName: [UInt8] = []
  /// The page of the last entry or the last failure.
  private(set) var page: RowID = 0

  init(_ pages: [RowID], of content: ContentStore) {
    self.content = content
    self.pages = pages[...]
  }

  /// Returns the next entry; nil at the end.
  ///
  /// After ``ArchiveError/Code/damaged``, the next call continues with the next page.
  mutating func next() throws -> ArchiveEntry? {
    while true {
      if var current = decoder.take() {
        if let entry = try current.next() {
          decoder = consume current
          return entry
        }
        lastName = current.endName
      }
      guard let row = pages.popFirst() else { return nil }
      page = row
      decoder = try TreePageDecoder(content.page(row), pageRow: row, after: lastName)
    }
  }
}
