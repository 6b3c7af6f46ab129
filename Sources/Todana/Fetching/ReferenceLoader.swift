/// A loader that reads the records of a query chunk by chunk, and loads the objects to which their references lead.
///
/// Many objects are loaded at a time, before the query reads their properties. A loader serves one query in one state
/// of the store.
final class ReferenceLoader {
  private let store: Store
  private let table: ClassTable
  private let snapshot: any BackendSnapshot
  private let onDamage: DamagePolicy
  private let chains: [[ReferenceHop]]
  /// The part of the query's condition that needs no other objects; records that do not satisfy it are skipped.
  private let ownCondition: ConditionNode

  private var scratch: ScratchObject
  /// The objects in no store with the content of a chunk's records; reused for the next chunk.
  private var contents: [Content] = []
  /// The number of ``contents`` with content of the current chunk.
  private var count = 0
  /// The index in ``contents`` that ``content(of:)`` found last.
  private var position = 0
  /// The objects that are kept alive because records of several chunks may refer to them.
  private var held: [StoredObject] = []
  private static let heldLimit = 1 << 14
  /// The faults that are still to be loaded.
  private var faults: [Fault] = []
  /// The faults that are being loaded.
  private var loading: [Fault] = []

  private struct Content {
    var object: StoredObject
    var rowID: RowID = 0
  }

  /// An object to be loaded, with its position in a chain of references.
  ///
  /// It retains no object, so that sorting is cheap.
  private struct Fault {
    /// The address of the table of the object's class.
    let table: UInt
    let rowID: RowID
    /// The index of the object in `held`.
    let object: Int
    let chain: Int
    /// The next step of the chain.
    let next: Int
  }

  /// Creates a loader for a query; returns nil if the query reads nothing through references.
  init?(
    _ condition: ConditionNode, paths: [PropertyPath], _ table: ClassTable, _ snapshot: any BackendSnapshot,
    _ onDamage: DamagePolicy
  ) {
    var chains: [[ReferenceHop]] = []
    for path in paths where path.leadsToOtherObjects {
      for chain in path.chains where !chains.contains(where: { $0.map(\.property) == chain.map(\.property) }) {
        chains.append(chain)
      }
    }
    if chains.isEmpty { return nil }
    self.chains = chains
    store = table.store
    self.table = table
    self.snapshot = snapshot
    self.onDamage = onDamage
    scratch = ScratchObject(store, table, isForQuery: true)
    ownCondition = condition.simplified.ownPart
  }

  /// Reads the records of a chunk that may satisfy the condition, and loads all objects that the query's references
  /// lead to from them.
  func prepare(_ chunk: RecordChunk) throws(StoreError) {
    if held.count > Self.heldLimit { held.removeAll() }
    (count, position) = (0, 0)
    for slice in chunk.slices where slice.status == .found {
      // If a record cannot be read here, the query reads it itself later, and reports the error.
      guard let object = try? scratch.read(slice, in: chunk), (try? ownCondition.holds(for: object)) ?? true else {
        continue
      }
      if count == contents.count { contents.append(Content(object: table.type.init())) }
      scratch.exchange(&contents[count].object)
      contents[count].rowID = slice.rowID
      count += 1
      follow(from: object)
    }
    try load()
  }

  /// Loads all objects that the query's references lead to from the given objects.
  func prepare(_ objects: [StoredObject]) throws(StoreError) {
    for object in objects { follow(from: object) }
    try load()
  }

  /// Returns an object with the content of a record of the current chunk; nil if it was not read.
  ///
  /// The records must be requested in their order.
  @inline(__always)
  func content(of rowID: RowID) -> StoredObject? {
    if position < count, contents[position].rowID == rowID { return contents[position].object }
    guard position + 1 < count, contents[position + 1].rowID == rowID else { return nil }
    position += 1
    return contents[position].object
  }

  private func follow(from object: StoredObject) {
    for chain in chains.indices { follow(chain, from: 0, of: object) }
  }

  /// Adds the first object that has to be loaded on each path along a chain.
  private func follow(_ chain: Int, from step: Int, of object: StoredObject) {
    guard step < chains[chain].count else { return }
    let hop = chains[chain][step]
    if hop.isList {
      hop.forEachObject(of: object) { reach($0, chain, step + 1) }
    } else if let target = hop.object(of: object) {
      reach(target, chain, step + 1)
    }
  }

  /// Adds an object on a chain to the faults to be loaded, or follows its references if it is loaded.
  private func reach(_ object: StoredObject, _ chain: Int, _ next: Int) {
    guard object.isFault else { return follow(chain, from: next, of: object) }
    guard let table = object.table else { return }
    let address = UInt(bitPattern: ObjectIdentifier(table))
    faults.append(Fault(table: address, rowID: object.rowID, object: held.count, chain: chain, next: next))
    held.append(object)
  }

  /// Loads the faults, then the faults to which these lead, step by step.
  private func load() throws(StoreError) {
    while !faults.isEmpty {
      swap(&faults, &loading)
      defer { loading.removeAll(keepingCapacity: true) }
      loading.sort { $0.table != $1.table ? $0.table < $1.table : $0.rowID < $1.rowID }
      var start = 0
      while start < loading.count {
        let table = loading[start].table
        let end = loading[start...].firstIndex { $0.table != table } ?? loading.count
        try load(start..<end)
        start = end
      }
      for fault in loading where fault.next < chains[fault.chain].count && !held[fault.object].isFault {
        follow(fault.chain, from: fault.next, of: held[fault.object])
      }
    }
  }

  /// Loads faults of one class, and reports those whose rows do not exist.
  ///
  /// A record that cannot be read causes an error later, when a property of its object is read.
  private func load(_ range: Range<Int>) throws(StoreError) {
    guard let table = held[loading[range.lowerBound].object].table, table.store === store,
      let classID = try table.classIDForReading()
    else { return }
    // The faults of a class are in the order of their rows; several references may lead to one row.
    var rowIDs: [RowID] = []
    var objects: [Int] = []
    rowIDs.reserveCapacity(range.count)
    objects.reserveCapacity(range.count)
    for fault in loading[range] where fault.rowID != rowIDs.last {
      rowIDs.append(fault.rowID)
      objects.append(fault.object)
    }
    var reader = store.makeReader()
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      try read(rowIDs[start...], of: classID, into: chunk)
      for (index, slice) in chunk.slices.enumerated() {
        switch slice.status {
        case .found:
          try? store.fill(held[objects[start + index]], of: table, from: slice, in: chunk, reader: &reader)
        case .absent where onDamage.isReporting: try onDamage.handle(store.rowNotFound(rowIDs[start + index], table))
        default: break
        }
      }
      start += chunk.slices.count
    }
  }

  private func read(_ rowIDs: ArraySlice<RowID>, of classID: KeyspaceID, into chunk: RecordChunk) throws(StoreError) {
    do throws(BackendError) {
      try snapshot.read(rows: rowIDs.span, of: classID, into: chunk)
    } catch {
      throw store.translate(error)
    }
    if chunk.slices.isEmpty {
      throw StoreError(.backend, "The backend returned no result for requested rows.")
    }
  }
}

extension ConditionNode {
  /// A condition that holds for every object for which this one holds, and that needs no other objects.
  fileprivate var ownPart: ConditionNode {
    switch self {
    case .all(let nodes): Self.joinAll(nodes.filter { !$0.looksAtOtherObjects })
    default: looksAtOtherObjects ? .always : self
    }
  }
}

extension StoreError {
  /// Returns the error with the class of the object whose property was read through a dangling reference.
  ///
  /// The object's row is named only in the message, because the missing row is a different row.
  func met(reading rowID: RowID, of table: ClassTable) -> StoreError {
    guard code == .rowNotFound, className == nil, self.rowID == nil else { return self }
    var error = self
    error.className = table.name
    error.message += " The object that refers to it is in row \(rowID)."
    return error
  }
}
