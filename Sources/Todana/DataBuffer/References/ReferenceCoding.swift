/// The location of an object: its class and its row.
package struct ObjectReference: Hashable, Sendable {
  package var classID: KeyspaceID
  package var rowID: RowID

  package init(classID: KeyspaceID, rowID: RowID) {
    self.classID = classID
    self.rowID = rowID
  }
}

/// A source of the locations of referenced objects, used when a buffer is written.
///
/// A buffer calls it once for each reference, on the thread that writes.
package protocol ReferenceEncoder: AnyObject {
  /// Returns the row id of an object; never 0.
  ///
  /// The buffer has already checked the object's class.
  ///
  /// - Throws: ``DataBufferError/Code/referenceNotInserted``, ``DataBufferError/Code/referenceToOtherStore``,
  ///   ``DataBufferError/Code/referencePendingDeletion``. The buffer adds the position.
  func rowID(of object: StoredObject) throws(DataBufferError) -> RowID

  /// Returns the class and row of an object of any class.
  func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference

  /// Returns the row id to write for an object of a store that is known by its row only.
  ///
  /// - Returns: Nil if the object itself is needed.
  func rowID(ofRow rowID: RowID, of type: StoredObject.Type, in store: Store) throws(DataBufferError) -> RowID?

  /// Takes the objects of a list all at once, if their row ids do not matter.
  ///
  /// - Returns: False if the row id of each is to be written.
  func takeAll(_ objects: StoredObjects) -> Bool

  /// Keeps a value that cannot be written.
  ///
  /// - Returns: The number to write in place of the value; nil if the encoder keeps no values.
  func keep(_ value: Any) -> Int?
}

extension ReferenceEncoder {
  package func takeAll(_ objects: StoredObjects) -> Bool { false }
  package func keep(_ value: Any) -> Int? { nil }

  package func rowID(
    ofRow rowID: RowID, of type: StoredObject.Type, in store: Store
  ) throws(DataBufferError) -> RowID? { nil }
}

/// A source of the objects that references lead to, used when a buffer is read.
///
/// For a list, a buffer requests the class id and announces the count once, then requests the objects in groups.
package protocol ReferenceResolver: AnyObject {
  /// The store that the referenced rows belong to; nil if references are resolved in other ways.
  var storeOfRows: Store? { get }

  /// Returns the id of a class.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID

  /// Makes the collections of a class known, so that references to their objects can be resolved.
  func useCollections(of type: StoredObject.Type) throws(DataBufferError)

  /// Announces that `count` objects will be requested, so that memory can be reserved in one step.
  func willResolve(_ count: Int, of classID: KeyspaceID)

  /// Returns the object with this identity: the known one, or a new fault.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject

  /// Appends the objects with these identities, in order, to memory that has room for them.
  ///
  /// All appended objects must be of exactly this class.
  ///
  /// - Throws: The errors of ``object(classID:rowID:)``, and ``DataBufferError/Code/referenceWrongClass``, for the
  ///   first object that was not appended.
  func appendObjects(
    _ rowIDs: borrowing Span<RowID>, of type: StoredObject.Type, classID: KeyspaceID,
    to objects: inout OutputSpan<StoredObject>
  ) throws(DataBufferError)

  /// Returns the value to which ``ReferenceEncoder/keep(_:)`` gave a number.
  func keptValue(_ number: Int) -> Any?

  /// Whether the contents that are read were written by an encoder that keeps values.
  var keepsValues: Bool { get }
}

extension ReferenceResolver {
  package func keptValue(_ number: Int) -> Any? { nil }

  package var keepsValues: Bool { false }

  package func useCollections(of type: StoredObject.Type) throws(DataBufferError) {}

  package var storeOfRows: Store? { nil }

  package func appendObjects(
    _ rowIDs: borrowing Span<RowID>, of type: StoredObject.Type, classID: KeyspaceID,
    to objects: inout OutputSpan<StoredObject>
  ) throws(DataBufferError) {
    for index in rowIDs.indices {
      objects.append(try object(classID: classID, rowID: rowIDs[index]).checked(is: type))
    }
  }

  package func willResolve(_ count: Int, of classID: KeyspaceID) {}
}

extension StoredObject {
  /// Returns the object itself if it is of exactly this class.
  ///
  /// - Throws: ``DataBufferError/Code/referenceWrongClass`` otherwise.
  final func checked(is type: StoredObject.Type) throws(DataBufferError) -> StoredObject {
    guard Swift.type(of: self) == type else {
      throw DataBufferError(.referenceWrongClass, "a reference to \(type) leads to \(Swift.type(of: self))")
    }
    return self
  }
}
