/// Loads the objects that a query reads properties of, many at a time, before it reads its records one by one.
///
/// For one query, in one state of the store.
final class ReferenceLoader {
  private let store: Store
  private let snapshot: any BackendSnapshot
  private let onDamage: DamagePolicy
  private let chains: [[ReferenceHop]]
  /// A part of the query's condition that needs no other objects; objects of records that do not meet it are not wanted.
  private let ownCondition: ConditionNode
  private var scratch: ScratchObject
  /// Keeps objects alive that several records may refer to.
  private var held: [StoredObject] = []
  private static let heldLimit = 1 << 16

  /// - Returns: nil where the query reads nothing through references.
  init?(
    _ query: QuerySpecification, paths: [PropertyPath], _ table: ClassTable, _ snapshot: any BackendSnapshot,
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
    self.snapshot = snapshot
    self.onDamage = onDamage
    ownCondition = query.condition.simplified.ownPart
    scratch = ScratchObject(store, table)
  }

  /// Loads all that the records of a chunk lead to.
  func prepare(_ chunk: RecordChunk) throws(StoreError) {
    var targets = [[StoredObject]](repeating: [], count: chains.count)
    for slice in chunk.slices where slice.status == .found {
      // The query reads the record itself afterwards, and reports these errors then.
      guard let object = try? scratch.read(slice, in: chunk), (try? ownCondition.holds(for: object)) ?? true else {
        continue
      }
      for (index, chain) in chains.enumerated() { chain[0].forEachObject(object) { targets[index].append($0) } }
    }
    try load(targets)
  }

  /// Loads all that objects lead to.
  func prepare(_ objects: [StoredObject]) throws(StoreError) {
    var targets = [[StoredObject]](repeating: [], count: chains.count)
    for object in objects {
      for (index, chain) in chains.enumerated() { chain[0].forEachObject(object) { targets[index].append($0) } }
    }
    try load(targets)
  }

  private func load(_ targets: [[StoredObject]]) throws(StoreError) {
    if held.count > Self.heldLimit { held.removeAll() }
    for (targets, chain) in zip(targets, chains) {
      var targets = targets
      for hop in chain.dropFirst() {
        try load(targets)
        var next: [StoredObject] = []
        for target in targets where !target.isFault { hop.forEachObject(target) { next.append($0) } }
        targets = next
      }
      try load(targets)
    }
  }

  /// Loads the faults among some objects, and reports those whose rows do not exist.
  ///
  /// A record that cannot be read is an error of the property that is read next.
  private func load(_ objects: [StoredObject]) throws(StoreError) {
    var seen: Set<ObjectIdentifier> = []
    var faults: [ObjectIdentifier: [StoredObject]] = [:]
    for object in objects where object.isFault && seen.insert(ObjectIdentifier(object)).inserted {
      if let table = object.table { faults[ObjectIdentifier(table), default: []].append(object) }
    }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    for faults in faults.values {
      guard let table = faults[0].table, table.store === store, let classID = try table.classIDForReading() else {
        continue
      }
      held += faults
      let rowIDs = faults.map(\.rowID)
      var reader = store.makeReader()
      var start = 0
      while start < rowIDs.count {
        try read(rowIDs[start...], of: classID, into: chunk)
        for (index, slice) in chunk.slices.enumerated() {
          switch slice.status {
          case .found where faults[start + index].isFault:
            try? store.fill(faults[start + index], of: table, from: slice, in: chunk, reader: &reader)
          case .absent where onDamage.isReporting: try onDamage.handle(store.rowNotFound(rowIDs[start + index], table))
          default: break
          }
        }
        start += chunk.slices.count
      }
    }
  }

  private func read(_ rowIDs: ArraySlice<RowID>, of classID: ClassID, into chunk: RecordChunk) throws(StoreError) {
    do throws(BackendError) {
      try snapshot.read(rows: rowIDs.span, of: classID, into: chunk)
    } catch {
      throw store.translate(error)
    }
    if chunk.slices.isEmpty {
      throw StoreError(.backend, "The backend gave no answer for rows that were asked for.")
    }
  }
}

extension ConditionNode {
  /// A condition that holds wherever this one does, and needs no other objects.
  fileprivate var ownPart: ConditionNode {
    switch self {
    case .all(let nodes): Self.joinAll(nodes.filter { !$0.looksAtOtherObjects })
    default: looksAtOtherObjects ? .always : self
    }
  }
}
