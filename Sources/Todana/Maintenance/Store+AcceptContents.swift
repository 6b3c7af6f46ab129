/// The progress of an acceptance (``Store/acceptContents(progress:)``).
public struct AcceptanceProgress: Sendable {
  /// The number of records that have been read.
  public var doneCount: Int
  /// The number of records to be read.
  public var totalCount: Int
}

extension Store {
  /// Accepts the current records as the store's contents, after ``StoreError/Code/contentsDoNotMatchDigest``.
  ///
  /// That error means that records of a class are missing, outdated, or were added by an attacker, though each is
  /// intact. It recurs with each complete fetch, and with the store's verification. Before this call inspect the
  /// remaining records, or restore a backup: afterwards the difference can no longer be detected.
  ///
  /// The store can be used concurrently; changes saved during the call are accepted as they are.
  ///
  /// - Parameter progress: Called repeatedly. If it returns false, the call ends, and nothing is accepted.
  /// - Returns: Whether all records were accepted.
  /// - Throws: ``StoreError``; ``StoreError/Code/damagedRecord`` if a record cannot be read: delete or restore it
  ///   first; ``StoreError/Code/notSupported``.
  /// - Complexity: O(*n*) in the records of all classes.
  @discardableResult
  public func acceptContents(
    progress: (AcceptanceProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    try begin()
    return try onEngine("digests of records") { engine throws(BackendError) in
      try engine.acceptContents { progress(AcceptanceProgress(doneCount: $0, totalCount: $1)) }
    }
  }
}
