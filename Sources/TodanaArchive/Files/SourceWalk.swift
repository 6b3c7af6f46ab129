/// Goes through all that is at and below a path, in the order of names by bytes, each directory before what is in it.
///
/// ```swift
/// var walk = try SourceWalk(from: SourceStart(path, onWarning: report))
/// while let step = walk.next() {
///   switch step {
///   case .entry(let entry): …   // walk.directory is where it is in; walk.skip() leaves a directory out
///   case .end(let directory): …
///   case .failure(let error): …
///   }
/// }
/// ```
///
/// Neither descriptors, nor the stack, nor the length of paths limit how deep a tree may be. Memory: the names of the
/// directories from the start down to where the walk is. One thread at a time.
package struct SourceWalk {
  package enum Step: Sendable {
    /// Something of a directory, or the start. A directory is gone into next, unless it is skipped.
    case entry(FileEntry)
    /// All of a directory was seen, as far as it could be: each directory that was gone into has an end.
    case end(FileEntry)
    /// Something that cannot be read, or an attribute of it; the walk goes on without it.
    case failure(FileError)
  }

  private struct Level {
    let entry: FileEntry
    var names: NameList
    var next = 0
    /// Whether leaving it is a step back.
    var isOnTrail = false
  }

  private let owners: OwnerNames
  private var trail: DirectoryTrail
  private var levels: [Level] = []
  /// The start, until it was given out.
  private var start: FileEntry?
  /// A directory that was given out, and is gone into next.
  private var pending: FileEntry?
  /// The start where it is open already.
  private var opened: SourceDirectory?
  private var failures: [FileError] = []
  private let opensFiles: Bool
  /// Whether the start is a directory of which at least some names could be read, or that is empty.
  private(set) var hasListedStart = false
  /// The data of the regular file that was given out last, where they could be opened at once.
  package private(set) var file: SourceFile?

  /// - Parameters:
  ///   - start: What it begins with.
  ///   - openLimit: How many directories are open at once, at most, besides the first.
  ///   - opensFiles: Whether the regular files are going to be read: ``file`` then saves finding each twice.
  /// - Throws: ``FileError/Code/vanished`` where the start is in no directory that is open.
  package init(from start: SourceStart, openLimit: Int = 32, opensFiles: Bool = false) throws(FileError) {
    self.opensFiles = opensFiles
    guard let root = start.parent ?? start.directory else { throw FileError(.open, start.entry.name, .vanished) }
    owners = root.owners
    trail = DirectoryTrail(root.handle, openLimit: openLimit)
    opened = start.directory
    self.start = start.entry
  }

  /// The directory that the entry given out last is in; nil after a failure to get back to it.
  package var directory: SourceDirectory? { trail.current.map { SourceDirectory($0, owners) } }

  /// Does not go into the directory that was given out last.
  package mutating func skip() { pending = nil }

  /// The next step; nil when all was seen.
  ///
  /// - Parameter known: What is known of a name in ``directory`` from earlier; asked name by name, in their order.
  /// - Returns: The step.
  package mutating func next(known: (_ name: [UInt8]) -> FileEntry? = { _ in nil }) -> Step? {
    file = nil
    if let start {
      self.start = nil
      return give(start)
    }
    if let directory = pending.take() { enter(directory) }
    while true {
      if !failures.isEmpty { return .failure(failures.removeFirst()) }
      guard let level = levels.indices.last else { return nil }
      guard let current = directory, levels[level].next < levels[level].names.count else { return leave() }
      let name = levels[level].names[levels[level].next]
      let opens = opensFiles && levels[level].names.isRegular(at: levels[level].next)
      levels[level].next += 1
      // Restoring the snapshot would take it for a directory that has to be finished, or for a file to be removed.
      if TemporaryName.isReserved(name) {
        return .failure(FileError(.add, current.handle.path.bytes(of: name), .unfinished))
      }
      do throws(FileError) {
        guard opens else { return give(try current.entry(named: name, known: known(name)) { failures.append($0) }) }
        let opened = try current.openEntry(named: name, known: known(name)) { failures.append($0) }
        file = opened.file
        return give(opened.entry)
      } catch {
        failures.append(error)
      }
    }
  }

  private mutating func give(_ entry: FileEntry) -> Step {
    if entry.kind == .directory {
      pending = entry
      if UInt32(entry.permissions) == MetadataWriter.unfinishedPermissions {
        let path = directory?.handle.path.bytes(of: entry.name) ?? entry.name
        failures.append(FileError(.add, path, .unfinished, detail: "the directory has no permissions yet"))
      }
    }
    return .entry(entry)
  }

  /// A directory that cannot be gone into has an end all the same.
  private mutating func enter(_ entry: FileEntry) {
    var level = Level(entry: entry, names: NameList())
    do throws(FileError) {
      let inside = try open(entry)
      // The start's own handle is the first of the trail, and not gone into again.
      if inside.handle !== trail.root {
        trail.enter(inside.handle)
        level.isOnTrail = true
      }
      let (names, failure) = inside.handle.readableNames()
      level.names = names
      if let failure { failures.append(failure) }
      if levels.isEmpty, failure == nil || !names.isEmpty { hasListedStart = true }
    } catch {
      failures.append(error)
    }
    levels.append(level)
  }

  private mutating func open(_ entry: FileEntry) throws(FileError) -> SourceDirectory {
    if let opened = opened.take() { return opened }
    guard let directory else { throw FileError(.open, entry.name, .vanished) }
    return try directory.openDirectory(named: entry.name, expecting: entry.identity)
  }

  private mutating func leave() -> Step? {
    guard let level = levels.popLast() else { return nil }
    if level.isOnTrail {
      do throws(FileError) { try trail.leave() } catch { failures.append(error) }
    }
    return .end(level.entry)
  }
}
