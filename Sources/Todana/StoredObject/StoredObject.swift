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
/// ``Store/load(_:)`` or a fetch reads them. ``isFault`` tells; ``Loaded`` makes a property load on access.
///
/// An object belongs to the one store that it was inserted into or fetched from, and is used where that store is
/// used: neither is `Sendable`. What crosses isolation is an ``ObjectID``. In a module whose default isolation is the
/// main actor, declare `nonisolated final class Song: StoredObject`.
///
/// The deinitializer of a subclass must not use the store: the object still stands in its store's table then.
open class StoredObject: StoreIdentifiable, CustomStringConvertible {
  // A fetch of millions takes the time that their memory takes, so these are the fewest words possible.

  final var place = ObjectPlace()
  /// While the object is pending, where it stands in the ``PendingChanges``, which keep its ``token``; else the token.
  final var tokenOrIndex: UInt64 = 0

  /// Creates an object outside any store, with default content.
  ///
  /// The store creates the objects that it fetches with it, so it must be cheap, and must not depend on where it runs.
  public required init() {}

  deinit {
    if place.page != nil { ClassTable.forget(self) }
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
  open class var storedName: String { unqualifiedName(of: self) }

  /// The indexes that a store keeps of the class's objects: by default none.
  ///
  /// A subclass has those of its superclass, unless it overrides them, each for its own objects.
  open class var indexes: [Index] { [] }

  /// The properties that texts can name, in conditions and sorts: by default none.
  ///
  /// A subclass has those of its superclass, unless it overrides them.
  open class var fields: [Field] { [] }

  /// What ``writeContent(to:)`` writes, in its order, for tools that do not have the class: by default nothing.
  ///
  /// The store remembers it when it is opened for writing, and `todana store` shows records by it. It describes what this
  /// ``version`` of the class writes; records of others are shown as bytes, and so is one that does not have this form.
  /// Nothing else depends on it. A subclass has that of its superclass, unless it overrides it.
  open class var contentFields: [ContentField] { [] }

  /// What `String(describing:)` gives for a type, which looks for the type's conformances first: opening a store is
  /// quick enough to notice.
  final class func unqualifiedName(of type: StoredObject.Type) -> String { _typeName(type, qualified: false) }

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
  /// not deleted; what was deleted or changed before the throw is taken back, as by ``Store/savepoint(_:)``. It must
  /// not save.
  open func prepareForDelete(in store: Store) throws {}

  /// The class, and the identity if there is one, without loading anything: `Song 1-17 (not loaded)`.
  open var description: String {
    var text = StoredObject.unqualifiedName(of: type(of: self))
    if let id = anyID { text += " \(id)" }
    if isFault { text += " (not loaded)" }
    if let change = state.pendingDescription { text += " (\(change))" }
    return text
  }
}
