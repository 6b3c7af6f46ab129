/// Reads the records of a query chunk by chunk, and loads the objects that these lead to, many at a time, before a
/// property of theirs is read.
///
/// For one query, in one state of the store.
final class ReferenceLoader {
  private let store: Store
  private let table: ClassTable
  private let snapshot: any BackendSnapshot
  private let onDamage: DamagePolicy
  private let chains: [[ReferenceHop]]
  /// A part of the query's condition that needs no other objects; objects of records that do not meet it are not wanted.
  private let ownCondition: ConditionNode

  private var scratch: ScratchObject
  /// Objects in no store with the content of a chunk's records, used again for the next chunk.
  private var contents: [Content] = []
  /// How many of them have content of the current chunk.
  private var count = 0
  /// Where ``content(of:)`` found the last one.
  private var position = 0
  /// Keeps objects alive that records of several chunks may refer to.
  private var held: [StoredObject] = []
  private static let heldLimit = 1 << 16

  private struct Content {
    var object: StoredObject
    var rowID: RowID = 0
  }

  /// An object that has to be loaded, and the references that are followed from there.
  private struct Pending {
    let object: StoredObject
    let next: ArraySlice<ReferenceHop>
  }

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
    self.table = table
    self.snapshot = snapshot
    self.onDamage = onDamage
    scratch = ScratchObject(store, table)
    ownCondition = query.condition.simplified.ownPart
  }

  /// Reads the records of a chunk that may be of use, and loads all that they lead to.
  func prepare(_ chunk: RecordChunk) throws(StoreError) {
    if held.count > Self.heldLimit { held.removeAll() }
    (count, position) = (0, 0)
    var pending: [Pending] = []
    for slice in chunk.slices where slice.status == .found {
      // The query reads a record itself that is not here, and reports the error then.
      guard let object = try? scratch.read(slice, in: chunk), (try? ownCondition.holds(for: object)) ?? true else {
        continue
      }
      if count == contents.count { contents.append(Content(object: table.type.init())) }
      scratch.exchange(&contents[count].object)
      contents[count].rowID = slice.rowID
      count += 1
      for chain in chains { Self.follow(chain[...], from: object, to: &pending) }
    }
    try load(pending)
  }

  /// Loads all that objects lead to.
  func prepare(_ objects: [StoredObject]) throws(StoreError) {
    var pending: [Pending] = []
    for object in objects {
      for chain in chains { Self.follow(chain[...], from: object, to: &pending) }
    }
    try load(pending)
  }

  /// The content of a record of the current chunk; nil if it was not read.
  ///
  /// Records are asked for in their order.
  @inline(__always)
  func content(of rowID: RowID) -> StoredObject? {
    if position < count, contents[position].rowID == rowID { return contents[position].object }
    guard position + 1 < count, contents[position + 1].rowID == rowID else { return nil }
    position += 1
    return contents[position].object
  }

  /// Adds the first object of each way along a chain that has to be loaded.
  private static func follow(
    _ chain: ArraySlice<ReferenceHop>, from object: StoredObject, to pending: inout [Pending]
  ) {
    guard let hop = chain.first else { return }
    let next = chain.dropFirst()
    func follow(_ target: StoredObject) {
      if target.isFault {
        pending.append(Pending(object: target, next: next))
      } else if !next.isEmpty {
        Self.follow(next, from: target, to: &pending)
      }
    }
    if !hop.isList {
      if let target = hop.object(object) { follow(target) }
    } else {
      hop.forEachObject(object, follow)
    }
  }

  private func load(_ pending: [Pending]) throws(StoreError) {
    var pending = pending
    while !pending.isEmpty {
      try load(pending.map(\.object))
      var further: [Pending] = []
      for entry in pending where !entry.object.isFault { Self.follow(entry.next, from: entry.object, to: &further) }
      pending = further
    }
  }

  /// Loads faults, and reports those whose rows do not exist.
  ///
  /// A record that cannot be read is an error of the property that is read next.
  private func load(_ faults: [StoredObject]) throws(StoreError) {
    var tables: [ObjectIdentifier: [StoredObject]] = [:]
    var lastTable: ClassTable?
    var list: [StoredObject] = []
    func finishList() {
      if let lastTable { tables[ObjectIdentifier(lastTable), default: []] += list }
      list.removeAll(keepingCapacity: true)
    }
    for object in faults {
      if object.table !== lastTable {
        finishList()
        lastTable = object.table
      }
      list.append(object)
    }
    finishList()
    for faults in tables.values {
      if let table = faults[0].table, table.store === store { try load(faults, of: table) }
    }
  }

  private func load(_ faults: [StoredObject], of table: ClassTable) throws(StoreError) {
    guard let classID = try table.classIDForReading() else { return }
    var faults = faults.sorted { $0.rowID < $1.rowID }
    var last: StoredObject?
    faults.removeAll { object in
      defer { last = object }
      return object === last
    }
    held += faults
    let rowIDs = faults.map(\.rowID)
    var reader = store.makeReader()
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      try read(rowIDs[start...], of: classID, into: chunk)
      for (index, slice) in chunk.slices.enumerated() {
        switch slice.status {
        case .found:
          try? store.fill(faults[start + index], of: table, from: slice, in: chunk, reader: &reader)
        case .absent where onDamage.isReporting: try onDamage.handle(store.rowNotFound(rowIDs[start + index], table))
        default: break
        }
      }
      start += chunk.slices.count
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
