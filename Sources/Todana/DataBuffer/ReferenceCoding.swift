/// Where an object stands: its class and its row.
package struct ObjectReference: Hashable, Sendable {
  package var classID: ClassID
  package var rowID: RowID

  package init(classID: ClassID, rowID: RowID) {
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
}

/// Gives a buffer that is read the objects for the references in it.
///
/// For a list, a buffer asks for the class id and announces the count once, then asks for each object.
package protocol ReferenceResolver: AnyObject {
  /// The id of a class.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func classID(of type: StoredObject.Type) throws(DataBufferError) -> ClassID

  /// Announces so many calls of ``object(classID:rowID:)``, so that memory can be taken at once.
  func willResolve(_ count: Int, of classID: ClassID)

  /// The object with this identity: one that is known already, or a new fault.
  ///
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass``. The buffer adds the position.
  func object(classID: ClassID, rowID: RowID) throws(DataBufferError) -> StoredObject
}

extension ReferenceResolver {
  package func willResolve(_ count: Int, of classID: ClassID) {}
}
