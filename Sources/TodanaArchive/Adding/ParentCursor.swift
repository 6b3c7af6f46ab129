internal import Todana

/// Goes through an earlier snapshot beside a walk, to find what it has of the same names.
///
/// What cannot be read of it counts as not there: those files are read again.
struct ParentCursor: ~Copyable {
  private final class Level {
    var reader: DirectoryReader
    var peeked: ArchiveEntry?

    init(_ reader: consuming DirectoryReader) { self.reader = reader }
  }

  private let archive: ArchiveStore
  private let snapshot: Snapshot?
  private let places: ParentPlaces?
  /// nil where the earlier snapshot has no such directory.
  private var levels: [Level?] = []

  /// - Parameters:
  ///   - snapshot: The earlier snapshot; nil if there is none.
  ///   - archive: The archive.
  ///   - workingDirectory: The directory that new paths are relative to.
  init(_ snapshot: Snapshot?, of archive: ArchiveStore, workingDirectory: [UInt8] = []) {
    self.archive = archive
    self.snapshot = snapshot
    places = snapshot.map { ParentPlaces(of: $0, workingDirectory: workingDirectory) }
  }

  /// A walk begins at a path.
  ///
  /// - Parameters:
  ///   - path: The path, as it was given.
  ///   - name: Its name in the new snapshot; nil for a directory whose content is at the top.
  mutating func begin(at path: [UInt8], named name: [UInt8]?) {
    levels = [nil]
    guard let snapshot, let place = places?.place(of: path) else { return }
    if let name {
      guard var root = root(of: snapshot, at: place) else { return }
      // Its name there may be another one.
      root.file.name = name
      let level = Level(DirectoryReader([], of: archive))
      level.peeked = root
      levels = [level]
    } else if place.isEmpty {
      levels = [Level(DirectoryReader(snapshot.pages, of: archive))]
    } else if case .pages(let pages) = root(of: snapshot, at: place)?.content {
      levels = [Level(DirectoryReader(pages, of: archive))]
    }
  }

  private func root(of snapshot: Snapshot, at place: [[UInt8]]) -> ArchiveEntry? {
    if place.isEmpty { return snapshot.top.map { ArchiveEntry(file: $0, content: .pages(snapshot.pages)) } }
    return try? archive.entry(at: place, below: snapshot.pages)
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
