/// Makes regular files with their data.
///
/// For one thread.
struct FileRestorer {
  private let reader: ContentReader

  init(_ archive: ArchiveStore, _ groups: SharedGroups) { reader = ContentReader(archive, groups) }

  /// - Parameters:
  ///   - entry: A regular file.
  ///   - target: Where it is made.
  ///   - onWriting: Gets the number of bytes that were written.
  /// - Returns: Which file it is.
  /// - Throws: ``FileError``; ``ArchiveError/Code/damaged`` where its data are not there: it is not made then.
  func restore(
    _ entry: ArchiveEntry, in target: TargetDirectory, onWriting: (Int) throws -> Void
  ) throws -> FileIdentity {
    let made = try target.makeFile(entry.file)
    try unsafe reader.read(entry) { bytes, offset in
      try unsafe made.write(bytes, at: offset)
      try onWriting(bytes.count)
    }
    return try made.finish()
  }
}
