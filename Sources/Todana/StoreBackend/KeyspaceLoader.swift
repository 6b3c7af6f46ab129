/// A loader that fills a new keyspace separately, until a commit adopts it; see
/// ``StoreBackend/loadKeyspace(of:named:expecting:)``.
///
/// Releasing the loader abandons the loading, unless a commit has adopted the keyspace. The end of the process does so,
/// too.
public protocol KeyspaceLoader: AnyObject, Sendable {
  /// The number of the new keyspace, which no other keyspace has or will have.
  var keyspace: KeyspaceID { get }

  /// Adds records to the keyspace.
  ///
  /// - Parameter batch: Changes of the kind ``WriteBatch/Kind/put`` for this keyspace alone, with the expectation
  ///   ``WriteBatch/Expectation/anything`` or ``WriteBatch/Expectation/absent``. Their keys come after the keys of all
  ///   earlier calls. The batch's id is not remembered.
  /// - Throws: ``BackendError/Code/invalidArgument`` for other batches, none of whose records are added. After any
  ///   other error the loading has failed, and later calls throw as well. ``BackendError/Code/interrupted`` once the
  ///   keyspace was adopted, or the backend reopened or closed.
  func append(_ batch: borrowing WriteBatch) throws(BackendError)

  /// Makes the records durable, so that a batch may adopt the keyspace.
  ///
  /// Nothing can be appended afterwards. If the adopting batch is refused or fails, it can be committed again. It fails
  /// permanently with ``BackendError/Code/interrupted`` if the store's keys were renewed since the loading began.
  func finish() throws(BackendError)
}
