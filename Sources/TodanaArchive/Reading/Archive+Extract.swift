internal import Todana

extension Archive {
  /// Restores files of a snapshot beneath a target directory, and nowhere else.
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
  /// - Throws: ``FileError`` where the target cannot be written at all, or is full; `StoreError`; what `progress` throws.
  public func extract(
    _ snapshot: Snapshot, to target: [UInt8], options: ExtractOptions = ExtractOptions(),
    progress: @escaping (ExtractProgress) throws -> Void = { _ in }
  ) throws -> ExtractProgress {
    var extraction = try Extraction(
      snapshot.pages, top: snapshot.top, of: stores, to: target, options, progress)
    return try extraction.run()
  }
}
