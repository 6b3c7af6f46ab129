internal import CFileSystem

/// A walk through the tree at a path, in the byte order of names, each directory before its content.
///
/// ```swift
/// var walk = try SourceWalk(from: SourceStart(path, onWarning: report))
/// while let step = walk.next() {
///   switch step {
///   case .entry(let entry): …   // walk.directory contains it; walk.skip() skips a directory's content
///   case .end(let directory): …
///   case .failure(let error): …
///   }
/// }
/// ```
///
/// The depth is not limited by descriptors, the stack or the length of paths. Memory is used for the names in the
/// directories from the start to the current position. Not thread-safe.
package struct SourceWalk {
  package enum Step: Sendable {
    /// An entry of a directory, or the start; the walk enters a directory next unless ``SourceWalk/skip()`` is called.
    case entry(FileEntry)
    /// The end of a directory, reported for each entered directory, even if parts of the directory could not be read.
    case end(FileEntry)
    /// An entry or a part of its metadata that cannot be read; the walk continues.
    case failure(FileError)
  }

  private struct Level {
    let entry: FileEntry
    var names: NameList
    var next = 0
    /// Whether the directory is on the trail, so that leaving it also leaves the trail's last level.
    var isOnTrail = false
  }

  private let owners: OwnerNames
  private var trail: DirectoryTrail
  private var levels: [Level] = []
  /// The start; nil once it was returned.
  private var start: FileEntry?
  /// The directory returned last, which is entered next.
  private var pending: FileEntry?
  /// The start, if it is already open.
  private var opened: SourceDirectory?
  private var failures: [FileError] = []
  private let opensFiles: Bool
  /// Whether the start is a directory and was listed at least in part; an empty directory counts as listed.
  private(set) var hasListedStart = false
  /// The regular file returned last, if it could be opened immediately; only set with `opensFiles`.
  package private(set) var file: SourceFile?

  /// Creates a walk.
  ///
  /// - Parameters:
  ///   - start: The file or directory to begin with.
  ///   - openLimit: The maximum number of directories open at once, besides the first.
  ///   - opensFiles: Whether the caller is going to read the regular files; ``file`` then avoids a second search for
  ///     each file.
  /// - Throws: ``FileError/Code/vanished`` if the start has no open directory.
  package init(from start: SourceStart, openLimit: Int = 32, opensFiles: Bool = false) throws(FileError) {
    self.opensFiles = opensFiles
    guard let root = start.parent ?? start.directory else { throw FileError(.open, start.entry.name, .vanished) }
    owners = root.owners
    trail = DirectoryTrail(root.handle, openLimit: openLimit)
    opened = start.directory
    self.start = start.entry
  }

  /// The directory that contains the entry returned last; nil if it could not be opened again.
  package var directory: SourceDirectory? { trail.current.map { SourceDirectory($0, owners) } }

  /// Skips the content of the directory returned last.
  package mutating func skip() { pending = nil }

  /// Returns the next step; nil at the end.
  ///
  /// - Parameter known: Returns an earlier entry for a name in ``directory``, or nil; called at most once for each
  ///   name, in order.
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
      // If it were in the snapshot, a restore would mistake it for a temporary file, or for the marker of an unfinished
      // directory.
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

  /// Enters a directory; one that cannot be opened or read still gets an end.
  private mutating func enter(_ entry: FileEntry) {
    var level = Level(entry: entry, names: NameList())
    do throws(FileError) {
      let inside = try open(entry)
      // The trail begins with the start's own handle, which must not be entered again.
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

/// The start of a walk: a path given by a user.
///
/// Symbolic links in the path are followed, except one in the last component, which is then the start itself. A path
/// that ends in "/", "." or ".." follows all links and refers to a directory. The length of the path is not limited.
package struct SourceStart: Sendable {
  /// The metadata; the name is the last component of the path, or empty for "/", "." and "..".
  package let entry: FileEntry
  /// The directory that contains ``entry``; nil if the path ends in "/", "." or "..".
  let parent: SourceDirectory?
  /// The open start directory if the path ends in "/", "." or ".."; otherwise nil.
  let directory: SourceDirectory?

  /// Opens the start of a walk.
  ///
  /// - Parameters:
  ///   - path: Absolute, or relative to the working directory.
  ///   - owners: The cache of user names, which several walks may share.
  ///   - onWarning: Called for attributes or flags of ``entry`` that cannot be read.
  /// - Throws: ``FileError/Code/vanished`` if the path is empty or does not exist.
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

  /// Splits a path into its last component, without trailing "/", and the path before it: "." if there is none.
  static func split(_ path: [UInt8]) -> (above: [UInt8], last: [UInt8]) {
    let slash = UInt8(ascii: "/")
    var end = path.count
    while end > 0, path[end - 1] == slash { end -= 1 }
    guard let begin = path[..<end].lastIndex(of: slash) else { return ([UInt8(ascii: ".")], Array(path[..<end])) }
    return (Array(path[...begin]), Array(path[begin..<end].dropFirst()))
  }

  /// Opens a directory by a path of any length, in parts that the system accepts.
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
