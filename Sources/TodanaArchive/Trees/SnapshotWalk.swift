internal import Todana

/// Goes through all that a snapshot holds, in the order of names by bytes, each directory before what is in it.
///
/// Memory: a page for each directory from the root down to where the walk is.
struct SnapshotWalk: ~Copyable {
  enum Step {
    /// Something of a directory. A directory is gone into next, unless it is skipped.
    case entry(ArchiveEntry)
    /// All of a directory was seen, as far as it could be.
    case end(ArchiveEntry)
    /// A page of ``directory`` cannot be read; the walk goes on without it.
    case failure(ArchiveError, page: RowID)
  }

  /// More than any file system that people use lets programs get to.
  static let levelLimit = 100_000

  private let content: ContentStore
  private let levelLimit: Int
  private var levels = LevelStack()
  private var pending: ArchiveEntry?
  /// The path of the directory that the last entry is in: empty for the root.
  private(set) var directory: [UInt8] = []

  init(_ pages: [RowID], of content: ContentStore, levelLimit: Int = SnapshotWalk.levelLimit) {
    self.content = content
    self.levelLimit = levelLimit
    levels.push(DirectoryReader(pages, of: content), nil)
  }

  /// Does not go into the directory that was given out last.
  mutating func skip() { pending = nil }

  /// The path of an entry that was given out last.
  func path(of entry: ArchiveEntry) -> [UInt8] {
    directory.isEmpty ? entry.file.name : directory + [UInt8(ascii: "/")] + entry.file.name
  }

  /// The next step; nil when all was seen.
  ///
  /// - Throws: What is wrong with the whole archive, and not with a page only.
  mutating func next() throws -> Step? {
    if let entry = pending.take(), case .pages(let pages) = entry.content {
      let isTooDeep = levels.count >= levelLimit
      directory = path(of: entry)
      // One that is not looked into has its end all the same.
      levels.push(DirectoryReader(isTooDeep ? [] : pages, of: content), entry)
      if isTooDeep {
        let error = ArchiveError(.damaged, "Directories are in one another more than \(levelLimit) times.")
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

/// Readers of the directories from the root down.
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

/// Gives the entries of one directory, in the order of their names, a page at a time.
struct DirectoryReader: ~Copyable {
  private let content: ContentStore
  private var pages: ArraySlice<RowID>
  private var decoder: TreePageDecoder?
  private var lastName: [UInt8] = []
  /// The page that the last entry, or the last failure, came from.
  private(set) var page: RowID = 0

  init(_ pages: [RowID], of content: ContentStore) {
    self.content = content
    self.pages = pages[...]
  }

  /// The next entry; nil at the end.
  ///
  /// After ``ArchiveError/Code/damaged`` it goes on with the next page.
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
