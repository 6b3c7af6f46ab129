internal import Glibc
internal import Todana

/// A builder of a directory tree from entries in any order, which holds the tree in memory and writes it at the end.
///
/// A later entry replaces an earlier one at the same path, as when a tar is unpacked. Directories without an entry get
/// permissions 0755, the owner of this process, and the newest time of the entries below them.
///
/// Memory: 130 to 200 bytes for a file with a short name, regardless of the length of the file, unless it has many
/// chunks. Entries are not written to a temporary file, which would contain names and attributes unencrypted.
///
/// Not thread-safe.
final class UnorderedTreeBuilder {
  /// The reason why an entry cannot be in the tree.
  struct Refusal: Error {
    let reason: String
  }

  private enum Content {
    /// A directory without an entry, made for the entries below it.
    case madeDirectory
    case directory(EntryRecords.Record)
    case file(EntryRecords.Record)
    /// A new node that has no entry yet.
    case nothing

    var isDirectory: Bool {
      switch self {
      case .madeDirectory, .directory: true
      case .file, .nothing: false
      }
    }
  }

  private var paths = PathIndex()
  /// The content of each node, indexed by its number.
  private var contents: [Content] = [.madeDirectory]
  private var records = EntryRecords()
  /// The number of names of each file that has several.
  private var linkCounts: [EntryRecords.Record: UInt64] = [:]
  /// The newest modification time of the entries below each directory without an entry, except the root.
  private var newestTimes: [PathIndex.Node: FileTime] = [:]
  /// The directory used last, which usually is the next one, too.
  private var lastDirectory: (path: [UInt8], node: PathIndex.Node) = ([], PathIndex.root)

  var isEmpty: Bool { paths.count == 1 }

  // MARK: Placing

  /// Places an entry at a path.
  ///
  /// - Parameters:
  ///   - entry: The entry. Its name is replaced by the last component of the path; the pages of a directory are
  ///     ignored.
  ///   - path: Components with "/" between them, none of them empty, "." or "..".
  /// - Throws: ``Refusal`` if a component above the last one is a file, or if a file would replace a directory with
  ///   content; ``ArchiveError``.
  func place(_ entry: ArchiveEntry, at path: [UInt8]) throws {
    let node = try node(at: path, entry.file.modificationTime)
    let isDirectory = entry.file.kind == .directory
    if !isDirectory { try checkEmpty(node) }
    let record = try records.append(entry)
    set(isDirectory ? .directory(record) : .file(record), at: node)
  }

  /// Gives the file at a path another name.
  ///
  /// - Parameters:
  ///   - path: The new path, as for ``place(_:at:)``.
  ///   - target: The path of a file that was placed before.
  ///   - time: The modification time, for directories that are made for the new path.
  /// - Throws: ``Refusal`` if the file does not exist, or if a file cannot be placed at the new path; ``ArchiveError``.
  func link(_ path: [UInt8], to target: [UInt8], time: FileTime) throws {
    guard let targetNode = find(target), case .file(let record) = contents[Int(targetNode)] else {
      throw Refusal(reason: "it is a hard link to “\(printable(target))”, which is missing or not a file")
    }
    let node = try node(at: path, time)
    try checkEmpty(node)
    if case .file(record) = contents[Int(node)] { return }
    set(.file(record), at: node)
    linkCounts[record, default: 1] += 1
  }

  private func checkEmpty(_ node: PathIndex.Node) throws {
    if paths.hasChildren(node) { throw Refusal(reason: "a directory that is not empty is in its place") }
  }

  private func set(_ content: Content, at node: PathIndex.Node) {
    if case .file(let record) = contents[Int(node)], let count = linkCounts[record] {
      linkCounts[record] = count > 2 ? count - 1 : nil
    }
    newestTimes[node] = nil
    contents[Int(node)] = content
  }

  // MARK: Paths

  private static let slash = UInt8(ascii: "/")

  private func find(_ path: [UInt8]) -> PathIndex.Node? {
    var node = PathIndex.root
    for step in path.split(separator: Self.slash) {
      guard let child = paths.child(step, of: node) else { return nil }
      node = child
    }
    return node
  }

  /// Returns the node of a path, and makes it and the directories above it if they are missing.
  private func node(at path: [UInt8], _ time: FileTime) throws -> PathIndex.Node {
    let end = path.lastIndex(of: Self.slash)
    let parent = try directory(path[..<(end ?? 0)], time)
    let name = path[(end.map { $0 + 1 } ?? 0)...]
    if let node = paths.child(name, of: parent) { return node }
    contents.append(.nothing)
    return try paths.insert(name, into: parent)
  }

  private func directory(_ path: ArraySlice<UInt8>, _ time: FileTime) throws -> PathIndex.Node {
    if !lastDirectory.path.elementsEqual(path) || !contents[Int(lastDirectory.node)].isDirectory {
      lastDirectory = (Array(path), try directory(path))
    }
    note(time, in: lastDirectory.node)
    return lastDirectory.node
  }

  private func directory(_ path: ArraySlice<UInt8>) throws -> PathIndex.Node {
    var node = PathIndex.root
    var rest = path
    // Usually the next directory is in the last one.
    if path.starts(with: lastDirectory.path), path.dropFirst(lastDirectory.path.count).first == Self.slash,
      contents[Int(lastDirectory.node)].isDirectory
    {
      node = lastDirectory.node
      rest = path.dropFirst(lastDirectory.path.count)
    }
    for step in rest.split(separator: Self.slash) {
      if let child = paths.child(step, of: node) {
        if case .file = contents[Int(child)] {
          throw Refusal(reason: "“\(printable(Array(path[..<step.endIndex])))” is not a directory")
        }
        node = child
      } else {
        contents.append(.madeDirectory)
        node = try paths.insert(step, into: node)
      }
    }
    return node
  }

  /// Updates the times of directories without an entry, which are as new as the newest entry below them.
  private func note(_ time: FileTime, in node: PathIndex.Node) {
    var node = node
    while node != PathIndex.root, case .madeDirectory = contents[Int(node)] {
      if let newest = newestTimes[node], newest >= time { return }
      newestTimes[node] = time
      node = paths.parent(of: node)
    }
  }

  // MARK: Writing

  /// Writes the whole tree in the order of names.
  ///
  /// - Parameters:
  ///   - tree: A writer at the root of its tree; nil only counts the entries.
  ///   - onEntry: Called after each entry; may throw to cancel.
  /// - Returns: The counts of the tree.
  /// - Throws: `StoreError`; errors of `onEntry`.
  func write(to tree: TreeWriter?, onEntry: () throws -> Void) throws -> SnapshotCounts {
    var counts = SnapshotCounts()
    /// The numbers assigned to files with several names, in the order of their first names, so that equal trees get
    /// equal pages.
    var numbers: [EntryRecords.Record: UInt64] = [:]
    var levels = [(children: paths.children(of: PathIndex.root), next: 0)]
    while let level = levels.last {
      guard level.next < level.children.count else {
        levels.removeLast()
        if !levels.isEmpty { try tree?.leave() }
        continue
      }
      levels[levels.count - 1].next += 1
      let node = level.children[level.next]
      guard var entry = try entry(of: node) else { continue }
      if entry.file.kind == .directory {
        counts.directories += 1
        tree?.enter(entry.file)
        levels.append((paths.children(of: node), 0))
      } else {
        if case .file(let record) = contents[Int(node)], let count = linkCounts[record] {
          let number = numbers[record] ?? UInt64(numbers.count) + 1
          numbers[record] = number
          entry.file.identity = FileIdentity(device: 0, inode: number)
          entry.file.linkCount = count
        }
        counts.add(entry.file)
        try tree?.append(entry)
      }
      try onEntry()
    }
    return counts
  }

  private func entry(of node: PathIndex.Node) throws -> ArchiveEntry? {
    var entry: ArchiveEntry
    switch contents[Int(node)] {
    case .nothing: return nil
    case .file(let record), .directory(let record): entry = try records[record]
    case .madeDirectory:
      let time = newestTimes[node] ?? FileTime(seconds: 0)
      entry = ArchiveEntry(
        file: FileEntry(
          name: [], kind: .directory, permissions: 0o755, owner: ownOwner, modificationTime: time,
          changeTime: FileTime(seconds: 0), identity: FileIdentity(device: 0, inode: 0), linkCount: 1, byteCount: 0),
        content: .pages([]))
    }
    entry.file.name = Array(paths.name(of: node))
    return entry
  }

  private lazy var ownOwner = OwnerNames().owner(userID: getuid(), groupID: getgid())
}
