/// A verification of the contents of a class's records.
///
/// It reads them, collects the index entries that they require, and notes whether they contain references.
struct ContentVerification: ~Copyable {
  let table: ClassTable
  private let references: ReferenceCollector
  private var scratch: ScratchObject
  private var indexes: IndexVerification
  /// Whether any record contains a reference.
  private(set) var hasReferences = false

  init(of table: ClassTable, _ classID: KeyspaceID, in store: Store, _ snapshot: any BackendSnapshot) throws(StoreError)
  {
    self.table = table
    indexes = try IndexVerification(of: table, classID, in: store, snapshot)
    // Entries of an index of references contain row ids, which only a separate object for each row has.
    references = ReferenceCollector(store, hasFaultsOfRows: !indexes.isEmpty)
    scratch = ScratchObject(store, table, resolver: references)
  }

  /// Reads the content of an opened record.
  ///
  /// - Returns: The problem with the record; nil if there is none.
  mutating func read(
    _ opened: RecordEnvelope.Opened, rowID: RowID
  ) -> (kind: VerificationReport.Kind, message: String)? {
    guard opened.version <= table.version else {
      indexes.skip(rowID)
      let message =
        "The record has version \(opened.version); this program knows the class up to version \(table.version)."
      return (.newerVersion, message)
    }
    references.found.removeAll(keepingCapacity: true)
    do throws(StoreError) {
      let object = try scratch.read(opened, rowID: rowID)
      hasReferences = hasReferences || !references.found.isEmpty
      try indexes.expect(object, rowID: rowID)
      return nil
    } catch {
      indexes.skip(rowID)
      return (.unreadableContent, error.underlying.map { "\($0)" } ?? "\(error)")
    }
  }

  /// Returns the references of a record that was read before without an error.
  mutating func references(of opened: RecordEnvelope.Opened, rowID: RowID) -> [ObjectReference] {
    references.found.removeAll(keepingCapacity: true)
    do throws(StoreError) {
      _ = try scratch.read(opened, rowID: rowID)
    } catch {
      return []
    }
    return references.found
  }

  mutating func skip(_ rowID: RowID) { indexes.skip(rowID) }

  /// Compares the indexes with the records after all of them were read, and returns the differences.
  mutating func findings() throws -> [IndexVerification.Finding] { try indexes.compare() }

  /// Ends a chunk of records, whose memory is reused.
  mutating func endChunk() { indexes.sumExpected() }
}

/// A resolver that collects the references in contents.
private final class ReferenceCollector: ReferenceResolver {
  private let store: Store
  private let hasFaultsOfRows: Bool
  private var faults: [KeyspaceID: StoredObject] = [:]
  var found: [ObjectReference] = []

  /// Creates a collector.
  ///
  /// - Parameters:
  ///   - store: The store that knows the classes.
  ///   - hasFaultsOfRows: Whether references resolve to the store's faults, one for each row. Otherwise one object in
  ///     no store represents all rows of a class.
  init(_ store: Store, hasFaultsOfRows: Bool) {
    self.store = store
    self.hasFaultsOfRows = hasFaultsOfRows
  }

  func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID { try store.classID(of: type) }

  func willResolve(_ count: Int, of classID: KeyspaceID) {
    if hasFaultsOfRows { store.willResolve(count, of: classID) }
  }

  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject {
    found.append(ObjectReference(classID: classID, rowID: rowID))
    if hasFaultsOfRows { return try store.object(classID: classID, rowID: rowID) }
    if let fault = faults[classID] { return fault }
    guard let table = store.registry[classID] else {
      throw DataBufferError(
        .referenceUnknownClass, "the reference leads to class \(classID.rawValue), which the store was not opened with")
    }
    let fault = table.type.init()
    fault.state = .fault
    faults[classID] = fault
    return fault
  }
}
