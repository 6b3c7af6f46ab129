/// How far an acceptance is (``Store/acceptContents(progress:)``).
public struct AcceptanceProgress: Sendable {
  /// Records that have been read.
  public var doneCount: Int
  /// Of so many.
  public var totalCount: Int
}

extension Store {
  /// Takes the records that there are for those that there should be, after
  /// ``StoreError/Code/contentsDoNotMatchDigest``.
  ///
  /// That error says that records of a class are missing, older than they should be, or were put there by somebody else,
  /// though each is whole in itself; it comes again with each whole fetch, and with the store's verification. Before
  /// this, look at what is left, or restore a backup: afterwards nobody can tell.
  ///
  /// The store can be used meanwhile; what is saved meanwhile counts as it is.
  ///
  /// - Parameter progress: Called now and then; returning false ends it, and nothing is accepted.
  /// - Returns: Whether all was accepted.
  /// - Throws: ``StoreError``; ``StoreError/Code/damagedRecord`` where a record cannot be read: delete or restore it
  ///   first; ``StoreError/Code/notSupported``.
  /// - Complexity: O(*n*) in the records of all classes.
  @discardableResult
  public func acceptContents(
    progress: (AcceptanceProgress) -> Bool = { _ in true }
  ) throws(StoreError) -> Bool {
    try begin()
    return try onEngine("digest of its records") { engine throws(BackendError) in
      try engine.acceptContents { progress(AcceptanceProgress(doneCount: $0, totalCount: $1)) }
    }
  }
}
