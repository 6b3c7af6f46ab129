/// A new keyspace that is filled aside; see ``StoreBackend/loadKeyspace(of:named:expecting:)``.
///
/// Letting go of it gives the loading up, unless a commit has adopted the keyspace. The end of the process does so, too.
public protocol KeyspaceLoader: AnyObject, Sendable {
  /// The number of the keyspace, which no other has or will have.
  var keyspace: KeyspaceID { get }

  /// Puts records.
  ///
  /// - Parameter batch: Changes of the kind ``WriteBatch/Kind/put`` for this keyspace alone, which expect nothing or
  ///   ``WriteBatch/Expectation/absent``. Their keys come after those of all earlier calls. Its id is not remembered.
  /// - Throws: ``BackendError/Code/invalidArgument`` for other batches, with nothing put. After any other error the loading
  ///   has failed, and later calls say so. ``BackendError/Code/interrupted`` once the keyspace was adopted, or the backend
  ///   reopened or closed.
  func append(_ batch: borrowing WriteBatch) throws(BackendError)

  /// Makes the records durable, so that a batch may adopt the keyspace. Nothing can be appended afterwards.
  ///
  /// If that batch is refused or fails, it can be committed again. With ``BackendError/Code/interrupted`` it fails for
  /// good: the store's keys were renewed since the loading began.
  func finish() throws(BackendError)
}
