extension Store {
  /// Gives everything that is saved in parts: a backup for another place than a directory.
  ///
  /// As ``backUp(to:progress:)``, the backup has the state of one commit, the newest at the call, and the store can be used
  /// meanwhile. Nothing is written to any disk, and no more than a part of some hundred kilobytes is in memory. What is
  /// encrypted in the store is encrypted in the parts. They have no checksums of their own: whoever keeps them, or sends
  /// them, adds what shows that they come back as they were.
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
  /// - Parameter body: Gets each part, on the caller's thread; what it throws ends the backup.
  /// - Returns: What was given.
  /// - Throws: What `body` throws; ``StoreError``: a store in memory has no files.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public func writeBackup(_ body: (BackupPart) throws -> Void) throws -> BackupSummary {
    try begin()
    let reader = try onEngine("backups") { engine throws(BackendError) in try engine.openBackupReader() }
    try body(.summary(reader.summary))
    while let part = try onBackend({ _ throws(BackendError) in try reader.next() }) { try body(part) }
    return reader.summary
  }

  /// Makes a store of the parts of a backup, with the identity of the original.
  ///
  /// The parts may come from anywhere: what is no backup is refused. That what they hold is right, only checksums can tell
  /// that came with them: throw from `next` where they do not. The new store is made under its path with `.partial` behind
  /// it, and renamed when it is whole and durable; whatever is thrown, nothing of it is left.
  ///
  /// ```swift
  /// try Store.make(at: "Music-restored.todana") { try tape.nextPart() }
  /// ```
  ///
  /// An encrypted store needs no key for this; it takes a new one for what it writes when it is opened for writing next, as
  /// its original goes on with the old one.
  ///
  /// - Parameters:
  ///   - path: Where nothing, or an empty directory, is.
  ///   - next: Gives one part after the other, on the caller's thread, then nil; what it throws ends the making.
  /// - Returns: What the backup said of itself.
  /// - Throws: What `next` throws; ``StoreError``: something is at the path, or with the code
  ///   ``StoreError/Code/damagedRecord`` the parts are not those of a backup.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public static func restore(at path: String, fromParts next: () throws -> BackupPart?) throws -> BackupSummary {
    guard case .summary(let summary) = try next() else { throw BackupAssembly.error("has no summary where it begins") }
    var assembly = try BackupAssembly(at: path, summary)
    while let part = try next() { try assembly.take(part) }
    try assembly.finish()
    return summary
  }
}

/// Puts the parts of a backup together, as long as they are what was announced.
private struct BackupAssembly {
  private let summary: BackupSummary
  private let writer: KyotoBackupWriter
  private var fileCount = 0
  private var byteCount = 0
  /// Of the file that has begun last, still to come.
  private var missingByteCount = 0

  init(at path: String, _ summary: BackupSummary) throws(StoreError) {
    self.summary = summary
    do throws(BackendError) { writer = try KyotoBackupWriter(at: path) } catch { throw StoreError(error) }
  }

  mutating func take(_ part: BackupPart) throws(StoreError) {
    switch part {
    case .summary: throw Self.error("has a second summary")
    case .file(let name, let byteCount):
      guard missingByteCount == 0 else { throw Self.error("has a file that is cut short") }
      guard fileCount < summary.fileCount, byteCount >= 0, byteCount <= summary.byteCount - self.byteCount else {
        throw Self.error("has more than its summary says")
      }
      fileCount += 1
      self.byteCount += byteCount
      missingByteCount = byteCount
      try onWriter { writer throws(BackendError) in try writer.begin(name) }
    case .bytes(let bytes):
      guard bytes.count <= missingByteCount else { throw Self.error("has a file that is longer than it says") }
      missingByteCount -= bytes.count
      try onWriter { writer throws(BackendError) in try writer.write(bytes) }
    }
  }

  func finish() throws(StoreError) {
    guard missingByteCount == 0, fileCount == summary.fileCount, byteCount == summary.byteCount else {
      throw Self.error("ends before all that its summary says")
    }
    try onWriter { writer throws(BackendError) in try writer.finish() }
  }

  private func onWriter(_ body: (KyotoBackupWriter) throws(BackendError) -> Void) throws(StoreError) {
    do throws(BackendError) { try body(writer) } catch { throw StoreError(error) }
  }

  static func error(_ what: String) -> StoreError {
    StoreError(BackendError(.damaged, "What a store was to be made of is no backup: it \(what)."))
  }
}
