/// Makes regular files with their data, and compares existing ones.
///
/// For one thread.
struct FileRestorer {
  private let reader: ContentReader
  private let comparison: FileContentComparison
  private let isDryRun: Bool

  init(_ content: ContentStore, _ groups: SharedGroups, isDryRun: Bool) {
    reader = ContentReader(content, groups)
    comparison = FileContentComparison(reader)
    self.isDryRun = isDryRun
  }

  /// The result for one file.
  struct Result {
    let outcome: ExtractOptions.Outcome
    /// The file in the target; nil in a dry run that would make it.
    let identity: FileIdentity?
  }

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - entry: A regular file.
  ///   - target: The directory in which it is made.
  ///   - onWriting: Gets the number of bytes that were written.
  /// - Returns: The file.
  /// - Throws: ``FileError``; ``ArchiveError/Code/damaged`` if its data are missing: the file is not made then.
  func restore(
    _ entry: ArchiveEntry, in target: TargetDirectory?, onWriting: (Int) throws -> Void
  ) throws -> Result {
    guard !isDryRun, let target else {
      try onWriting(Int(clamping: entry.dataByteCount))
      return Result(outcome: .restored, identity: nil)
    }
    let made = try target.makeFile(entry.file)
    try unsafe reader.read(entry) { bytes, offset in
      try unsafe made.write(bytes, at: offset)
      try onWriting(bytes.count)
    }
    // Other names are made later, which an immutable file does not take.
    return Result(outcome: .restored, identity: try made.finish(locks: entry.file.linkCount <= 1))
  }

  /// Compares the content of an existing file of the same length with a file of the archive, and then its metadata; makes
  /// the file again if its content is different.
  ///
  /// - Throws: As ``restore(_:in:onWriting:)``; also if the data that were to be compared are missing.
  func compare(
    _ entry: ArchiveEntry, in target: TargetDirectory, onWriting: (Int) throws -> Void
  ) throws -> Result {
    guard try hasContent(of: entry, in: target) else { return try restore(entry, in: target, onWriting: onWriting) }
    let update = try target.updateMetadata(entry.file, prefersNewFile: true)
    if update == .needsNewFile { return try restore(entry, in: target, onWriting: onWriting) }
    let identity = try target.identity(of: entry.file.name)?.identity
    return Result(outcome: update == .wasRight ? .right : .updated, identity: identity)
  }

  /// A file that cannot be read is taken for a different one: it can be replaced.
  private func hasContent(of entry: ArchiveEntry, in target: TargetDirectory) throws -> Bool {
    do {
      let file = try target.openExistingFile(entry.file.name)
      return try comparison.isEqual(file, entry)
    } catch let error as FileError where error.code != .tooManyOpenFiles {
      return false
    }
  }
}
