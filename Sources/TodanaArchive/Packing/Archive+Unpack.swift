internal import Todana

extension Archive {
  /// Makes an archive of a pack that ``pack(to:progress:)`` has written.
  ///
  /// The pack may come from anywhere: each of its bytes is checked, and what is not as it was written is refused. The
  /// checksums find damage, not forgery; what an encrypted archive holds is checked against its keys when it is read. The
  /// archive stands under its path with `.partial` behind it until it is whole and durable; whatever is thrown, nothing of
  /// it is left. What a killed process has left, the next unpacking to the same path replaces.
  ///
  /// No key is needed. The archive that is made has the identity of the one that was packed; an encrypted one takes a new
  /// key for what it writes from then on.
  ///
  /// - Parameters:
  ///   - descriptor: A file, pipe or socket that is open for reading. It is read to its end, and stays open.
  ///   - path: Where nothing, or an empty directory, is.
  ///   - progress: Called after each step, and several times a second while nothing comes; throwing from it ends the
  ///     unpacking.
  /// - Returns: What the pack has.
  /// - Throws: ``ArchiveError/Code/exists``, ``ArchiveError/Code/notAPack``, ``ArchiveError/Code/newerFormat``,
  ///   ``ArchiveError/Code/damaged``; `FileError` where the stream cannot be read; `StoreError` where the archive cannot be
  ///   written; what `progress` throws.
  /// - Complexity: O(*n*) in the bytes of the pack; less than a megabyte of memory.
  @discardableResult
  public static func unpack(
    from descriptor: CInt, to path: String, progress: (PackProgress) throws -> Void = { _ in }
  ) throws -> PackSummary {
    try checkPlace(path)
    var reader = try PackReader(descriptor)
    try Store.restore(
      at: path,
      fromParts: {
        let progressNow = PackProgress(
          doneByteCount: reader.doneByteCount, byteCount: reader.summary?.byteCount ?? 0)
        return try reader.next { try progress(progressNow) }
      })
    guard let summary = reader.summary else { throw ArchiveError(.notAPack, "This is no pack.") }
    return summary
  }
}
