internal import Todana

extension Archive {
  /// Writes files of a snapshot as a tar stream, in the form that POSIX calls pax.
  ///
  /// What is damaged is left out and reported: its data are zeros where its header was written already.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - paths: What to write, with all that is below; none: everything.
  ///   - descriptor: A file or a pipe; it stays open.
  ///   - onFailure: Gets what cannot be written, while the rest is, and paths that are not there.
  ///   - progress: Called now and then; throws to end it all, which leaves a stream without an end.
  /// - Returns: How many files and directories were written.
  /// - Throws: ``ArchiveError/Code/tar`` where the stream cannot be written; `StoreError`; what `progress` throws.
  @discardableResult
  public func exportTar(
    _ snapshot: Snapshot, paths: [[UInt8]] = [], to descriptor: CInt, onFailure: (String) -> Void,
    progress: () throws -> Void = {}
  ) throws -> Int {
    let writer = try TarWriter(to: descriptor, name: Array("the tar stream".utf8))
    let reader = ContentReader(content)
    var walk = SnapshotWalk(snapshot.pages, of: content)
    var selection = PathSelection(paths)
    /// The first names of files that have several.
    var links: [FileIdentity: [UInt8]] = [:]
    var count = 0
    while let step = try walk.next() {
      try progress()
      switch step {
      case .end: break
      case .failure(let error, _):
        onFailure("The directory “\(printable(walk.directory))” is not complete: \(error)")
        selection.dismiss(below: walk.directory)
      case .entry(let entry):
        let path = walk.path(of: entry)
        let isDirectory = entry.file.kind == .directory
        switch selection.relation(of: path) {
        case .outside: walk.skip()
        // A directory on the way is written, too: it has its metadata from there.
        case .above where !isDirectory: break
        case .above, .selected:
          do {
            try write(entry, path, &links, reader, to: writer)
            count += 1
          } catch let error as ArchiveError where error.code == .damaged {
            onFailure("“\(printable(path))” is damaged and was not written: \(error)")
          }
        }
      }
    }
    for path in selection.unseen.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      onFailure("The snapshot has no “\(printable(path))”.")
    }
    try writer.finish()
    return count
  }

  /// Writes files of a snapshot as a tar, which gets its name when it is whole and durable.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - paths: What to write, with all that is below; none: everything.
  ///   - path: Of a new file, with permissions 0600; `.partial` stands behind its name until then.
  ///   - onFailure: Gets what cannot be written, while the rest is, and paths that are not there.
  ///   - progress: Called now and then; throws to end it all, which leaves no file.
  /// - Returns: How many files and directories were written.
  /// - Throws: ``FileError`` where the file cannot be made or written, ``FileError/Code/exists`` if there is one; what
  ///   ``exportTar(_:paths:to:onFailure:progress:)`` throws.
  @discardableResult
  public func exportTar(
    _ snapshot: Snapshot, paths: [[UInt8]] = [], toFile path: [UInt8], onFailure: (String) -> Void,
    progress: () throws -> Void = {}
  ) throws -> Int {
    let file = try PlacedFile(path, .init(offset: 257, bytes: Array("ustar".utf8)))
    let count = try exportTar(
      snapshot, paths: paths, to: file.descriptor, onFailure: onFailure, progress: progress)
    try file.finish()
    return count
  }

  private func write(
    _ entry: ArchiveEntry, _ path: [UInt8], _ links: inout [FileIdentity: [UInt8]], _ reader: ContentReader,
    to writer: TarWriter
  ) throws {
    let file = entry.file
    if file.kind != .directory, file.linkCount > 1 {
      if let first = links[file.identity] {
        return try writer.add(TarEntry(path: path, entry: file, hardLinkTarget: first))
      }
      links[file.identity] = path
    }
    try writer.add(
      TarEntry(path: path, entry: file, dataRanges: entry.extents.isEmpty ? nil : entry.extents.filter { !$0.isEmpty }))
    guard file.kind == .regular else { return }
    try unsafe reader.read(entry) { bytes, offset in try unsafe writer.write(bytes, at: offset) }
  }
}
