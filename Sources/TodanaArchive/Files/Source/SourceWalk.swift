internal import CFileSystem

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

/// What a walk begins with: a path that a user gave.
///
/// Links in the path are followed, as every program does, but one in its last step is itself what the walk begins with.
/// A path that ends in "/", "." or ".." is that of a directory, behind whatever links. There is no limit to its length.
package struct SourceStart: Sendable {
  /// With the last step of the path as its name; with none for "/", "." and "..".
  package let entry: FileEntry
  /// Where ``entry`` is in; nil for a directory that was opened by itself.
  let parent: SourceDirectory?
  /// The directory itself, where it was opened as one.
  let directory: SourceDirectory?

  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory.
  ///   - owners: What knows the names of users; several walks may share it.
  ///   - onWarning: Called for each attribute of ``entry`` that cannot be read.
  /// - Throws: ``FileError/Code/vanished`` where there is nothing, and for the empty path.
  package init(
    _ path: [UInt8], owners: OwnerNames = OwnerNames(), onWarning: (FileError) -> Void
  ) throws(FileError) {
    let (above, last) = Self.split(path)
    if path.last == UInt8(ascii: "/") || !FileName.isStep(last) {
      let opened = SourceDirectory(try Self.open(path), owners)
      entry = try opened.ownEntry(named: FileName.isStep(last) ? last : [], onWarning: onWarning)
      (parent, directory) = (nil, opened)
    } else {
      let opened = SourceDirectory(try Self.open(above), owners)
      entry = try opened.entry(named: last, onWarning: onWarning)
      (parent, directory) = (opened, nil)
    }
  }

  /// The last step of a path, without "/" behind it, and what is before it: "." for a path of one step.
  static func split(_ path: [UInt8]) -> (above: [UInt8], last: [UInt8]) {
    let slash = UInt8(ascii: "/")
    var end = path.count
    while end > 0, path[end - 1] == slash { end -= 1 }
    guard let begin = path[..<end].lastIndex(of: slash) else { return ([UInt8(ascii: ".")], Array(path[..<end])) }
    return (Array(path[...begin]), Array(path[begin..<end].dropFirst()))
  }

  /// Opens a directory by a path of any length, in parts that the system takes.
  static func open(_ path: [UInt8]) throws(FileError) -> DirectoryHandle {
    let slash = UInt8(ascii: "/")
    var rest = path[...]
    var directory: DirectoryHandle?
    while rest.count > Int(TDF_PATH_SIZE_MAX) {
      guard let end = rest.prefix(Int(TDF_PATH_SIZE_MAX)).lastIndex(of: slash) else { break }
      directory = try .open(rest[...end], from: directory)
      rest = rest[end...].drop { $0 == slash }
    }
    if rest.isEmpty, let directory { return directory }
    return try .open(rest, from: directory)
  }
}
