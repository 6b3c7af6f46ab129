/// Reads the content of a class's records, and notes what it calls for: the entries of indexes, and whether there are
/// references.
struct ContentVerification: ~Copyable {
  let table: ClassTable
  private let references: ReferenceCollector
  private var scratch: ScratchObject
  private var indexes: IndexVerification
  /// Whether any record refers to others.
  private(set) var hasReferences = false

  init(of table: ClassTable, _ classID: KeyspaceID, in store: Store, _ snapshot: any BackendSnapshot) throws(StoreError)
  {
    self.table = table
    indexes = try IndexVerification(of: table, classID, in: store, snapshot)
    // An index may have the row that a reference leads to, which only an object of its own has.
    references = ReferenceCollector(store, hasFaultsOfRows: !indexes.isEmpty)
    scratch = ScratchObject(store, table, resolver: references)
  }

  /// Reads the content of a record that was opened.
  ///
  /// - Returns: What is wrong with it; nil where nothing is.
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

  /// What a record that was read before without a fault refers to.
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

  /// Whether the indexes have what was read, when all was.
  mutating func findings() throws -> [IndexVerification.Finding] { try indexes.compare() }

  /// Ends a number of records whose memory is used again.
  mutating func endChunk() { indexes.sumExpected() }
}

/// Notes what content refers to.
private final class ReferenceCollector: ReferenceResolver {
  private let store: Store
  private let hasFaultsOfRows: Bool
  private var faults: [KeyspaceID: StoredObject] = [:]
  var found: [ObjectReference] = []

  /// - Parameters:
  ///   - store: Where the classes are known.
  ///   - hasFaultsOfRows: Whether what is referred to are the store's faults, each of its row; otherwise one of no store
  ///     stands for all of a class.
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
