extension Store {
  /// Passes all saved data to a closure in parts: a backup to a destination other than a directory.
  ///
  /// The backup has the state of one commit, the newest at the call, and the store can be used concurrently. Nothing is
  /// written to disk, and at most one part of a few hundred kilobytes is in memory. Data that are encrypted in the
  /// store are encrypted in the parts. The parts have no checksums of their own: a program that stores or sends them
  /// has to add checksums.
  ///
  /// ```swift
  /// try store.writeBackup { part in
  ///   switch part {
  ///   case .summary(let summary): print("\(summary.byteCount) bytes")
  ///   case .file(let name, let byteCount): try tape.begin(name, byteCount)
  ///   case .bytes(let bytes): try tape.write(bytes)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameter body: A closure that receives each part, on the caller's thread; throwing from it ends the backup.
  /// - Returns: The summary of the backup, which is also its first part.
  /// - Throws: Errors of `body`; ``StoreError``, for example for a store in memory, which has no files.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public func writeBackup(_ body: (BackupPart) throws -> Void) throws -> BackupSummary {
    try begin()
    let reader = try onEngine("backups") { engine throws(BackendError) in try engine.openBackupReader() }
    try body(.summary(reader.summary))
    while let part = try onBackend({ _ throws(BackendError) in try reader.next() }) { try body(part) }
    return reader.summary
  }

  /// Creates a store from the parts of a backup, with the identity of the original.
  ///
  /// The parts may come from any source: parts that do not form a backup are refused. Only checksums that came with the
  /// parts can show that their contents are correct: if a checksum does not match, throw from `next`. The new store is
  /// created in a directory with `.partial` appended to its name, and renamed when it is complete and durable. After
  /// any error nothing of it is left.
  ///
  /// ```swift
  /// try Store.restore(at: "Music-restored.todana") { try tape.nextPart() }
  /// ```
  ///
  /// No key is needed for an encrypted store. When it is next opened for writing, it makes a new key for new data, as
  /// the original continues to use the old one.
  ///
  /// - Parameters:
  ///   - path: The path of the new store. Nothing may exist there except an empty directory.
  ///   - next: A closure that returns the next part, or nil after the last one. It is called on the caller's thread;
  ///     throwing from it ends the call.
  /// - Returns: The summary of the backup.
  /// - Throws: Errors of `next`; ``StoreError`` if the path is not free; with the code
  ///   ``StoreError/Code/damagedRecord`` if the parts do not form a backup.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public static func restore(at path: String, fromParts next: () throws -> BackupPart?) throws -> BackupSummary {
    guard case .summary(let summary) = try next() else { throw BackupAssembly.error("does not begin with a summary") }
    var assembly = try BackupAssembly(at: path, summary)
    while let part = try next() { try assembly.take(part) }
    try assembly.finish()
    return summary
  }
}

/// A store that is being assembled from the parts of a backup; parts that do not match the summary are refused.
private struct BackupAssembly {
  private let summary: BackupSummary
  private let writer: KyotoBackupWriter
  private var fileCount = 0
  private var byteCount = 0
  /// The number of bytes that the current file still lacks.
  private var missingByteCount = 0

  init(at path: String, _ summary: BackupSummary) throws(StoreError) {
    self.summary = summary
    do throws(BackendError) { writer = try KyotoBackupWriter(at: path) } catch { throw StoreError(error) }
  }

  mutating func take(_ part: BackupPart) throws(StoreError) {
    switch part {
    case .summary: throw Self.error("has a second summary")
    case .file(let name, let byteCount):
      guard missingByteCount == 0 else { throw Self.error("has a truncated file") }
      guard fileCount < summary.fileCount, byteCount >= 0, byteCount <= summary.byteCount - self.byteCount else {
        throw Self.error("has more files or bytes than its summary says")
      }
      fileCount += 1
      self.byteCount += byteCount
      missingByteCount = byteCount
      try onWriter { writer throws(BackendError) in try writer.begin(name) }
    case .bytes(let bytes):
      guard bytes.count <= missingByteCount else { throw Self.error("has a file that is longer than announced") }
      missingByteCount -= bytes.count
      try onWriter { writer throws(BackendError) in try writer.write(bytes) }
    }
  }

  func finish() throws(StoreError) {
    guard missingByteCount == 0, fileCount == summary.fileCount, byteCount == summary.byteCount else {
      throw Self.error("has fewer files or bytes than its summary says")
    }
    try onWriter { writer throws(BackendError) in try writer.finish() }
  }

  private func onWriter(_ body: (KyotoBackupWriter) throws(BackendError) -> Void) throws(StoreError) {
    do throws(BackendError) { try body(writer) } catch { throw StoreError(error) }
  }

  static func error(_ what: String) -> StoreError {
    StoreError(BackendError(.damaged, "The backup cannot be restored: it \(what)."))
  }
}
