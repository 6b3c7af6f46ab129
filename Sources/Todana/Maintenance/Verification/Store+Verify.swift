extension Store {
  /// Checks all saved data: every page of every file, every record, and every reference.
  ///
  /// - The superblock, the file of keys and the list of the last commits are stored twice: both copies are checked.
  /// - Each page is read from its file, and compared with its checksum.
  /// - Each record is read in the state of one commit, and its envelope is checked. It is also looked up by its row id
  ///   or key. The records found are counted, and the number is compared with the keyspace's count.
  /// - The content of each class with which the store was opened is read by `readContent`, into a temporary object. The
  ///   rows to which it refers are looked up. References in named buffers are not followed.
  /// - The rows and texts of each text index are compared with the records, and all its pages are read.
  /// - The entries of each complete index are compared with the records. If the store was not opened with the index's
  ///   class, each entry must belong to an existing row, and the entries are counted.
  ///
  /// The store can be used concurrently; pending changes are not checked. The store is not changed, except for a
  /// checkpoint at the start if it was opened for writing, unless the disk has no room for it.
  ///
  /// ```swift
  /// let report = try store.verify()
  /// for problem in report.problems { print(problem) }
  /// ```
  ///
  /// - Parameter progress: Called repeatedly; throwing from it ends the verification.
  /// - Returns: A report of the problems found. Damage is reported, not thrown.
  /// - Throws: Errors of `progress`; ``StoreError`` if the store cannot be read at all.
  /// - Complexity: O(*n*) in the bytes of the store. Records are read twice, with their pages and by themselves;
  ///   records of classes with references are read three times. Takes about one bit of memory for each row, and
  ///   eight bytes for each row of the largest segment of a text index.
  public func verify(
    progress: (VerificationProgress) throws -> Void = { _ in }
  ) throws -> VerificationReport {
    try begin()
    var verification = try Verification(of: self)
    try verification.run(progress)
    return verification.report
  }
}
