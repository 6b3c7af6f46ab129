internal import Todana

extension Archive {
  /// Restores files of a snapshot beneath a target directory, and nowhere else.
  ///
  /// Nothing is written to the archive's own directory: if the target has it in a directory's place, that one is left out.
  ///
  /// An interrupted call can be made again: it restores the missing files, and finishes the directories that the first one
  /// has begun. How existing files are treated, ``RestoreOptions/overwriting`` says. Damaged files are left out and
  /// reported, and the rest is restored.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - target: A directory, made where only its last step is missing.
  ///   - options: What is restored, and what becomes of files that are there.
  ///   - progress: Called a few times a second; throws to end it all.
  /// - Returns: What was done.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for a target in the archive's own directory; ``FileError`` if the target
  ///   cannot be written at all, or is full; `StoreError`; errors of `progress`.
  public func extract(
    _ snapshot: Snapshot, to target: [UInt8], options: ExtractOptions = ExtractOptions(),
    progress: @escaping (ExtractProgress) throws -> Void = { _ in }
  ) throws -> ExtractProgress {
    guard !contains(directory: target) else {
      throw ArchiveError(.invalidArgument, "“\(printable(target))” is in the archive itself: restore to another place.")
    }
    var extraction = try Extraction(
      snapshot.pages, top: snapshot.top, of: content, at: identity, to: target, options, progress)
    return try extraction.run()
  }
}
