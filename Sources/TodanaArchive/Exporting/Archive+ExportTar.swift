internal import Todana

extension Archive {
  /// Writes files of a snapshot as a tar stream in the POSIX pax format.
  ///
  /// Damaged files are left out and reported. If a file is found damaged after its header was written, its missing data
  /// are zeros.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - paths: The paths to write, with everything below them; if empty, everything.
  ///   - descriptor: A file or pipe; it stays open.
  ///   - onFailure: Receives a message for each file that cannot be written, and for each path that the snapshot does
  ///     not have; the rest is written.
  ///   - progress: Called repeatedly; throws to cancel, which leaves a stream without an end.
  /// - Returns: The number of written files and directories.
  /// - Throws: ``ArchiveError/Code/tar`` if the stream cannot be written; `StoreError`; errors of `progress`.
  @discardableResult
  public func exportTar(
    _ snapshot: Snapshot, paths: [[UInt8]] = [], to descriptor: CInt, onFailure: (String) -> Void,
    progress: () throws -> Void = {}
  ) throws -> Int {
    let writer = try TarWriter(to: descriptor, name: Array("the tar stream".utf8))
    let reader = ContentReader(content)
    var walk = SnapshotWalk(snapshot.pages, of: content)
    var selection = PathSelection(paths)
    /// The first path of each file with several hard links.
    var links: [FileIdentity: [UInt8]] = [:]
    var count = 0
    while let step = try walk.next() {
      try progress()
      switch step {
      case .end: break
      case .failure(let error, _):
        onFailure("The \(DirectoryName(walk.directory)) is incomplete: \(error)")
        selection.dismiss(below: walk.directory)
      case .entry(let entry):
        let path = walk.path(of: entry)
        let isDirectory = entry.file.kind == .directory
        switch selection.relation(of: path) {
        case .outside: walk.skip()
        // A directory above a selected path is written for its metadata.
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
      onFailure("The snapshot does not contain “\(printable(path))”.")
    }
    try writer.finish()
    return count
  }

  /// Writes files of a snapshot as a tar file, which gets its name when it is complete and durable.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - paths: The paths to write, with everything below them; if empty, everything.
  ///   - path: The path of the new file, with permissions 0600. Until the file is complete, its name ends with
  ///     `.partial`.
  ///   - onFailure: Receives a message for each file that cannot be written, and for each path that the snapshot does
  ///     not have; the rest is written.
  ///   - progress: Called repeatedly; throws to cancel, which leaves no file.
  /// - Returns: The number of written files and directories.
  /// - Throws: ``FileError`` if the file cannot be created or written, with ``FileError/Code/exists`` if it exists;
  ///   errors of ``exportTar(_:paths:to:onFailure:progress:)``.
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
