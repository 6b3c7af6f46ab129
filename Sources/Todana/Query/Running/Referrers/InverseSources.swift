internal import CThreads

/// The objects that refer to the objects of a query, for conditions on inverses.
///
/// All references of a property are read at the first use. A run has one reader, which is the current one of its thread
/// while the run tests objects. Objects with the content of a record are in no store, so that an ``Inverse`` finds its
/// store by the reader.
final class InverseSources {
  private let store: Store
  private let snapshot: any BackendSnapshot
  private let includesPending: Bool
  /// The class of objects in no store.
  private let table: ClassTable
  private var references: [Key: [RowID: [Source]]] = [:]
  /// The error of reading the references, which an inverse cannot throw.
  private var failure: StoreError?

  private struct Key: Hashable {
    let property: AnyKeyPath
    let target: KeyspaceID
  }

  private struct Source {
    let table: ClassTable
    let rowID: RowID
  }

  init(_ table: ClassTable, in snapshot: any BackendSnapshot, includingPending: Bool) {
    store = table.store
    self.table = table
    self.snapshot = snapshot
    includesPending = includingPending
  }

  /// The reader of the run that is testing objects on this thread.
  static var current: InverseSources? {
    guard let context = unsafe tdt_context() else { return nil }
    // A reader is set only while the call that set it keeps it alive.
    return unsafe Unmanaged<InverseSources>.fromOpaque(context).takeUnretainedValue()
  }

  /// Carries out tests of objects, and throws an error that one of their inverses met.
  func whileTesting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    let outer = unsafe tdt_context()
    unsafe tdt_set_context(Unmanaged.passUnretained(self).toOpaque())
    defer { unsafe tdt_set_context(outer) }
    let result = try body()
    if let failure { throw failure }
    return result
  }

  /// Returns the objects whose property refers to an object, in the order of their classes and rows.
  func sources<Value: RelationshipValue>(
    of property: AnyKeyPath, _ type: Value.Type, for object: StoredObject
  ) -> [StoredObject] {
    let (table, rowID) = object.table.map { ($0, object.rowID) } ?? (self.table, object.tokenOrIndex)
    guard failure == nil, let classID = table.classID else { return [] }
    let key = Key(property: property, target: classID)
    do throws(StoreError) {
      if references[key] == nil { references[key] = try read(property, type, to: classID) }
      return references[key]?[rowID]?.map { $0.table.objectOrFault($0.rowID) } ?? []
    } catch {
      failure = error
      return []
    }
  }

  /// Reads all references of a property to the objects of a class.
  private func read<Value: RelationshipValue>(
    _ property: AnyKeyPath, _ type: Value.Type, to classID: KeyspaceID
  ) throws(StoreError) -> [RowID: [Source]] {
    var found: [RowID: [Source]] = [:]
    guard let root = Swift.type(of: property).rootType as? StoredObject.Type else { return found }
    let owners = store.registry.tables.filter { $0.type.inherits(from: root) && $0.classID != nil }
    for table in owners.sorted(by: { ($0.classID?.rawValue ?? 0) < ($1.classID?.rawValue ?? 0) }) {
      try readSaved(property, type, of: table, to: classID) { target, owner in
        if includesPending, table.identity[owner]?.state.isPending == true { return }
        found[target, default: []].append(Source(table: table, rowID: owner))
      }
      guard includesPending else { continue }
      for owner in table.pending.objects where !owner.state.contains(.deleted) {
        var targets: Set<RowID> = []
        forEachID(owner, property, type) { if $0.classID == classID { targets.insert($0.rowID) } }
        for target in targets { found[target, default: []].append(Source(table: table, rowID: owner.rowID)) }
      }
      for target in Array(found.keys) {
        found[target]?.sort { $0.table === $1.table ? $0.rowID < $1.rowID : false }
      }
    }
    return found
  }

  private func forEachID<Value: RelationshipValue>(
    _ owner: StoredObject, _ property: AnyKeyPath, _ type: Value.Type, _ body: (AnyObjectID) -> Void
  ) {
    (owner[keyPath: property] as? Value)?.forEachID(body)
  }

  /// Reads the saved references: by the index of the relationship if there is one, else from all records.
  private func readSaved<Value: RelationshipValue>(
    _ property: AnyKeyPath, _ type: Value.Type, of table: ClassTable, to classID: KeyspaceID,
    _ body: (_ target: RowID, _ owner: RowID) -> Void
  ) throws(StoreError) {
    if let relationship = table.relationships.first(where: { $0.declaration.path.keyPaths == [property] }) {
      return try store.forEachReference(of: relationship, toAllOf: classID, in: snapshot) { body($1, $0) }
    }
    guard let owners = table.classID else { return }
    let scan: any BackendScan
    do throws(BackendError) { scan = try snapshot.scan(owners) } catch { throw store.translate(error) }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var scratch = ScratchObject(store, table, isForQuery: true)
    while try store.next(of: scan, into: chunk) {
      for slice in chunk.slices {
        var targets: Set<RowID> = []
        forEachID(try scratch.read(slice, in: chunk), property, type) { id in
          if id.classID == classID { targets.insert(id.rowID) }
        }
        for target in targets { body(target, slice.rowID) }
      }
    }
  }
}
