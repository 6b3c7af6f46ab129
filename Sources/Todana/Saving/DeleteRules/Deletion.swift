/// A delete of objects by the rules of relationships.
///
/// First all objects are found that are deleted together: their *closure*. Nothing is changed before all hooks and rules
/// have allowed the delete. References are followed without recursion, and objects that are not in memory are not loaded
/// unless their references or their hooks are needed.
///
/// It is carried out within a savepoint, which undoes it if an error is thrown.
final class Deletion {
  let store: Store
  /// The state in which references are looked for, against which the save is checked.
  let snapshot: any BackendSnapshot
  /// The objects that are deleted, each marked as ``ObjectState/deleting``, in the order in which they were found.
  private(set) var items: [Item] = []
  /// The number of items, from the beginning, that are known to exist, and whose own references were followed.
  private var followedCount = 0
  /// The number of items, from the beginning, whose referrers were looked for.
  private var searchedCount = 0
  /// The owners of references to deleted objects that stay themselves, by relationship.
  var referrers: [ObjectIdentifier: Referrers] = [:]
  /// References that forbid the delete of their owner, unless their target is deleted, too.
  var forbidding: [Reference] = []
  /// The references of pending owners, by relationship: nil for those that were searched once, in no order.
  var pendingReferences: [ObjectIdentifier: PendingReferences?] = [:]
  /// The class of the last target that was followed: usually that of the next one, too.
  private var lastTarget: ClassTable?
  /// Whether objects are noted for a savepoint before their deletes become pending.
  private var isNoted = true
  /// Whether any referrer forbids the delete.
  private let refusesReferrers: Bool

  struct Item {
    let object: StoredObject
    /// Whether the row is deleted regardless of the record that it has at the time of the save.
    var disregardsRecord = false
    /// Whether `prepareForDelete` is called.
    var isPrepared = true
    /// Whether the delete was pending before, so that only new references to the object are looked for.
    var wasPending = false
    /// Whether the object does not exist, so that there is nothing to delete.
    var isGone = false
  }

  /// The owners of one relationship.
  struct Referrers {
    let relationship: ClassRelationship
    var rowIDs: Set<RowID> = []
  }

  struct Reference {
    let relationship: ClassRelationship
    let owner: AnyObjectID
    let target: AnyObjectID
  }

  init(in store: Store, refusingReferrers: Bool = false) throws(StoreError) {
    self.store = store
    refusesReferrers = refusingReferrers
    snapshot = try store.onRecords { sealing throws(BackendError) in try sealing.snapshot() }
  }

  /// Makes the delete of objects pending.
  ///
  /// - Parameters:
  ///   - objects: Objects of the store.
  ///   - byID: Whether they are deleted by their identities: whatever their records are, and without a call of their
  ///     `prepareForDelete`.
  /// - Returns: The number of the given objects that exist and whose delete was not pending.
  /// - Throws: ``StoreError/Code/deleteDenied``; errors of hooks; ``StoreError``.
  func delete(_ objects: [StoredObject], byID: Bool) throws -> Int {
    defer { for index in items.indices { items[index].object.state.remove(.deleting) } }
    for object in objects { add(object, byID: byID) }
    let rootCount = items.count
    try findClosure()
    try callHooks()
    try checkRules()
    try nullifyReferences()
    try makePending()
    return items[..<rootCount].count { !$0.isGone }
  }

  /// Obeys the rules for references that other stores have added to objects whose deletes are pending.
  ///
  /// - Throws: The errors of ``delete(_:byID:)``.
  func obeyRules(forDeleted objects: [StoredObject]) throws {
    defer { for index in items.indices { items[index].object.state.remove(.deleting) } }
    items = objects.map { Item(object: $0, wasPending: true) }
    for object in objects { object.state.insert(.deleting) }
    try findClosure()
    try callHooks()
    try checkRules()
    try nullifyReferences()
    try makePending()
  }

  /// Adds an object to those that are deleted, unless it is among them, or its delete is pending.
  func add(_ object: StoredObject, byID: Bool = false) {
    guard object.state.isDisjoint(with: [.deleted, .deleting]), object.table != nil else { return }
    object.state.insert(.deleting)
    items.append(Item(object: object, disregardsRecord: byID, isPrepared: !byID))
  }

  /// Returns whether an object is deleted, now or by an earlier call.
  func isDeleted(_ id: AnyObjectID) -> Bool {
    guard let object = store.registry[id.classID]?.identity[id.rowID] else { return false }
    return !object.state.isDisjoint(with: [.deleted, .deleting])
  }

  // MARK: The closure

  /// Finds all objects that are deleted together.
  private func findClosure() throws(StoreError) {
    while searchedCount < items.count {
      // All own references are followed before referrers are looked for, which is faster for many objects together.
      while followedCount < items.count { try followReferences() }
      let searched = searchedCount..<items.count
      searchedCount = items.count
      try findReferrers(of: searched)
    }
  }

  /// Follows the references of the items that were added since the last call.
  private func followReferences() throws(StoreError) {
    let range = followedCount..<items.count
    followedCount = items.count
    // The items of one class whose records have to be read.
    var unread: [Int] = []
    for index in range {
      let object = items[index].object
      guard !items[index].wasPending, let table = object.table else { continue }
      if let first = unread.first, items[first].object.table !== table { try readRecords(of: &unread) }
      if object.state.contains(.inserted) || !(object.isFault || items[index].disregardsRecord) {
        follow(referencesOf: object, object.rowID, of: table)
      } else {
        unread.append(index)
      }
    }
    try readRecords(of: &unread)
  }

  /// Reads the records of items of one class, to find out which exist, and to follow their references.
  private func readRecords(of unread: inout [Int]) throws(StoreError) {
    defer { unread.removeAll(keepingCapacity: true) }
    guard let first = unread.first, let table = items[first].object.table else { return }
    guard let classID = try table.classIDForReading() else { return }
    let follows = table.relationships.contains { $0.declaration.onDelete != .nothing }
    let rowIDs = unread.map { items[$0].object.rowID }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var scratch = follows ? ScratchObject(store, table) : nil
    var start = 0
    while start < rowIDs.count {
      do throws(BackendError) {
        try snapshot.read(rows: rowIDs.span.extracting(start..<rowIDs.count), of: classID, into: chunk)
      } catch {
        throw store.translate(error)
      }
      if chunk.slices.isEmpty { throw StoreError(.backend, "The backend returned no result for requested rows.") }
      for (offset, slice) in chunk.slices.enumerated() {
        let index = unread[start + offset]
        if slice.status == .absent {
          noteAbsentRecord(of: index, in: table)
        } else if follows {
          try follow(slice, in: chunk, index, of: table, &scratch)
        } else {
          noteRecord(of: index, slice, in: chunk)
        }
      }
      start += chunk.slices.count
    }
  }

  /// Notes the record that the save of the delete has to find; a damaged one is deleted as it is.
  private func noteRecord(of index: Int, _ slice: RecordChunk.Slice, in chunk: RecordChunk) {
    if items[index].disregardsRecord { return }
    let record = unsafe chunk.value(of: slice)
    if slice.status == .found, record.count >= RecordEnvelope.trailerByteCount {
      items[index].object.token = unsafe recordToken(record)
    } else {
      items[index].disregardsRecord = true
    }
  }

  /// Leaves out an object without a record, unless it has a pending update: then the save meets the delete of another
  /// store.
  private func noteAbsentRecord(of index: Int, in table: ClassTable) {
    let object = items[index].object
    if object.state.contains(.updated) {
      items[index].disregardsRecord = false
      follow(referencesOf: object, object.rowID, of: table)
    } else {
      items[index].isGone = true
      object.state.remove(.deleting)
    }
  }

  /// Follows the references of a record.
  private func follow(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, _ index: Int, of table: ClassTable,
    _ scratch: inout ScratchObject?
  ) throws(StoreError) {
    let object = items[index].object
    do throws(StoreError) {
      guard let content = try scratch?.read(slice, in: chunk), let token = scratch?.token else { return }
      if !object.isFault {
        // The references in memory count, and the record is that which they were read from.
        follow(referencesOf: object, slice.rowID, of: table)
      } else {
        object.token = token
        follow(referencesOf: content, slice.rowID, of: table)
      }
      // The references that were followed must be those of the record at the time of the save.
      items[index].disregardsRecord = false
    } catch {
      guard error.isAboutRecords, items[index].disregardsRecord else { throw error }
      for relationship in table.relationships where relationship.declaration.onDelete != .nothing {
        var targets: [AnyObjectID] = []
        try store.forEachIndexedTarget(of: slice.rowID, relationship, in: snapshot) { targets.append($0) }
        for target in targets { follow(relationship, to: target, ofRow: slice.rowID) }
      }
    }
  }

  private func follow(referencesOf content: StoredObject, _ rowID: RowID, of table: ClassTable) {
    for relationship in table.relationships where relationship.declaration.onDelete != .nothing {
      relationship.declaration.forEachTarget(content) { follow(relationship, to: $0, ofRow: rowID) }
    }
  }

  private func follow(_ relationship: ClassRelationship, to target: AnyObjectID, ofRow rowID: RowID) {
    switch relationship.declaration.onDelete {
    case .nothing: break
    case .cascade:
      if lastTarget?.classID != target.classID { lastTarget = store.registry[target.classID] }
      if let lastTarget { add(lastTarget.objectOrFault(target.rowID)) }
    case .deny:
      guard let classID = relationship.owners.classID else { return }
      let owner = AnyObjectID(classID: classID, rowID: rowID)
      forbidding.append(Reference(relationship: relationship, owner: owner, target: target))
    }
  }

  /// Takes an owner of a reference to a deleted object into account.
  func note(owner rowID: RowID, of relationship: ClassRelationship) {
    let owners = relationship.owners
    if let object = owners.identity[rowID], !object.state.isDisjoint(with: [.deleted, .deleting]) { return }
    if relationship.declaration.onTargetDelete == .cascade, !refusesReferrers {
      return add(owners.objectOrFault(rowID))
    }
    referrers[ObjectIdentifier(relationship), default: Referrers(relationship: relationship)].rowIDs.insert(rowID)
  }

  // MARK: Refusals

  private func callHooks() throws {
    guard store.hasDelegate || items.contains(where: { $0.object.table?.hooks.contains(.willDelete) == true }) else {
      return
    }
    for item in items where !item.isGone && !item.wasPending {
      if let table = item.object.table { try store.callWillDelete(of: item.object, in: table) }
    }
  }

  /// Throws if a rule forbids the delete.
  private func checkRules() throws(StoreError) {
    for found in referrers.values
    where refusesReferrers || found.relationship.declaration.onTargetDelete == .deny {
      let owners = staying(found)
      if !owners.isEmpty { throw denial(by: owners, found.relationship) }
    }
    var staying: [Reference] = []
    for reference in forbidding where !isDeleted(reference.target) {
      if try exists(reference.target) { staying.append(reference) }
    }
    guard let reference = staying.first else { return }
    throw StoreError(
      .deleteDenied,
      "The object cannot be deleted as long as its \"\(reference.relationship.name)\" refers to objects that stay.",
      className: reference.relationship.owners.name, rowID: reference.owner.rowID,
      objectIDs: Set(staying.map(\.target)).sorted())
  }

  /// Returns the owners that are not deleted themselves, in ascending order.
  func staying(_ found: Referrers) -> [RowID] {
    let identity = { (rowID: RowID) in found.relationship.owners.identity[rowID] }
    return found.rowIDs.filter { identity($0)?.state.isDisjoint(with: [.deleted, .deleting]) ?? true }.sorted()
  }

  private func denial(by owners: [RowID], _ relationship: ClassRelationship) -> StoreError {
    let classID = relationship.owners.classID ?? KeyspaceID(rawValue: 0)
    let shown = items.first { !$0.isGone }?.object
    return StoreError(
      .deleteDenied,
      "Objects cannot be deleted as long as \"\(relationship.name)\" of \(relationship.owners.name) refers to them.",
      className: shown?.table?.name, rowID: items.count == 1 ? shown?.rowID : nil,
      objectIDs: owners.map { AnyObjectID(classID: classID, rowID: $0) })
  }

  /// Returns whether an object exists, in memory or as a record.
  private func exists(_ id: AnyObjectID) throws(StoreError) -> Bool {
    if let object = store.registry[id.classID]?.identity[id.rowID], !object.isFault { return true }
    let chunk = RecordChunk(byteCapacity: 64, recordLimit: 1, leavesOutValues: true)
    do throws(BackendError) {
      try snapshot.read(rows: [id.rowID].span, of: id.classID, into: chunk)
    } catch {
      throw store.translate(error)
    }
    return chunk.slices.first.map { $0.status != .absent } ?? false
  }

  // MARK: Changes

  /// Removes the references to deleted objects from owners that stay.
  private func nullifyReferences() throws {
    for found in referrers.values where found.relationship.declaration.onTargetDelete == .nullify {
      let table = found.relationship.owners
      let owners = staying(found).map { table.objectOrFault($0) }
      // An owner that another store has changed is read again: the index shows its newest references.
      try store.refresh(owners.filter { !$0.isFault && !$0.state.isPending }, of: table)
      try store.load(owners)
      for owner in owners {
        try store.announceChange(of: owner)
        found.relationship.declaration.removeTargets?(owner) { isDeleted($0) }
      }
    }
  }

  private func makePending() throws {
    // From here on only hooks can throw. Without them nothing has to be undone, except for a savepoint around this call.
    isNoted =
      store.savepointDepth > 1 || !referrers.isEmpty || store.undoStack != nil
      || items.contains { $0.isPrepared && $0.object.table?.hooks.contains(.prepareForDelete) == true }
    if store.undoStack != nil {
      store.loadForUndo(items.lazy.filter { !$0.isGone && !$0.wasPending }.map(\.object))
    }
    // Most objects are usually of the class of the last one.
    items.last?.object.table?.pending.reserveMore(items.count)
    for index in items.indices {
      let item = items[index]
      guard !item.isGone, !item.wasPending, let table = item.object.table else { continue }
      if isNoted { try prepare(item, of: table) }
      guard item.object.table === table, !item.object.state.contains(.deleted) else { continue }
      if item.object.state.contains(.inserted) {
        store.forget(item.object, of: table)
        continue
      }
      if item.object.state.contains(.updated) {
        table.pending.change(item.object, to: .deleted)
      } else {
        table.pending.add(item.object, as: .deleted)
        store.adjustPendingCount(by: 1)
      }
      if item.disregardsRecord { table.pending.disregardRecord(of: item.object) }
    }
  }

  /// Notes an object for the savepoint, and calls its `prepareForDelete`.
  private func prepare(_ item: Item, of table: ClassTable) throws {
    let object = item.object
    let isCalled = item.isPrepared && table.hooks.contains(.prepareForDelete)
    if isCalled { try store.load(object) }
    let isClean = !object.state.isPending
    // The saved content of a clean object can be read again.
    store.journal?.note(object, copiesContent: !isClean, isReread: isClean && isCalled)
    store.noteForUndo(object)
    if isCalled { try object.prepareForDelete(in: store) }
  }
}
