extension Store {
  /// Reads what can be read of a damaged store, and makes a new store of it.
  ///
  /// Nothing of the old store is trusted, and nothing of it is changed. Its files are read from one end to the other,
  /// whatever has become of their headers, chains, catalog, superblock and logs: each record has a check of its own.
  /// What is found goes to the new store as it stands, under the same class names and row ids, whatever class wrote it,
  /// so that references between objects stay what they were. No class is needed.
  ///
  /// Indexes are left out, as they have entries of what was lost: opening the new store with its classes builds them
  /// from what was saved (``SalvageReport/indexesToBuild``).
  ///
  /// A backup that is whole is worth more: look for one first. Afterwards ``verify(progress:)`` of the new store finds
  /// references that lead to what was lost.
  ///
  /// A device that fails to read is no obstacle, but for the end of a log, where it ends the process: a program that is to
  /// live on lets another process do this. `todana store salvage` is one.
  ///
  /// ```swift
  /// let report = try Store.salvage(from: "Music.todana", to: "Music-salvaged.todana")
  /// for keyspace in report.keyspaces { print(keyspace.name, keyspace.savedCount, keyspace.lostCount) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The directory of the damaged store, which nobody must have open for writing.
  ///   - newPath: Where nothing is. Until the new store is whole and durable it stands in a directory whose name ends in
  ///     `.partial`.
  ///   - encryption: What opens the damaged store, if it is encrypted. The new one is encrypted with the same passphrase or
  ///     key, and new keys.
  ///   - progress: Called now and then; throwing from it ends the salvage, and nothing of it stays.
  /// - Returns: What was saved and what was lost.
  /// - Throws: What `progress` throws; ``StoreError``: there is no store at the path, somebody has it open, a newer
  ///   version wrote it, the passphrase or key is not its own, something is at the new path, or the new store cannot be written. Damage is reported, not thrown.
  /// - Complexity: O(*n*) in the bytes of the store; each is looked at about three times, more where records were lost.
  public static func salvage(
    from path: String, to newPath: String, encryption: StoreEncryption = .none,
    progress: (SalvageProgress) throws -> Void = { _ in }
  ) throws -> SalvageReport {
    let secret = try encryption.secret()
    return try NewStoreDirectory(newPath).make { partialPath in
      try withoutActuallyEscaping(progress) { progress in
        try Salvage(to: partialPath, secret: secret, progress: progress).run(from: path)
      }
    }
  }
}
