internal import Todana

/// Goes through an earlier snapshot beside a walk, to find what it has of the same names.
///
/// What cannot be read of it counts as not there: those files are read anew.
struct ParentCursor: ~Copyable {
  private final class Level {
    var reader: DirectoryReader
    var peeked: ArchiveEntry?

    init(_ reader: consuming DirectoryReader) { self.reader = reader }
  }

  private let archive: ArchiveStore
  /// nil where the earlier snapshot has no such directory.
  private var levels: [Level?]

  init(_ pages: [RowID], of archive: ArchiveStore) {
    self.archive = archive
    levels = [pages.isEmpty ? nil : Level(DirectoryReader(pages, of: archive))]
  }

  /// The entry of a name, which is behind all that were asked for in this directory.
  mutating func find(_ name: [UInt8]) -> ArchiveEntry? {
    guard let found = levels.last, let level = found else { return nil }
    while true {
      if level.peeked == nil {
        do {
          level.peeked = try level.reader.next()
        } catch {
          continue
        }
      }
      guard let entry = level.peeked else { return nil }
      if entry.file.name == name { return entry }
      if name.lexicographicallyPrecedes(entry.file.name) { return nil }
      level.peeked = nil
    }
  }

  /// Whether the data of an entry may be damaged, so that they are to be read anew.
  func isKnownDamaged(_ entry: ArchiveEntry) throws -> Bool { try archive.isKnownDamaged(entry.content) }

  /// The walk goes into a directory.
  mutating func enter(_ entry: ArchiveEntry?) {
    guard let entry, case .pages(let pages) = entry.content, !pages.isEmpty else { return levels.append(nil) }
    levels.append(Level(DirectoryReader(pages, of: archive)))
  }

  mutating func leave() { levels.removeLast() }
}
