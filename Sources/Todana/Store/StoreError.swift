/// What a ``Store`` refuses or fails at.
///
/// Switch over ``code``; show ``description`` to a person. The other properties are filled where they apply.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  /// What went wrong and what can be done about it.
  public var message: String
  /// The stored name of the class.
  public var className: String?
  public var rowID: RowID?
  /// The objects it is about, where there may be several.
  public var objectIDs: [AnyObjectID]
  /// What it came from: a ``BackendError``, a ``DataBufferError``, or what a `readContent` threw.
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
    /// The backend failed; `underlying` says how.
    case backend
    case readOnly
    /// The kind of backend has no such service.
    case notSupported
    /// A change was asked for in the middle of a save.
    case reentrant
    /// Within a savepoint, something was asked for that cannot be taken back: a save, above all.
    case withinSavepoint

    /// The class was not listed when the store was opened.
    case unknownClass
    /// A stored name is empty, too long, or contains a NUL.
    case invalidClassName
    /// Two classes have one stored name.
    case duplicateClassName
    /// A named buffer's name is empty, too long, or contains a NUL.
    case invalidName

    /// The object is in no store.
    case notInserted
    /// The object is in another store.
    case objectOfOtherStore
    /// The object, or the store that is to be closed, has changes that are not saved.
    case unsavedChanges
    /// An object was to be saved whose content was never loaded.
    case savingFault
    /// Loaded objects were changed, and nobody called `willUpdate`.
    case changedWithoutWillUpdate
    /// The content of an object could not be written.
    case cannotEncode

    /// An index of a class cannot be: its name, its parts or its condition; or there is none of this name.
    case invalidIndex
    /// Another open store of the same backend has other indexes for a class.
    case indexesDiffer
    /// Another program, with the same store open, has begun to build an index of the class; nothing is lost.
    case indexTakenOver
    /// The index and the records do not agree: rebuild it (``Store/rebuildIndexes(of:named:progress:)``).
    case damagedIndex
    /// A query cannot be answered as it is: what is wrong the message says.
    case invalidQuery
    /// A query has to look at all objects, which the configuration refuses.
    case scanRefused

    /// There is no such row.
    case rowNotFound
    /// The row belongs to another class than the one asked for.
    case wrongClass
    /// The record was written by a newer version of its class.
    case newerVersion
    /// The record's bytes are not what was written.
    case damagedRecord
    /// The record is whole, but the class does not read it as it was written.
    case unreadableContent

    /// The records of a class, all of which were read and are sound, are not those that were saved.
    ///
    /// Some are missing, are older, or do not belong there.
    case contentsDoNotMatchDigest

    /// The store is an older one than the ``StoreAnchor`` it was opened with says: an older copy is in its place.
    case rolledBack
    /// The store is not that of the ``StoreAnchor`` it was opened with, or has gone another way since.
    ///
    /// Or more commits have come since than the store remembers: 1,000.
    case diverged

    /// The passphrase or key is not one of the store's. Nothing of the store was touched.
    case wrongKey
    /// The store is encrypted, and no passphrase or key was given.
    case keyRequired
    /// A passphrase or key was given for a store that is not encrypted.
    case notEncrypted
    /// The file of keys, or the part of it for this passphrase or key, is damaged or missing.
    case damagedKeys
    /// Something is encrypted with a key that the file of keys does not have.
    case unknownKeyEpoch
    /// A passphrase or key is empty, or has a length that none has.
    case invalidKey
    /// Encrypting or decrypting the store was interrupted: it is opened with ``StoreConfiguration/resumingMigration`` only,
    /// and gone on with by ``Store/resumeMigration(progress:)``. Or it has to be finished before this.
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
