internal import Todana

/// Walks two snapshots side by side, and compares them.
///
/// Not thread-safe.
struct SnapshotComparison: ~Copyable {
  /// A directory of one of the snapshots.
  private final class Side {
    private var reader: DirectoryReader
    private var peeked: ArchiveEntry?

    init(_ pages: [RowID], of content: ContentStore) { reader = DirectoryReader(pages, of: content) }

    /// Returns the next entry without removing it; nil at the end.
    func peek(onFailure: (ArchiveError) -> Void) throws -> ArchiveEntry? {
      while peeked == nil {
        do {
          guard let entry = try reader.next() else { return nil }
          peeked = entry
        } catch let error as ArchiveError where error.code == .damaged || error.code == .newerFormat {
          onFailure(error)
        }
      }
      return peeked
    }

    func advance() { peeked = nil }
  }

  /// A directory that is in both snapshots, or in only one of them.
  private struct Level {
    let old: Side
    let new: Side
    /// The length of the directory's path.
    let pathByteCount: Int
  }

  private let content: ContentStore
  private var selection: PathSelection
  private var levels: [Level] = []
  /// The path of the directory that is being compared.
  private var directory: [UInt8] = []

  init(_ old: [RowID], _ new: [RowID], of content: ContentStore, _ selection: PathSelection) {
    self.content = content
    self.selection = selection
    enter(old, new)
  }

  mutating func run(
    onFailure: (String) -> Void, progress: () throws -> Void, _ body: (FileDifference) throws -> Void
  ) throws {
    while let level = levels.last {
      directory.removeSubrange(level.pathByteCount...)
      let name = DirectoryName(directory)
      guard
        let (old, new) = try next(of: level, onFailure: { onFailure("The \(name) is incomplete: \($0)") })
      else {
        levels.removeLast()
        continue
      }
      guard let file = old?.file ?? new?.file else { continue }
      let path = directory.isEmpty ? file.name : directory + [UInt8(ascii: "/")] + file.name
      let relation = selection.relation(of: path)
      if relation == .outside { continue }
      if relation == .selected, let difference = try difference(path, old, new) { try body(difference) }
      let (oldPages, newPages) = (Self.pages(of: old), Self.pages(of: new))
      if oldPages.isEmpty, newPages.isEmpty { continue }
      try progress()
      guard levels.count < SnapshotWalk.levelLimit else {
        onFailure("“\(printable(path))” is too deep to be compared.")
        continue
      }
      directory = path
      enter(oldPages, newPages)
    }
  }

  /// Enters a directory without the pages that both sides share: the names on them occur on no other page, and
  /// everything below is equal.
  private mutating func enter(_ old: [RowID], _ new: [RowID]) {
    let common = Set(old).intersection(new)
    let (old, new) = (old.filter { !common.contains($0) }, new.filter { !common.contains($0) })
    if old.isEmpty, new.isEmpty { return }
    levels.append(
      Level(old: Side(old, of: content), new: Side(new, of: content), pathByteCount: directory.count))
  }

  /// Returns the next name's entry on each side; nil at the end of both.
  private func next(
    of level: Level, onFailure: (ArchiveError) -> Void
  ) throws -> (old: ArchiveEntry?, new: ArchiveEntry?)? {
    let old = try level.old.peek(onFailure: onFailure)
    let new = try level.new.peek(onFailure: onFailure)
    guard let old else {
      level.new.advance()
      return new.map { (nil, $0) }
    }
    guard let new, !old.file.name.lexicographicallyPrecedes(new.file.name) else {
      level.old.advance()
      return (old, nil)
    }
    level.new.advance()
    guard old.file.name == new.file.name else { return (nil, new) }
    level.old.advance()
    return (old, new)
  }

  private static func pages(of entry: ArchiveEntry?) -> [RowID] {
    guard let entry, case .pages(let pages) = entry.content else { return [] }
    return pages
  }

  // MARK: Comparing

  private func difference(_ path: [UInt8], _ old: ArchiveEntry?, _ new: ArchiveEntry?) throws -> FileDifference? {
    var changes: [FileDifference.Change] = []
    if let old, let new {
      if !old.file.kind.isSameKind(as: new.file.kind) {
        changes = [.kind]
      } else {
        if try content.hasOtherContent(old, new) { changes.append(.content) }
        if !old.file.hasSameMetadata(as: new.file) { changes.append(.metadata) }
        if changes.isEmpty { return nil }
      }
    } else {
      changes = [old == nil ? .added : .removed]
    }
    return FileDifference(path: path, old: old?.file, new: new?.file, changes: changes)
  }
}
