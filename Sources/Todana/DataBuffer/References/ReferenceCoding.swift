/// Where an object stands: its class and its row.
package struct ObjectReference: Hashable, Sendable {
  package var classID: KeyspaceID
  package var rowID: RowID

  package init(classID: KeyspaceID, rowID: RowID) {
    self.classID = classID
    self.rowID = rowID
  }
}

/// Tells a buffer that is written where the objects stand that the content refers to.
///
/// A buffer calls it once for each reference, on the thread that writes.
package protocol ReferenceEncoder: AnyObject {
  /// The row of an object whose class the buffer has checked; never 0.
  ///
  /// - Throws: ``DataBufferError/Code/referenceNotInserted``, ``DataBufferError/Code/referenceToOtherStore``,
  ///   ``DataBufferError/Code/referencePendingDeletion``. The buffer adds the position.
  func rowID(of object: StoredObject) throws(DataBufferError) -> RowID

  /// The class and row of an object of any class.
  func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference

  /// What to write for an object of a store that is known by its row only; nil if the object itself is needed.
  func rowID(ofRow rowID: RowID, of type: StoredObject.Type, in store: Store) throws(DataBufferError) -> RowID?

  /// Keeps a value that cannot be written.
  ///
  /// - Returns: Its number, to be written in its place; nil if no values are kept.
  func keep(_ value: Any) -> Int?
}

extension ReferenceEncoder {
  package func keep(_ value: Any) -> Int? { nil }

  package func rowID(
    ofRow rowID: RowID, of type: StoredObject.Type, in store: Store
  ) throws(DataBufferError) -> RowID? { nil }
}

/// Gives a buffer that is read the objects for the references in it.
///
/// For a list, a buffer asks for the class id and announces the count once, then asks for the objects, many at a time.
package protocol ReferenceResolver: AnyObject {
  /// The store whose rows the references are; nil if they lead to objects in other ways.
  var storeOfRows: Store? { get }

  /// The id of a class.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID

  /// Announces that so many objects will be asked for, so that memory can be taken at once.
  func willResolve(_ count: Int, of classID: KeyspaceID)

  /// The object with this identity: one that is known already, or a new fault.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject

  /// Appends the objects with these identities, in their order, to memory that has room for them; all that it appends
  /// are of exactly this class.
  ///
  /// - Throws: As ``object(classID:rowID:)``, and ``DataBufferError/Code/referenceWrongClass``, for the first object
  ///   that was not appended.
  func appendObjects(
    _ rowIDs: borrowing Span<RowID>, of type: StoredObject.Type, classID: KeyspaceID,
    to objects: inout OutputSpan<StoredObject>
  ) throws(DataBufferError)

  /// The value that ``ReferenceEncoder/keep(_:)`` gave a number.
  func keptValue(_ number: Int) -> Any?
}

extension ReferenceResolver {
  package func keptValue(_ number: Int) -> Any? { nil }

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
  /// The object itself, if it is of exactly this class.
  final func checked(is type: StoredObject.Type) throws(DataBufferError) -> StoredObject {
    guard Swift.type(of: self) == type else {
      throw DataBufferError(.referenceWrongClass, "a reference to \(type) leads to \(Swift.type(of: self))")
    }
    return self
  }
}
