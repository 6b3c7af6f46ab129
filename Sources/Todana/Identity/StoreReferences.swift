// The store as the encoder and resolver of the references in its objects' contents.
extension Store: ReferenceEncoder {
  package func rowID(of object: StoredObject) throws(DataBufferError) -> RowID {
    if let table = object.table, table.store === self, !object.state.contains(.deleted) {
      if isSaving, !object.isFault { savedReferences.append(object) }
      return object.rowID
    }
    throw refusal(of: object)
  }

  package func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference {
    let rowID = try rowID(of: object)
    guard let classID = object.table?.classID else { throw refusal(of: object) }
    return ObjectReference(classID: classID, rowID: rowID)
  }

  package func rowID(
    ofRow rowID: RowID, of type: StoredObject.Type, in store: Store
  ) throws(DataBufferError) -> RowID? {
    guard store === self, let table = registry[type] else { return nil }
    return table.identity.contains(rowID) ? nil : rowID
  }

  private func refusal(of object: StoredObject) -> DataBufferError {
    let name = String(describing: type(of: object))
    guard let table = object.table else {
      return DataBufferError(.referenceNotInserted, "the object of \(name) that is referred to was not inserted")
    }
    if table.store !== self {
      return DataBufferError(.referenceToOtherStore, "the object of \(name) that is referred to is in another store")
    }
    return DataBufferError(
      .referencePendingDeletion, "the object of \(name) that is referred to, row \(object.rowID), is being deleted")
  }
}

extension Store: ReferenceResolver {
  package var storeOfRows: Store? { self }

  /// Returns the table of a referenced class.
  func tableForReferences(to type: StoredObject.Type) throws(DataBufferError) -> ClassTable {
    _ = try classID(of: type)
    guard let table = registry[type] else {
      throw DataBufferError(.referenceUnknownClass, "the store was not opened with \(type)")
    }
    return table
  }

  package func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID {
    if let table = lastTable, table.type == type, table.collection == nil, let classID = table.classID {
      return classID
    }
    do throws(StoreError) {
      return try table(for: type).resolveClassID()
    } catch {
      throw DataBufferError(.referenceUnknownClass, error.description)
    }
  }

  package func useCollections(of type: StoredObject.Type) throws(DataBufferError) {
    if collections.include(type) { return }
    do throws(StoreError) {
      try updateCollections(of: type)
    } catch {
      throw DataBufferError(.referenceUnknownClass, error.description)
    }
  }

  package func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject {
    try table(of: classID).objectOrFault(rowID)
  }

  package func appendObjects(
    _ rowIDs: borrowing Span<RowID>, of type: StoredObject.Type, classID: KeyspaceID,
    to objects: inout OutputSpan<StoredObject>
  ) throws(DataBufferError) {
    let table = try table(of: classID)
    // All objects of a table are of exactly its class.
    guard table.type == type else {
      throw DataBufferError(.referenceWrongClass, "a reference to \(type) leads to \(table.type)")
    }
    for index in rowIDs.indices { objects.append(table.objectOrFault(rowIDs[index])) }
  }

  @inline(__always)
  private func table(of classID: KeyspaceID) throws(DataBufferError) -> ClassTable {
    if let table = lastTable, table.classID == classID { return table }
    guard let table = registry[classID] ?? newlyNumberedTable(of: classID) else {
      throw DataBufferError(
        .referenceUnknownClass, "the reference leads to class \(classID.rawValue), which the store was not opened with")
    }
    lastTable = table
    return table
  }

  /// Returns the table of a class whose number was given since the store was opened, by a save of another store.
  @inline(never)
  private func newlyNumberedTable(of classID: KeyspaceID) -> ClassTable? {
    // Errors mean that the class is unknown.
    if (try? updateCollections()) != nil, let table = registry[classID] { return table }
    guard registry.tables.contains(where: { $0.classID == nil }), let keyspaces = try? sealing.keyspaces() else {
      return nil
    }
    registry.adopt(keyspaces)
    return registry[classID]
  }
}

/// A reference encoder that accepts references to objects with a pending delete, for records that are rewritten
/// unchanged.
final class UncheckedReferences: ReferenceEncoder {
  func rowID(of object: StoredObject) throws(DataBufferError) -> RowID {
    guard object.rowID != 0 else {
      throw DataBufferError(.referenceNotInserted, "the object that is referred to was not inserted")
    }
    return object.rowID
  }

  func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference {
    guard let classID = object.table?.classID else {
      throw DataBufferError(.referenceNotInserted, "the object that is referred to was not inserted")
    }
    return ObjectReference(classID: classID, rowID: object.rowID)
  }
}
