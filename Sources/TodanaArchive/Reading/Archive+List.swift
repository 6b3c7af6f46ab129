internal import Todana

/// A file or directory in a list of a snapshot.
public struct ListedFile: Sendable {
  /// The path from the top of the snapshot.
  public let path: [UInt8]
  public let file: FileEntry

  public init(path: [UInt8], file: FileEntry) {
    self.path = path
    self.file = file
  }
}

extension Archive {
  /// Calls back with the entries of a snapshot in the order of names, each directory before the entries in it.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - paths: The paths to list, with everything below them; if empty, everything.
  ///   - isRecursive: Whether directories are listed with everything below them; if false, only with the entries
  ///     directly in them.
  ///   - onFailure: Receives a message for each directory that cannot be read, and for each path that the snapshot does
  ///     not have; the rest is listed.
  ///   - body: Receives each entry; throws to cancel.
  /// - Throws: `StoreError`; errors of `body`.
  public func list(
    _ snapshot: Snapshot, paths: [[UInt8]] = [], isRecursive: Bool = true, onFailure: (String) -> Void,
    _ body: (ListedFile) throws -> Void
  ) throws {
    var walk = SnapshotWalk(snapshot.pages, of: content)
    var selection = PathSelection(paths)
    while let step = try walk.next() {
      switch step {
      case .failure(let error, _):
        onFailure("The \(DirectoryName(walk.directory)) is incomplete: \(error)")
        selection.dismiss(below: walk.directory)
      case .end: break
      case .entry(let entry):
        let path = walk.path(of: entry)
        let isSelected = selection.relation(of: path) == .selected
        let isAskedFor = selection.isAskedFor(path)
        if isSelected, isRecursive || isAskedFor || selection.isAskedFor(walk.directory) {
          try body(ListedFile(path: path, file: entry.file))
        }
        if !(isSelected && isRecursive || isAskedFor || selection.leadsFurther(path)) { walk.skip() }
      }
    }
    for path in selection.unseen.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      onFailure("The snapshot does not contain “\(printable(path))”.")
    }
  }

  /// Calls back with the content of a file.
  ///
  /// - Parameters:
  ///   - path: The path of a regular file in the snapshot.
  ///   - snapshot: A snapshot of this archive.
  ///   - body: Receives the bytes in order, with holes as zeros.
  /// - Throws: ``ArchiveError/Code/fileNotFound``, ``ArchiveError/Code/damaged``; errors of `body`.
  public func read(
    _ path: [UInt8], of snapshot: Snapshot, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let entry = try entry(path, of: snapshot)
    guard entry.file.kind == .regular else {
      throw ArchiveError(.fileNotFound, "“\(printable(path))” is not a regular file.")
    }
    var position: Int64 = 0
    func fill(to end: Int64) throws {
      let zeros = [UInt8](repeating: 0, count: Int(min(end - position, 1 << 16)))
      while position < end {
        let count = Int(min(end - position, Int64(zeros.count)))
        try unsafe zeros.withUnsafeBytes { try unsafe body(.init(rebasing: $0[..<count])) }
        position += Int64(count)
      }
    }
    try unsafe ContentReader(content).read(entry) { bytes, offset in
      try fill(to: offset)
      try unsafe body(bytes)
      position += Int64(bytes.count)
    }
    try fill(to: entry.file.byteCount)
  }

  /// Returns the entry at a path.
  func entry(_ path: [UInt8], of snapshot: Snapshot) throws -> ArchiveEntry {
    let steps = PathSelection([path]).paths[0].split(separator: UInt8(ascii: "/")).map { Array($0) }
    var pages = snapshot.pages
    for (index, name) in steps.enumerated() {
      var reader = DirectoryReader(pages, of: content)
      var found: ArchiveEntry?
      while found == nil, let entry = try reader.next() {
        if entry.file.name == name { found = entry }
      }
      guard let found else { break }
      if index == steps.count - 1 { return found }
      guard case .pages(let next) = found.content else { break }
      pages = next
    }
    throw ArchiveError(.fileNotFound, "The snapshot does not contain “\(printable(path))”.")
  }
}
