/// The passphrases and keys that open an encrypted store.
///
/// ```swift
/// try store.keys.change(to: .passphrase("new horse battery staple"))
/// let recovery = RecoveryKey()
/// try store.keys.add(.recoveryKey(recovery))
/// ```
///
/// Each change replaces the store's file of keys, some hundred bytes, and is durable when the call returns; records are
/// not touched. **Removing or changing a secret does not shut out who knew it and copied the file of keys before**: only
/// new keys, with the records encrypted anew, do (``rotate(keeping:progress:)``).
///
/// Any thread.
public protocol KeyManagement: AnyObject, Sendable {
  /// All secrets that open the store, in the order in which they were added.
  func slots() throws(BackendError) -> [KeySlot]

  /// Adds a secret beside those that there are.
  ///
  /// - Returns: The number of its slot.
  /// - Throws: ``BackendError/Code/invalidArgument`` for an empty passphrase or a key of another length than 16 or 32
  ///   bytes; ``BackendError/Code/limitExceeded`` beyond 64 secrets; ``BackendError/Code/readOnly``, or what writing met.
  @discardableResult
  func add(_ secret: StoreSecret) throws(BackendError) -> KeySlot.ID

  /// Puts a secret in the place of the one that the store was opened with.
  ///
  /// - Throws: As ``add(_:)``.
  @discardableResult
  func change(to secret: StoreSecret) throws(BackendError) -> KeySlot.ID

  /// Removes a secret.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` where there is no such slot, or it is the last one.
  func remove(_ slot: KeySlot.ID) throws(BackendError)

  /// The file of keys as it is now, to be kept elsewhere: it is what is lost when a store cannot be opened though its
  /// passphrase is known. It opens with the secrets that it has now, also after they were changed in the store; once all
  /// keys were renewed (``rotate(keeping:progress:)``), it opens backups from before only.
  ///
  /// ``Store/importKeys(_:at:encryption:)`` puts it back.
  func export() throws(BackendError) -> [UInt8]

  /// Makes new keys for everything, and encrypts everything anew with them, while the store is in use.
  ///
  /// From the start on the store opens with the given secrets only, and what is saved is encrypted with the new keys. At
  /// the end neither the old keys nor anything encrypted with them is left in the store's directory: who copied the file
  /// of keys before can read copies of the store from before, but nothing new. What the disk, the file system or a backup
  /// still holds is not touched.
  ///
  /// Ended early, or by a kill, it is unfinished: ``Store/resumeMigration(progress:)`` goes on, with this opening of the
  /// store or a later one.
  ///
  /// Takes space for a second copy of the largest class. Objects that are loaded stay as they are, and can be changed.
  ///
  /// - Parameters:
  ///   - secrets: Those that shall open the store: of those that did so far the ones that are to go on, and new ones.
  ///   - progress: Called before each step of a millisecond or so; returning false ends it for now.
  /// - Returns: Which secrets still open the store, and which do not.
  /// - Throws: As ``add(_:)``; ``BackendError/Code/damaged`` where a record cannot be read, which then must be deleted, or
  ///   restored, before it can go on; ``BackendError/Code/inUse`` while another thread does so.
  /// - Complexity: O(*n*) in the bytes of the store.
  func rotate(
    keeping secrets: [StoreSecret], progress: (MigrationProgress) -> Bool
  ) throws(BackendError) -> KeyRotation
}

extension KeyManagement {
  /// Makes new keys for everything, to the end (``rotate(keeping:progress:)``).
  @discardableResult
  public func rotate(keeping secrets: [StoreSecret]) throws(BackendError) -> KeyRotation {
    try rotate(keeping: secrets) { _ in true }
  }
}

/// What became of a store's secrets when its keys were renewed.
public struct KeyRotation: Sendable, Equatable {
  /// Those that opened the store before, and do so still, with new numbers.
  public var keptSlots: [KeySlot] = []
  /// Those that opened the store before, and do so no more.
  public var removedSlots: [KeySlot] = []
  /// Whether everything has been encrypted anew.
  public var isFinished = false

  public init() {}
}

/// One of the secrets that open a store.
public struct KeySlot: Sendable, Equatable, Identifiable {
  public typealias ID = UInt32

  public let id: ID
  public let kind: Kind
  /// Milliseconds since 1970.
  public let createdMilliseconds: Int
  /// The slot cannot be read, nor anything opened with it; only its number can be relied on.
  public let isDamaged: Bool
  /// The store was opened with it.
  public let isInUse: Bool

  @nonexhaustive
  public enum Kind: Sendable {
    case passphrase
    case key
    case recoveryKey
  }
}
