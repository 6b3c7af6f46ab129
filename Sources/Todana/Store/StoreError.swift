/// An error of a ``Store``.
///
/// Switch over ``code``; show ``description`` to a person. The other properties are set if they apply.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  /// A description of the problem and its remedy.
  public var message: String
  /// The stored name of the class.
  public var className: String?
  public var rowID: RowID?
  /// The objects concerned, for errors that can concern several.
  public var objectIDs: [AnyObjectID]
  /// The cause: a ``BackendError``, a ``DataBufferError``, or an error thrown by a `readContent`.
  public var underlying: (any Error)?

  public init(
    _ code: Code, _ message: String, className: String? = nil, rowID: RowID? = nil,
    objectIDs: [AnyObjectID] = [], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.className = className
    self.rowID = rowID
    self.objectIDs = objectIDs
    self.underlying = underlying
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// The store was closed.
    case closed
    /// A flush failed: the outcome of the last save is unknown until ``Store/reopen()``.
    case mustReopen
    /// The backend failed; `underlying` has the cause.
    case backend
    case readOnly
    /// The store was opened before this process was forked, so its files belong to the parent: only reading is
    /// allowed, and only until the parent changes the files.
    ///
    /// Open the store after `fork` or `daemon`.
    case usedAfterFork
    /// This kind of backend does not support the operation.
    case notSupported
    /// The task of an asynchronous call was cancelled.
    case cancelled
    /// A change was attempted during a save.
    case reentrant
    /// An operation that cannot be undone, such as a save, was attempted within a savepoint.
    case withinSavepoint

    /// The class was not listed when the store was opened.
    case unknownClass
    /// A stored name is empty, too long, or contains a NUL.
    case invalidClassName
    /// Two classes have the same stored name.
    case duplicateClassName
    /// A class cannot be dropped, because an open store has it registered.
    case classInUse
    /// A named buffer's name is empty, too long, or contains a NUL.
    case invalidName

    /// A method of the class or of the delegate, such as ``StoredObject/willInsert(into:)``, has refused the change;
    /// `underlying` is the error that it threw.
    case vetoed

    /// The object is in no store.
    case notInserted
    /// The object is in another store.
    case objectOfOtherStore
    /// The object, or the store that is to be closed, has changes that are not saved.
    case unsavedChanges
    /// A changed object cannot be saved because its content was never loaded.
    case savingFault
    /// Loaded objects were changed without a call of `willUpdate`.
    case changedWithoutWillUpdate
    /// The content of an object could not be written.
    case cannotEncode

    /// The store has no collection of this name, or no longer has it.
    case unknownCollection
    /// The name of a collection is empty, too long, contains a NUL, or is in use; or its description is invalid.
    case invalidCollection

    /// An index declaration is invalid, in its name, parts or condition; or the class has no index of the given name.
    case invalidIndex
    /// Another open store of the same backend has other indexes for a class.
    case indexesDiffer
    /// Another program that has the store open has begun to build an index of the class; nothing is lost.
    case indexTakenOver
    /// The index does not match the records: rebuild it (``Store/rebuildIndexes(of:named:progress:)``).
    case damagedIndex
    /// A query is invalid; the message gives the reason.
    case invalidQuery
    /// A query would have to read all objects of a class, and the configuration refuses that.
    case scanRefused

    /// The declaration of a relationship is invalid.
    case invalidRelationship
    /// An object cannot be deleted, because a rule of a ``Relationship`` forbids it; ``StoreError/objectIDs`` has the
    /// objects that refer to it, or that it refers to.
    case deleteDenied
    /// The index of a relationship is not complete, and the configuration refuses to read all objects instead.
    ///
    /// Wait until the index is built (``Store/buildIndexes(progress:)``).
    case indexNotReady

    /// There is no such row.
    case rowNotFound
    /// The row belongs to a class other than the requested one.
    case wrongClass
    /// The record was written by a newer version of its class.
    case newerVersion
    /// The record's bytes are not those that were written.
    case damagedRecord
    /// The record is intact, but the class's `readContent` cannot read it.
    case unreadableContent

    /// The records of a class are all intact, but they are not the records that were saved.
    ///
    /// Some are missing, outdated, or do not belong there.
    case contentsDoNotMatchDigest

    /// The store is older than the ``StoreAnchor`` with which it was opened: an older copy is in its place.
    case rolledBack
    /// The store is not the one of the ``StoreAnchor`` with which it was opened, or its commits have diverged since.
    ///
    /// The same error is thrown if 1,000 or more commits have been made since the anchor, as the store remembers no
    /// more.
    case diverged

    /// The passphrase or key does not open the store.
    ///
    /// Nothing in the store was changed.
    case wrongKey
    /// The store is encrypted, and no passphrase or key was given.
    case keyRequired
    /// A passphrase or key was given for a store that is not encrypted.
    case notEncrypted
    /// The file of keys, or its part for this passphrase or key, is damaged or missing.
    case damagedKeys
    /// Data is encrypted with a key that the file of keys does not contain.
    case unknownKeyEpoch
    /// A passphrase or key is empty, or has an invalid length.
    case invalidKey
    /// Encrypting or decrypting the store was interrupted, or has to be finished before this operation.
    ///
    /// Such a store opens only with ``StoreConfiguration/resumingMigration``; ``Store/resumeMigration(progress:)``
    /// continues the migration.
    case migrationUnfinished
  }

  public var description: String {
    var text = message
    if let className { text += " [class \(className)]" }
    if let rowID { text += " [row \(rowID)]" }
    if !objectIDs.isEmpty {
      let shown = objectIDs.prefix(20).map(\.description).joined(separator: ", ")
      text += " [objects \(shown)\(objectIDs.count > 20 ? ", … \(objectIDs.count) in all" : "")]"
    }
    if let error = backendError, error.message == message {
      if let file = error.file { text += " [file \(file)]" }
      if let page = error.page { text += " [page \(page)]" }
    } else if let underlying, !message.hasSuffix("\(underlying)") {
      text += " (\(underlying))"
    }
    return text
  }
}
