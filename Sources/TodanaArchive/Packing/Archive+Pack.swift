internal import Foundation
internal import Todana

extension Archive {
  /// Writes the whole archive to one stream, of which ``unpack(from:to:progress:)`` makes an archive again.
  ///
  /// The pack has the state of one commit, the newest at the call; the archive's bytes go into it as they are on the disk,
  /// encrypted where it is. Nothing is written elsewhere, and less than a megabyte is in memory. The format, a tar, is in
  /// docs/formats/pack.md.
  ///
  /// - Parameters:
  ///   - descriptor: A file, pipe or socket that is open for writing; it stays open, and is not flushed to the disk. A
  ///     pipe that nobody reads is an error, and no signal.
  ///   - progress: Called after each step; throwing from it ends the packing, and leaves a pack that was cut.
  /// - Returns: What the pack has.
  /// - Throws: `FileError` where the stream cannot be written; `StoreError`; what `progress` throws.
  /// - Complexity: O(*n*) in the bytes of the archive's files.
  @discardableResult
  public func pack(
    to descriptor: CInt, progress: (PackProgress) throws -> Void = { _ in }
  ) throws -> PackSummary {
    try pack(to: DescriptorOutput(descriptor, name: Array("the pack".utf8)), progress)
  }

  /// Writes the whole archive to a new file, as ``pack(to:progress:)`` does to a stream.
  ///
  /// The file, which only its owner can read, has its name when it is whole and durable. Until then it has `.partial`
  /// behind it, and is removed where it does not come to that; what a killed process has left of it, the next packing to
  /// the same path replaces.
  ///
  /// - Parameters:
  ///   - path: Where nothing is, in bytes.
  ///   - progress: Called after each step; throwing from it ends the packing.
  /// - Returns: What the pack has.
  /// - Throws: `FileError`, with ``FileError/Code/exists`` where something is at the path; `StoreError`; what `progress`
  ///   throws.
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
          throw ArchiveError(.invalidArgument, "A pack has no room for the \(summary.fileCount) files of the archive.")
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
    guard let packed else { throw ArchiveError(.damaged, "The store did not say what it has.") }
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
