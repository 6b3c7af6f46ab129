/// The base class of what a ``Store`` saves.
///
/// Subclass it, give every property a default value, and write and read the properties in the same order:
///
/// ```swift
/// final class Song: StoredObject {
///   var title = ""
///   var seconds: UInt32 = 0
///
///   override func readContent(from buffer: inout DataBuffer) throws {
///     title = try buffer.readString()
///     seconds = try buffer.readUInt32()
///   }
///   override func writeContent(to buffer: inout DataBuffer) {
///     buffer.writeString(title)
///     buffer.writeUInt32(seconds)
///   }
/// }
/// ```
///
/// **A plain stored property cannot notice that it is read.** An object that a reference or ``Store/fault(_:)`` gave
/// is a *fault*: it has its identity, but its properties show their defaults until ``loadContent()``,
/// ``Store/load(_:)-(StoredObject)`` or a fetch reads them. ``isFault`` tells; ``Loaded`` makes a property load on access.
///
/// An object belongs to the one store that it was inserted into or fetched from, and is used where that store is
/// used: neither is `Sendable`. What crosses isolation is an ``ObjectID``. In a module whose default isolation is the
/// main actor, declare `nonisolated final class Song: StoredObject`.
///
/// The deinitializer of a subclass must not use the store: the object still stands in its store's table then.
open class StoredObject: StoreIdentifiable, CustomStringConvertible {
  /// Leads to the table of the object's class in its store, where it is in one.
  final var tableReference = TableReference(nil)
  /// The row within the class; 0 outside a store.
  final var rowID: RowID = 0
  /// The last 8 bytes of the record that the content was read from or saved to.
  final var token: UInt64 = 0
  /// Where the object stands in its table's pending changes, if it is pending.
  final var pendingIndex: UInt32 = 0
  final var state: ObjectState = []

  /// Creates an object outside any store, with default content.
  ///
  /// The store creates the objects that it fetches with it, so it must be cheap, and must not depend on where it runs.
  public required init() {}

  deinit {
    tableReference.forget(self)
  }

  /// The version of what ``writeContent(to:)`` writes; ``DataBuffer/version`` gives it back when reading.
  ///
  /// Raise it whenever the content changes its shape. A record of a higher version than this is never read:
  /// ``StoreError/Code/newerVersion``.
  open class var version: UInt8 { 1 }

  /// The name of the class in the store: by default the type's name without its module.
  ///
  /// Override it to rename a class in code and keep its records. Not empty, no NUL, at most 255 bytes of UTF-8. An
  /// override does not reach subclasses: one that has no override of its own is stored under its own type's name.
  open class var storedName: String { String(describing: self) }

  /// Reads the content that ``writeContent(to:)`` wrote, the same values in the same order.
  ///
  /// May run on any thread, and more than once for an object; so it touches only the object and the buffer, and sets
  /// every property. Whatever it throws is thrown by the fetch or load that asked, with the class and the row.
  open func readContent(from buffer: inout DataBuffer) throws {}

  /// Writes the content.
  ///
  /// Cannot throw: the buffer keeps its first error, and the save throws it with the class, row and position.
  open func writeContent(to buffer: inout DataBuffer) {}

  /// Called once before a delete: delete or change here what depends on the object.
  ///
  /// The content is loaded. What this throws is thrown by ``Store/delete(_:)-(StoredObject)``, and the object is then
  /// not deleted; deletions that were made before the throw stand, pending.
  open func prepareForDelete(in store: Store) throws {}

  /// The class, and the identity where there is one: `Song 1-17 (fault)`.
  open var description: String {
    var text = String(describing: type(of: self))
    if let id = anyID { text += " \(id)" }
    if isFault { text += " (fault)" }
    if let change = state.pendingDescription { text += " (\(change))" }
    return text
  }
}
