internal import Foundation
internal import Todana

extension Archive {
  /// Writes the whole archive to one stream, from which ``unpack(from:to:progress:)`` restores it.
  ///
  /// The pack contains the state of one commit, the newest at the time of the call. The archive's bytes are written as
  /// they are on disk, so encrypted data stay encrypted. No temporary files are used, and less than a megabyte of
  /// memory. The format, a tar, is described in docs/formats/pack.md.
  ///
  /// - Parameters:
  ///   - descriptor: A file, pipe or socket that is open for writing. It stays open, and is not flushed to disk.
  ///     Writing to a pipe without a reader throws an error instead of raising a signal.
  ///   - progress: Called after each step; throws to cancel, which leaves a truncated pack.
  /// - Returns: The summary of the pack.
  /// - Throws: `FileError` if the stream cannot be written; `StoreError`; errors of `progress`.
  /// - Complexity: O(*n*) in the bytes of the archive's files.
  @discardableResult
  public func pack(
    to descriptor: CInt, progress: (PackProgress) throws -> Void = { _ in }
  ) throws -> PackSummary {
    try pack(to: DescriptorOutput(descriptor, name: Array("the pack".utf8)), progress)
  }

  /// Writes the whole archive to a new file, as ``pack(to:progress:)`` writes it to a stream.
  ///
  /// Only its owner can read the file. The file gets its name when it is complete and durable. Until then its name ends
  /// with `.partial`; if packing fails, the partial file is removed. Packing to the same path again replaces a partial
  /// file that a killed process has left.
  ///
  /// - Parameters:
  ///   - path: A path that does not exist, in bytes.
  ///   - progress: Called after each step; throws to cancel.
  /// - Returns: The summary of the pack.
  /// - Throws: `FileError`, with ``FileError/Code/exists`` if the path exists; `StoreError`; errors of `progress`.
  /// - Complexity: O(*n*) in the bytes of the archive's files.
  @discardableResult
  public func pack(
    toFile path: [UInt8], progress: (PackProgress) throws -> Void = { _ in }
  ) throws -> PackSummary {
    let file = try PlacedFile(path, .init(offset: 0, bytes: Array(PackFormat.summaryName.utf8)))
    let summary = try pack(to: DescriptorOutput(file.descriptor, name: path), progress)
    try file.finish()
    return summary
  }

  private func pack(
    to output: DescriptorOutput, _ progress: (PackProgress) throws -> Void
  ) throws -> PackSummary {
    let seconds = Int64(Date().timeIntervalSince1970)
    var writer = try PackWriter(to: output, seconds: seconds)
    var done: Int64 = 0
    var packed: PackSummary?
    try store.writeBackup { part in
      switch part {
      case .summary(let backup):
        let summary = PackSummary(backup, seconds: seconds)
        packed = summary
        guard summary.fileCount <= PackFormat.fileCountLimit else {
          throw ArchiveError(.invalidArgument, "The archive has \(summary.fileCount) files, too many for a pack.")
        }
        try writer.add(PackFormat.summaryName, Array(summary.text.utf8))
      case .file(let name, let byteCount):
        try writer.begin("\(PackFormat.directoryName)/\(name)", byteCount: Int64(byteCount))
      case .bytes(let bytes):
        try writer.write(bytes)
        done += Int64(bytes.count)
      }
      try progress(PackProgress(doneByteCount: done, byteCount: packed?.byteCount ?? 0))
    }
    try writer.finish()
    guard let packed else { throw ArchiveError(.damaged, "The store did not report its content.") }
    return packed
  }
}

extension PackSummary {
  init(_ backup: BackupSummary, seconds: Int64) {
    self.init(
      storeID: backup.storeID, commitNumber: backup.commitNumber,
      date: Date(timeIntervalSince1970: TimeInterval(seconds)), fileCount: backup.fileCount,
      byteCount: Int64(backup.byteCount))
  }
}

extension Archive {
  /// Restores an archive from a pack that ``pack(to:progress:)`` has written.
  ///
  /// The pack need not be trusted: every byte is checked, and a pack is refused if any byte differs from the form that
  /// ``pack(to:progress:)`` writes. The checksums detect damage, not forgery. The contents of an encrypted archive are
  /// verified with its keys when they are read.
  ///
  /// The archive is written to its path with `.partial` appended, until it is complete and durable. If an error is
  /// thrown, nothing of it remains. Unpacking to the same path again replaces the leftovers of a killed process.
  ///
  /// No key is needed. The restored archive has the identity of the packed one. If the restored archive is encrypted,
  /// it uses a new key for the data that it writes.
  ///
  /// - Parameters:
  ///   - descriptor: A file, pipe or socket that is open for reading. It is read to its end, and stays open.
  ///   - path: A path that does not exist, or an empty directory.
  ///   - progress: Called after each step, and several times a second while waiting for input; throws to cancel.
  /// - Returns: The summary of the pack.
  /// - Throws: ``ArchiveError/Code/exists``, ``ArchiveError/Code/notAPack``, ``ArchiveError/Code/newerFormat``,
  ///   ``ArchiveError/Code/damaged``; `FileError` if the stream cannot be read; `StoreError` if the archive cannot be
  ///   written; errors of `progress`.
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
    guard let summary = reader.summary else { throw ArchiveError(.notAPack, "The input is not a pack.") }
    return summary
  }
}
