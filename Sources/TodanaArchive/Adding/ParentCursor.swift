internal import Todana

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A position in an earlier snapshot that follows the walks of an `add`, and finds entries of the same names.
///
/// Files whose earlier entries cannot be read are treated as new.
struct ParentCursor: ~Copyable {
  /// A directory of the earlier snapshot, read in the order of names.
  private final class Level {
    private let pages: [RowID]
    private let content: ContentStore
    private var reader: DirectoryReader
    private var peeked: ArchiveEntry?
    private var lastName: [UInt8] = []

    init(_ pages: [RowID], of content: ContentStore) {
      self.pages = pages
      self.content = content
      reader = DirectoryReader(pages, of: content)
    }

    /// A level with one entry.
    convenience init(_ entry: ArchiveEntry, of content: ContentStore) {
      self.init([], of: content)
      peeked = entry
    }

    /// Returns the entry with a name; nil if there is none.
    ///
    /// Searches forward from the name of the last call, or from the start for a smaller name.
    func find(_ name: [UInt8]) -> ArchiveEntry? {
      if let found = findAhead(name) { return found }
      guard name.lexicographicallyPrecedes(lastName) else {
        lastName = name
        return nil
      }
      reader = DirectoryReader(pages, of: content)
      peeked = nil
      return findAhead(name)
    }

    private func findAhead(_ name: [UInt8]) -> ArchiveEntry? {
      while true {
        if peeked == nil {
          do {
            peeked = try reader.next()
          } catch {
            continue
          }
        }
        guard let entry = peeked else { return nil }
        if entry.file.name == name {
          lastName = name
          return entry
        }
        if name.lexicographicallyPrecedes(entry.file.name) { return nil }
        peeked = nil
      }
    }
  }

  private let content: ContentStore
  private let snapshot: Snapshot?
  private let places: ParentPlaces?
  /// The names from the top to the directory in which the last path was searched for.
  private var baseNames: [[UInt8]] = []
  /// The top, the directories of ``baseNames``, and the directories of the walk; nil if missing in the earlier
  /// snapshot.
  private var levels: [Level?]

  /// Creates a cursor at the top of an earlier snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The earlier snapshot; nil if there is none.
  ///   - content: The content store of the archive.
  ///   - new: The snapshot that is being made.
  init(_ snapshot: Snapshot?, of content: ContentStore, for new: NewSnapshot) {
    self.content = content
    self.snapshot = snapshot
    places = snapshot.map { ParentPlaces(of: $0, for: new) }
    levels = [snapshot.map { Level($0.pages, of: content) }]
  }

  /// Begins a walk at a path.
  ///
  /// If paths come in the order of their places, each directory is read only once.
  ///
  /// - Parameters:
  ///   - path: The path as the user gave it.
  ///   - name: Its name in the new snapshot; nil for a directory whose content is at the top.
  mutating func begin(at path: [UInt8], named name: [UInt8]?) {
    guard let snapshot, let place = places?.place(of: path) else { return }
    guard let name else { return moveBase(to: place) }
    moveBase(to: Array(place.dropLast()))
    var root =
      place.last.map { find($0) } ?? snapshot.top.map { ArchiveEntry(file: $0, content: .pages(snapshot.pages)) }
    // The earlier snapshot may have the entry under another name.
    root?.file.name = name
    levels.append(root.map { Level($0, of: content) })
  }

  /// Leaves the last walk, and opens the directory at the end of `names`, beginning at the top.
  private mutating func moveBase(to names: [[UInt8]]) {
    let sharedCount = zip(baseNames, names).prefix { $0 == $1 }.count
    levels.removeLast(levels.count - 1 - sharedCount)
    for name in names.dropFirst(sharedCount) { enter(find(name)) }
    baseNames = names
  }

  /// Returns the entry with a name in the current directory; fastest if names are searched for in ascending order.
  mutating func find(_ name: [UInt8]) -> ArchiveEntry? { levels.last.flatMap { $0 }?.find(name) }

  /// Tests whether the data of an entry are damaged or missing, so that the file must be read again.
  func isDamagedOrMissing(_ entry: ArchiveEntry) throws -> Bool { try content.isDamagedOrMissing(entry.content) }

  /// Follows the walk into a directory.
  mutating func enter(_ entry: ArchiveEntry?) {
    guard let entry, case .pages(let pages) = entry.content, !pages.isEmpty else { return levels.append(nil) }
    levels.append(Level(pages, of: content))
  }

  mutating func leave() { levels.removeLast() }
}

/// The places of paths in an earlier snapshot.
///
/// A directory may have another place there: `add ann` in `/home` stores it at the top, `add /home/ann` in a directory
/// `home`.
struct ParentPlaces {
  /// The places of the earlier snapshot's paths, by their absolute forms.
  ///
  /// Empty if both snapshots have the same paths in the same form, or if the working directory of one is unknown. The
  /// places of the new snapshot then apply to both.
  private let places: [[UInt8]: [[UInt8]]]
  private let workingDirectory: [UInt8]

  /// Computes the places of the paths of an earlier snapshot.
  ///
  /// - Parameters:
  ///   - parent: The earlier snapshot.
  ///   - new: The snapshot that is being made.
  init(of parent: Snapshot, for new: NewSnapshot) {
    workingDirectory = new.workingDirectory
    let isSame = parent.paths == new.paths && parent.workingDirectory == new.workingDirectory
    guard !isSame, !new.workingDirectory.isEmpty, !parent.workingDirectory.isEmpty else {
      places = [:]
      return
    }
    places = Dictionary(
      parent.paths.map { path in
        (AbsolutePath.bytes(of: path, in: parent.workingDirectory), SourceRoots.place(of: path))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the names that lead from the top of the earlier snapshot to a path of the new one; none for the top
  /// itself.
  ///
  /// If the path is not in the earlier snapshot, returns its place in the new snapshot. An example is a path with a
  /// date, at which a copy of the file system is mounted.
  ///
  /// - Complexity: O(*n*) in the length of the path and its number of components.
  func place(of path: [UInt8]) -> [[UInt8]] {
    if places.isEmpty { return SourceRoots.place(of: path) }
    var directory = AbsolutePath.bytes(of: path, in: workingDirectory)[...]
    var names: [[UInt8]] = []
    while true {
      if let place = places[Array(directory)] { return place + names.reversed() }
      guard directory.count > 1, let slash = directory.lastIndex(of: UInt8(ascii: "/")) else {
        return SourceRoots.place(of: path)
      }
      names.append(Array(directory[(slash + 1)...]))
      directory = slash == directory.startIndex ? directory[...slash] : directory[..<slash]
    }
  }
}

extension Archive {
  /// Returns the snapshot to compare files with, so that unchanged files of a new snapshot need not be read again.
  ///
  /// Only snapshots of the same host are considered. With a label, this is the newest one of that label, if possible
  /// with the same set of paths. Otherwise it is the newest one with the same set of paths. A snapshot with a time in
  /// the future is chosen only if there is no other: it may be old, made while the clock was wrong.
  func parent(of new: NewSnapshot) throws -> Snapshot? {
    let snapshots = try snapshots().filter { $0.host == new.host }
    let now = Date()
    let ordered = snapshots.filter { $0.time > now } + snapshots.filter { $0.time <= now }
    let isSame = comparison(with: new)
    if let label = new.label {
      let series = ordered.filter { $0.label == label }
      if let found = series.last(where: isSame) ?? series.last { return found }
    }
    return ordered.last(where: isSame)
  }

  /// Returns a function that tests whether a snapshot has the same set of paths as a new one.
  private func comparison(with new: NewSnapshot) -> (Snapshot) -> Bool {
    let directory = new.workingDirectory
    lazy var wanted = AbsolutePath.set(of: new.paths, in: directory)
    return { snapshot in
      // Usually the paths were given in the same form, and need not be compared one by one.
      if snapshot.paths == new.paths, snapshot.workingDirectory == directory { return true }
      guard !directory.isEmpty, snapshot.paths.count >= wanted.count else { return false }
      if !snapshot.workingDirectory.isEmpty { return snapshot.absolutePaths == wanted }
      // Older versions of the format do not store the working directory.
      return AbsolutePath.set(of: snapshot.paths, in: directory) == wanted
    }
  }
}
