internal import Todana

/// A search result: a file or directory in one snapshot.
public struct FoundFile: Sendable {
  public let snapshot: Snapshot
  /// The path from the top of the snapshot.
  public let path: [UInt8]
  public let file: FileEntry
}

extension Archive {
  /// Calls back with each match, snapshot by snapshot, in the order of names.
  ///
  /// A directory that several snapshots share is read once, unless the results to remember exceed a fixed limit.
  ///
  /// - Parameters:
  ///   - queries: The queries; a file that matches several is reported once.
  ///   - snapshots: The snapshots to search, in this order; nil: all, the oldest first.
  ///   - onFailure: Receives a message for each directory that cannot be read; the rest is searched.
  ///   - progress: Called for each directory that is read; throws to cancel.
  ///   - body: Receives each match; throws to cancel.
  /// - Throws: `StoreError`; errors of the closures.
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

/// Searches snapshots one after the other, and remembers the matches below each directory by its pages.
///
/// Pages have the same content in every snapshot that shares them. Not thread-safe.
final class SnapshotSearch {
  /// The key of a remembered directory.
  private struct Place: Hashable {
    let pages: [RowID]
    /// The path of the directory; nil if the queries compare last names only.
    let path: [UInt8]?
  }

  /// A remembered entry that matched, or that leads to matches below it.
  private struct Hit {
    let file: FileEntry
    let isFound: Bool
    /// The key of the directory if it has matches below it, otherwise nil.
    let below: Place?
  }

  /// A directory that is being read.
  private struct Level {
    let place: Place
    /// The entry of the directory; nil for the top of the snapshot.
    let file: FileEntry?
    let isFound: Bool
    var hits: [Hit] = []
    /// Whether the hits are complete and can be remembered: false if a part could not be read or did not fit.
    var isWhole = true
  }

  private let queries: [PathQuery]
  private let content: ContentStore
  private let comparesPaths: Bool
  private var known: [Place: [Hit]] = [:]
  /// The remaining capacity of the memory; each directory, each hit, and each 64 bytes of paths take 1.
  private var room: Int
  private var levels: [Level] = []
  /// The number of directories that were read, because their matches were not remembered.
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
        let directory = DirectoryName(walk.directory)
        onFailure("In snapshot \(snapshot.id.short), the \(directory) is incomplete: \(error)")
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

  /// Reports the remembered matches below a directory.
  private func tellKnown(
    _ place: Place, below path: [UInt8], _ progress: () throws -> Void, _ tell: ([UInt8], FileEntry) throws -> Void
  ) throws {
    // Iterates, as trees may be deeper than the stack allows for recursion.
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
