extension Store {
  /// Reads all readable records of a damaged store, and puts them into a new store.
  ///
  /// The salvage neither trusts nor changes the old store. Its files are read from beginning to end, even if headers,
  /// chains, catalog, superblock and logs are damaged: each record has its own check. Records are copied unchanged,
  /// with the same class names and row ids, regardless of their classes, so that references between objects stay valid.
  /// No class is needed.
  ///
  /// Indexes are left out, as they have entries of lost records. Opening the new store with its classes builds them
  /// from the saved records (``SalvageReport/indexesToBuild``).
  ///
  /// An intact backup is better: look for one first. After a salvage ``verify(progress:)`` of the new store finds
  /// references to lost objects.
  ///
  /// Read errors of the device do not stop the salvage. At the end of a log, however, they end the process. A program
  /// that must survive runs the salvage in another process, such as `todana store salvage`.
  ///
  /// ```swift
  /// let report = try Store.salvage(from: "Music.todana", to: "Music-salvaged.todana")
  /// for keyspace in report.keyspaces { print(keyspace.name, keyspace.savedCount, keyspace.lostCount) }
  /// ```
  ///
  /// - Parameters:
  ///   - path: The directory of the damaged store, which must not be open for writing.
  ///   - newPath: The path of the new store. Nothing may exist there. Until the store is complete and durable, it is in
  ///     a directory whose name ends in `.partial`.
  ///   - encryption: A passphrase or key that opens the damaged store, if it is encrypted. The new store is encrypted
  ///     with the same passphrase or key, and new keys.
  ///   - names: Stored names for classes whose names are lost, by the numbers of the classes. In an encrypted store,
  ///     only the catalog has the names; a class whose name is neither there nor here is named after its number.
  ///   - progress: Called repeatedly; throwing from it ends the salvage, and nothing of the new store is left.
  /// - Returns: A report of the saved and lost records.
  /// - Throws: Errors of `progress`; ``StoreError`` if there is no store at the path, it is open, or a newer version
  ///   wrote it. ``StoreError`` is also thrown if the passphrase or key is wrong, the new path exists, or the new store
  ///   cannot be written. Damage is reported, not thrown.
  /// - Complexity: O(*n*) in the bytes of the store; each is read about three times, more if records were lost.
  public static func salvage(
    from path: String, to newPath: String, encryption: StoreEncryption = .none,
    naming names: [Int: String] = [:], progress: (SalvageProgress) throws -> Void = { _ in }
  ) throws -> SalvageReport {
    let secret = try encryption.secret()
    return try NewStoreDirectory(newPath).make { partialPath in
      try withoutActuallyEscaping(progress) { progress in
        try Salvage(to: partialPath, secret: secret, naming: names, progress: progress).run(from: path)
      }
    }
  }
}
