internal import Todana

/// Something that was looked for, in one of the snapshots that have it.
public struct FoundFile: Sendable {
  public let snapshot: Snapshot
  /// From the top of the snapshot.
  public let path: [UInt8]
  public let file: FileEntry
}

extension Archive {
  /// Calls back with what matches, snapshot for snapshot, in the order of names.
  ///
  /// Directories that several snapshots have in common are read once, as far as a bounded memory goes.
  ///
  /// - Parameters:
  ///   - queries: What is looked for; what matches several is found once.
  ///   - snapshots: Where, in this order; nil: in all, the oldest first.
  ///   - onFailure: Gets what cannot be read, while the rest is looked through.
  ///   - progress: Called for each directory that is read; throws to end it all.
  ///   - body: Gets each file; throws to end it all.
  /// - Throws: `StoreError`; what the closures throw.
  public func find(
    _ queries: [PathQuery], in snapshots: [Snapshot]? = nil, onFailure: (String) -> Void,
    progress: () throws -> Void = {}, _ body: (FoundFile) throws -> Void
  ) throws {
    let search = SnapshotSearch(queries, in: content)
    for snapshot in try snapshots ?? self.snapshots() {
      try search.run(snapshot, onFailure: onFailure, progress: progress, body)
    }
  }
}

/// Looks for files in one snapshot after the other, and remembers what was found below which pages.
///
/// Pages that another snapshot has, too, hold the same there. For one thread.
final class SnapshotSearch {
  /// What a directory is known by.
  private struct Place: Hashable {
    let pages: [RowID]
    /// nil where only the last names of paths count.
    let path: [UInt8]?
  }

  /// Something in a directory that was found, or leads to what was.
  private struct Hit {
    let file: FileEntry
    let isFound: Bool
    /// nil where nothing below it was found.
    let below: Place?
  }

  /// A directory that is being read.
  private struct Level {
    let place: Place
    /// nil for the top.
    let file: FileEntry?
    let isFound: Bool
    var hits: [Hit] = []
    /// Whether what is found in it is worth remembering: not where some of it is missing.
    var isWhole = true
  }

  private let queries: [PathQuery]
  private let content: ContentStore
  private let comparesPaths: Bool
  private var known: [Place: [Hit]] = [:]
  /// What may still be remembered: directories, hits, and 64 bytes of paths, each.
  private var room: Int
  private var levels: [Level] = []
  /// Directories that were read, and not remembered.
  private(set) var readCount = 0

  init(_ queries: [PathQuery], in content: ContentStore, room: Int = 1 << 17) {
    self.queries = queries
    self.content = content
    self.room = room
    comparesPaths = queries.contains(where: \.isAnchored)
  }

  func run(
    _ snapshot: Snapshot, onFailure: (String) -> Void, progress: () throws -> Void, _ body: (FoundFile) throws -> Void
  ) throws {
    func tell(_ path: [UInt8], _ file: FileEntry) throws {
      try body(FoundFile(snapshot: snapshot, path: path, file: file))
    }
    try progress()
    let top = place(snapshot.pages, [])
    if known[top] != nil { return try tellKnown(top, below: [], progress, tell) }
    levels = []
    enter(Level(place: top, file: nil, isFound: false))
    var walk = SnapshotWalk(snapshot.pages, of: content)
    while let step = try walk.next() {
      switch step {
      case .failure(let error, _):
        let directory = printable(walk.directory)
        onFailure("The directory “\(directory)” of snapshot \(snapshot.id.short) is not complete: \(error)")
        levels[levels.count - 1].isWhole = false
      case .end: leave()
      case .entry(let entry):
        let path = walk.path(of: entry)
        let isDirectory = entry.file.kind == .directory
        let isFound = queries.contains { $0.matches(path, isDirectory: isDirectory) }
        if isFound { try tell(path, entry.file) }
        guard case .pages(let pages) = entry.content else {
          if isFound { note(Hit(file: entry.file, isFound: true, below: nil)) }
          continue
        }
        try progress()
        let place = place(pages, path)
        if let hits = known[place] {
          walk.skip()
          try tellKnown(place, below: path, progress, tell)
          note(Hit(file: entry.file, isFound: isFound, below: hits.isEmpty ? nil : place))
        } else {
          enter(Level(place: place, file: entry.file, isFound: isFound))
        }
      }
    }
    leave()
  }

  private func place(_ pages: [RowID], _ path: [UInt8]) -> Place {
    Place(pages: pages, path: comparesPaths ? path : nil)
  }

  // MARK: Remembering

  private func enter(_ level: Level) {
    readCount += 1
    levels.append(level)
  }

  private func leave() {
    guard var level = levels.popLast() else { return }
    room -= 1 + (level.place.path?.count ?? 0) / 64
    level.isWhole = level.isWhole && room >= 0
    if level.isWhole { known[level.place] = level.hits }
    guard let file = level.file else { return }
    if level.isWhole {
      note(Hit(file: file, isFound: level.isFound, below: level.hits.isEmpty ? nil : level.place))
    } else {
      levels[levels.count - 1].isWhole = false
    }
  }

  private func note(_ hit: Hit) {
    let top = levels.count - 1
    guard levels[top].isWhole, hit.isFound || hit.below != nil else { return }
    room -= 1
    if room >= 0 { return levels[top].hits.append(hit) }
    levels[top].isWhole = false
    levels[top].hits = []
  }

  /// Tells of what is known to be below a directory.
  private func tellKnown(
    _ place: Place, below path: [UInt8], _ progress: () throws -> Void, _ tell: ([UInt8], FileEntry) throws -> Void
  ) throws {
    // Not by recursion: trees may be deeper than the stack.
    var rest = [(hits: (known[place] ?? [])[...], pathByteCount: path.count)]
    var path = path
    while let last = rest.indices.last {
      path.removeSubrange(rest[last].pathByteCount...)
      guard let hit = rest[last].hits.popFirst() else {
        rest.removeLast()
        continue
      }
      if !path.isEmpty { path.append(UInt8(ascii: "/")) }
      path += hit.file.name
      if hit.isFound { try tell(path, hit.file) }
      guard let below = hit.below else { continue }
      try progress()
      rest.append(((known[below] ?? [])[...], path.count))
    }
  }
}
