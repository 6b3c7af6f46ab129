// Lists that resolve their objects on access. Their records are identical to those of reference arrays.
extension DataBuffer {
  /// Writes the object count, then a reference to each object, in order: the bytes are identical to those for an array.
  ///
  /// - Complexity: O(*n*). No object is created for a reference that was read and never used.
  public mutating func writeReferences<Object: StoredObject>(_ references: LazyReferences<Object>) {
    let composite = beginComposite()
    appendVarint(UInt64(references.count))
    append(references.list, of: Object.self)
    endComposite(composite)
  }

  /// Reads a list of references, in order, without resolving their objects.
  ///
  /// - Throws: The errors of ``readReferences(_:)``.
  public mutating func readLazyReferences<Object: StoredObject>(
    _ type: Object.Type = Object.self
  ) throws(DataBufferError) -> LazyReferences<Object> {
    // The rows of objects in collections are not of one table.
    guard let store = resolver?.storeOfRows, !type.isInCollections else {
      return LazyReferences(try readReferences(type))
    }
    var references = LazyReferences<Object>()
    references.list = try takeReferenceList(to: type, in: store)
    return references
  }

  private mutating func append(_ list: LazyReferenceList, of type: StoredObject.Type) {
    for index in list.entries.indices where firstError == nil {
      do throws(DataBufferError) {
        if let rowID = try rowID(of: list, at: index) {
          appendVarint(rowID)
        } else {
          appendReference(to: list.object(at: index, as: type), of: type)
        }
      } catch {
        recordError(error)
      }
    }
  }

  /// Returns the row id to write for an entry that is known by its row only; nil if the object is needed.
  private func rowID(of list: LazyReferenceList, at index: Int) throws(DataBufferError) -> RowID? {
    guard case .row(let rowID) = list.entries[index], let table = list.table, !table.isOrphan else { return nil }
    return try encoder?.rowID(ofRow: rowID, of: table.type, in: table.store)
  }

  private mutating func takeReferenceList(
    to type: StoredObject.Type, in store: Store
  ) throws(DataBufferError) -> LazyReferenceList {
    let count = try readCount()
    guard count > 0 else { return LazyReferenceList() }
    var list = LazyReferenceList(table: try store.tableForReferences(to: type))
    list.entries.reserveCapacity(count)
    for _ in 0..<count {
      let start = unsafe readCursor
      let rowID = try takeVarint()
      guard rowID != 0 else { throw unsafe refuse(.invalidValue, "a list of references contains nil", from: start) }
      list.entries.append(.row(rowID))
    }
    return list
  }
}
