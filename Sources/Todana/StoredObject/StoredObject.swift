/// The base class of the objects that a ``Store`` saves.
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
/// **A plain stored property cannot notice that it is read.** An object from a reference or from ``Store/fault(_:)`` is
/// a *fault*: it has its identity, but its properties have their default values. ``loadContent()``, ``Store/load(_:)``
/// or a fetch reads them. ``isFault`` is true until then. ``Loaded`` makes a property load its object on access.
///
/// An object belongs to the one store that it was inserted into or fetched from, and is used in that store's isolation
/// domain. Neither the object nor the store is `Sendable`. Pass an ``ObjectID`` between isolation domains. In a module
/// whose default isolation is the main actor, declare `nonisolated final class Song: StoredObject`.
///
/// Two variables are equal if they hold the same instance. A store has one instance for each row, so objects of one
/// store are equal if they have the same row. Sets and dictionaries find an object whether it is loaded or not, and
/// before and after it is inserted.
///
/// The deinitializer of a subclass must not use the store, because the store's table still has an entry for the object
/// while it runs.
open class StoredObject: StoreIdentifiable, Hashable, Identifiable, CustomStringConvertible {
  // The time to fetch millions of objects depends on their size, so they have as few words as possible.

  final var place = ObjectPlace()
  /// The object's index in ``PendingChanges`` while it is pending; else its ``token``.
  ///
  /// ``PendingChanges`` keeps the token of a pending object.
  final var tokenOrIndex: UInt64 = 0

  /// Creates an object outside any store, with default content.
  ///
  /// The store creates each fetched object with this initializer. It must be fast, and must not depend on the thread
  /// that it runs on.
  public required init() {}

  deinit {
    if place.page != nil { ClassTable.forget(self) }
  }

  /// The version of the content that ``writeContent(to:)`` writes.
  ///
  /// When reading, ``DataBuffer/version`` is the version that the record was written with. Raise the version whenever
  /// the format of the content changes. A record of a higher version than this is never read:
  /// ``StoreError/Code/newerVersion``.
  open class var version: UInt8 { 1 }

  /// The name of the class in the store: by default the type's name without its module.
  ///
  /// Override it to rename a class in code and keep its records. The name is not empty, contains no NUL, and has at
  /// most 255 bytes of UTF-8. An override does not apply to subclasses: a subclass without its own override is stored
  /// under its own type's name.
  ///
  /// A class that is registered at its first use has its module in its name (``isRegisteredAtFirstUse``).
  open class var storedName: String { isRegisteredAtFirstUse ? qualifiedName(of: self) : unqualifiedName(of: self) }

  /// Whether a store registers the class when it is first used, so that it need not be listed at the opening: by default
  /// false.
  ///
  /// A library overrides it for classes of its own, of which the programs that use it do not know. The class is stored
  /// under its name with the module, such as `Library.Tag`. By this name, a store with objects of the class finds it
  /// when it is opened, so that the rules of its relationships are obeyed. The class is declared at the top level of its
  /// module, is not private, and does not override ``storedName``. Its subclasses have to be listed.
  open class var isRegisteredAtFirstUse: Bool { false }

  /// Whether objects of the class are in collections, each with a name and a table of its own: by default false.
  ///
  /// Collections are made at run time (``Store/describeCollection(named:of:_:replacing:)``). Such a class is not listed when a
  /// store is opened, and its subclasses cannot be stored. References to its objects always carry the number of their
  /// table.
  open class var isInCollections: Bool { false }

  /// The name of the class in the list of collections: by default the type's name without its module.
  ///
  /// Several classes can have one name, such as the specializations of a generic class. The objects of one of their
  /// collections are then of the class that the store used first for it. So the collection stays readable if a type
  /// parameter is renamed.
  open class var collectionElementName: String { unqualifiedName(of: self) }

  /// Whether other classes may have the same name in the list of collections.
  final class func sharesElementName(_ type: StoredObject.Type) -> Bool {
    !String.isEqual(type.collectionElementName, unqualifiedName(of: type))
  }

  /// Returns the indexes of a collection, which its description declares.
  ///
  /// A class whose objects are in collections overrides this method. The method may be called on any thread.
  ///
  /// - Parameters:
  ///   - name: The name of the collection.
  ///   - description: The description of the collection (``Store/describeCollection(named:of:_:replacing:)``).
  /// - Returns: The indexes; by default none.
  /// - Throws: An error if the description cannot be read.
  open class func collectionIndexes(ofCollection name: String, description: [UInt8]) throws -> CollectionIndexes {
    CollectionIndexes()
  }

  /// The indexes that a store maintains for the class's objects: by default none.
  ///
  /// A subclass inherits the list unless it overrides it. Each class has indexes of its own, with its own objects only.
  open class var indexes: [Index] { [] }

  /// The text indexes that conditions on the class's objects can name: by default none.
  ///
  /// A subclass inherits the list unless it overrides it.
  open class var textIndexes: [TextIndex] { [] }

  /// The relationships of the class to others, with the rules for deletes: by default none.
  ///
  /// A subclass inherits the list unless it overrides it. Each class has an index of its own for each relationship.
  open class var relationships: [Relationship] { [] }

  /// The properties that textual conditions and sorts can name: by default those of ``contentFields``.
  ///
  /// A subclass inherits the list unless it overrides it.
  open class var fields: [Field] { contentFields.compactMap(\.field) }

  /// The fields that ``writeContent(to:)`` writes, in order, for tools that lack the class: by default none.
  ///
  /// The store saves the list when it is opened for writing, and `todana store` uses it to show records. The list
  /// describes the current ``version`` of the class. Records of other versions are shown as bytes, as is a record that
  /// does not match the list. Nothing else depends on it. A subclass inherits the list unless it overrides it.
  open class var contentFields: [ContentField] { [] }

  /// Returns the type's name without its module, as `String(describing:)` does.
  ///
  /// `String(describing:)` looks up the type's conformances first, which would measurably slow down the opening of a
  /// store.
  final class func unqualifiedName(of type: StoredObject.Type) -> String { _typeName(type, qualified: false) }

  /// Returns the type's name with its module.
  final class func qualifiedName(of type: StoredObject.Type) -> String { _typeName(type, qualified: true) }

  /// Reads the content that ``writeContent(to:)`` wrote: the same values in the same order.
  ///
  /// The method may be called on any thread, and more than once for an object. It must set every property, and must use
  /// only the object and the buffer. The fetch or load that called it rethrows its errors, with class and row.
  open func readContent(from buffer: inout DataBuffer) throws {}

  /// Writes the content to the buffer.
  ///
  /// It cannot throw. The buffer records the first error, and the save throws it with class, row and position.
  open func writeContent(to buffer: inout DataBuffer) {}

  // MARK: Hooks

  /// Deletes or changes dependent objects before the object is deleted; does nothing by default.
  ///
  /// Dependent objects of a declared ``Relationship`` need no code. The store calls the method once before a delete,
  /// with the content loaded, after the rules of the relationships were carried out. If it throws,
  /// ``Store/delete(_:)-(StoredObject)`` throws the error and does not delete the object. Deletes and changes made
  /// before the error are undone, as by ``Store/savepoint(_:)``. It must not save.
  open func prepareForDelete(in store: Store) throws {}

  /// Called when the object is inserted into the store; an error prevents it.
  ///
  /// ``Store/insert(_:)`` then throws ``StoreError/Code/vetoed`` with the error as its cause, or the error itself if it
  /// is a ``StoreError``. The object has its identity already. The method may change the object, but not others.
  open func willInsert(into store: Store) throws {}

  /// Called at the first announced change since the last save, before the change.
  ///
  /// If it throws, ``Store/update(_:_:)`` throws the error and does not run its closure. ``willUpdate()`` cannot throw:
  /// the object is not pending then, and the store's next throwing call throws the error. The method must not change the
  /// object or others.
  open func willUpdate(in store: Store) throws {}

  /// Called before the object is deleted, by a program or by the rule of a ``Relationship``; an error prevents the whole
  /// delete.
  ///
  /// The object may be a fault. The method must not change objects; ``prepareForDelete(in:)`` may.
  open func willDelete(from store: Store) throws {}

  /// Called before the object is inserted or updated by a save; an error prevents the save.
  ///
  /// The method may change the object, but not others.
  open func willSave(in store: Store) throws {}

  /// Called after a save has inserted the object.
  open func didInsert(into store: Store) {}

  /// Called after a save has updated the object.
  open func didUpdate(in store: Store) {}

  /// Called after a save has deleted the object, which is in no store then.
  open func didDelete(from store: Store) {}

  /// Called after a save has inserted or updated the object, and after ``didInsert(into:)`` or ``didUpdate(in:)``.
  open func didSave(in store: Store) {}

  /// A text for people, such as `Song 1-17 (title: "So What", seconds: 545)` or `Song 1-18 (not loaded)`.
  ///
  /// It has the class, the identity if there is one, the stored properties, and the state. Nothing is loaded: other
  /// objects are named by their class and identity. Long values are cut.
  open var description: String { ObjectDescription.text(of: self) }
}
