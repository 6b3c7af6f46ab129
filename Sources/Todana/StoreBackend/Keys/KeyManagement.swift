#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The passphrases and keys that open an encrypted store.
///
/// ```swift
/// try store.keys.change(to: .passphrase("new horse battery staple"))
/// let recovery = RecoveryKey()
/// try store.keys.add(.recoveryKey(recovery))
/// ```
///
/// Each change replaces the store's file of keys, which has a few hundred bytes, and is durable when the call returns.
/// Records are not rewritten. **Removing or changing a secret does not shut out a person who knew it and had copied the
/// file of keys.** Only a rotation does, which makes new keys and encrypts all records again
/// (``rotate(keeping:progress:)``).
///
/// All methods may be called from any thread.
public protocol KeyManagement: AnyObject, Sendable {
  /// Returns all secrets that open the store, in the order in which they were added.
  func slots() throws(BackendError) -> [KeySlot]

  /// Adds a secret to the existing ones.
  ///
  /// - Returns: The number of its slot.
  /// - Throws: ``BackendError/Code/invalidArgument`` for an empty passphrase or a key of another length than 16 or 32
  ///   bytes; ``BackendError/Code/limitExceeded`` beyond 64 secrets; ``BackendError/Code/readOnly``; errors of writing
  ///   the file of keys.
  @discardableResult
  func add(_ secret: StoreSecret) throws(BackendError) -> KeySlot.ID

  /// Replaces the secret with which the store was opened.
  ///
  /// - Returns: The number of the new secret's slot.
  /// - Throws: The errors of ``add(_:)``.
  @discardableResult
  func change(to secret: StoreSecret) throws(BackendError) -> KeySlot.ID

  /// Removes a secret.
  ///
  /// - Throws: ``BackendError/Code/invalidArgument`` if there is no such slot, or it is the last one.
  func remove(_ slot: KeySlot.ID) throws(BackendError)

  /// Returns the current content of the file of keys, as a copy to keep elsewhere.
  ///
  /// Without the file of keys a store cannot be opened even if its passphrase is known. The copy opens with the present
  /// secrets, even after they were changed in the store. Once all keys were renewed (``rotate(keeping:progress:)``), it
  /// only opens older backups. ``Store/importKeys(_:at:encryption:)`` puts it back.
  func export() throws(BackendError) -> [UInt8]

  /// Replaces all keys, and encrypts everything again with the new ones, while the store is in use.
  ///
  /// From the start the store opens with the given secrets only, and new saves are encrypted with the new keys. At the
  /// end the store's directory contains neither the old keys nor data encrypted with them. A person who copied the file
  /// of keys before can still read older copies of the store, but no new data. Data that the disk, the file system or a
  /// backup still contains is not touched.
  ///
  /// If it is ended early, or the process is killed, the rotation is unfinished. ``Store/resumeMigration(progress:)``
  /// continues it, in this session or a later one.
  ///
  /// It takes disk space for a second copy of the largest class. Loaded objects stay valid, and can be changed.
  ///
  /// - Parameters:
  ///   - secrets: The secrets that open the store from now on: former ones to keep, and new ones.
  ///   - progress: Called before each step of about a millisecond; returning false pauses the rotation.
  /// - Returns: The former secrets that still open the store, and those that no longer do.
  /// - Throws: The errors of ``add(_:)``; ``BackendError/Code/damaged`` if a record cannot be read, which must be
  ///   deleted or restored before the rotation can continue; ``BackendError/Code/inUse`` if another thread is
  ///   migrating.
  /// - Complexity: O(*n*) in the bytes of the store.
  func rotate(
    keeping secrets: [StoreSecret], progress: (MigrationProgress) -> Bool
  ) throws(BackendError) -> KeyRotation
}

extension KeyManagement {
  /// Replaces all keys in one call, which cannot be paused (``rotate(keeping:progress:)``).
  @discardableResult
  public func rotate(keeping secrets: [StoreSecret]) throws(BackendError) -> KeyRotation {
    try rotate(keeping: secrets) { _ in true }
  }
}

/// The result of a rotation of a store's keys.
public struct KeyRotation: Sendable, Equatable {
  /// The secrets that opened the store before and still do, with new slot numbers.
  public var keptSlots: [KeySlot] = []
  /// The secrets that opened the store before and no longer do.
  public var removedSlots: [KeySlot] = []
  /// Whether everything has been encrypted again.
  public var isFinished = false

  public init() {}
}

/// The public data of one of the secrets that open a store.
public struct KeySlot: Sendable, Equatable, Identifiable {
  public typealias ID = UInt32

  public let id: ID
  public let kind: Kind
  /// The time when the secret was added, in milliseconds since 1970.
  public let createdMilliseconds: Int
  /// The time when the secret was added.
  public var created: Date { Date(timeIntervalSince1970: Double(createdMilliseconds) / 1000) }
  /// Whether the slot is damaged: its secret opens nothing, and only its number is reliable.
  public let isDamaged: Bool
  /// Whether the store was opened with this secret.
  public let isInUse: Bool

  @nonexhaustive
  public enum Kind: Sendable {
    case passphrase
    case key
    case recoveryKey
  }
}
