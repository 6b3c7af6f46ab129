/// The differences between two results of a query.
struct LiveDifference {
  var classID: KeyspaceID
  var commitNumber: CommitNumber
  var rowIDs: [RowID]
  /// The identities of the objects, if they are of several classes; nil if ``classID`` and ``rowIDs`` give them.
  var ids: [AnyObjectID]?
  var deletions: [Int] = []
  var insertions: [Int] = []
  var updates: [Int] = []
  var moves: [(from: Int, to: Int)] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && updates.isEmpty }
}

/// The result of a query in one state of the store, which can be updated to later states.
struct LiveResult {
  private let store: Store
  private let table: ClassTable
  private let query: QuerySpecification
  private let onDamage: DamagePolicy
  /// The records that were reported, so that each is not reported again while it is unchanged.
  private let reported: ReportedRecords
  /// Whether the query runs again after every commit, because a limit, an offset or the relevance makes an object's
  /// place depend on other objects.
  private let dependsOnOthers: Bool
  private let leadsToOtherClasses: Bool
  private var rowIDs: [RowID]
  /// The sort keys of the rows; empty without a sort.
  private var keys = RowKeys()
  private var commitNumber: CommitNumber

  init(
    _ query: QuerySpecification, of table: ClassTable, in store: Store, onDamage: DamagePolicy = .fail
  ) throws(StoreError) {
    self.store = store
    self.table = table
    var query = query
    if query.condition.testsIdentities {
      query.condition = query.condition.resolvingIdentities(of: try table.classIDForReading())
    }
    self.query = query
    let reported = ReportedRecords()
    self.reported = reported
    self.onDamage = onDamage.reporting(each: reported)
    dependsOnOthers = query.limit != nil || query.offset > 0 || query.sortsByRelevance
    leadsToOtherClasses =
      query.condition.looksAtOtherObjects || query.sortKeys.contains { $0.path.leadsToOtherObjects }
    (rowIDs, commitNumber) = ([], 0)
    try carryOut()
  }

  /// The whole result, as insertions.
  var whole: LiveDifference {
    LiveDifference(
      classID: classID, commitNumber: commitNumber, rowIDs: rowIDs, insertions: Array(rowIDs.indices))
  }

  private var classID: KeyspaceID { table.classID ?? KeyspaceID(rawValue: 0) }

  private mutating func carryOut() throws(StoreError) {
    let (query, table, store, onDamage) = (query, table, store, onDamage)
    let run = try store.withNewestIndexes(of: table) { () throws(StoreError) in
      try QueryRun(query, of: table, in: store, includingPending: false, onDamage: onDamage)
    }
    commitNumber = run.commitNumber
    try run.reportSkippedRows()
    guard !query.sortKeys.isEmpty, !dependsOnOthers, !leadsToOtherClasses else {
      rowIDs = try run.rowIDs()
      return
    }
    let sorted = try run.sortedRows()
    rowIDs = sorted.rows.map(\.rowID)
    keys = RowKeys(of: sorted)
  }

  /// Updates the result to the newest state.
  ///
  /// - Returns: The differences; nil if there are none.
  mutating func apply(_ commits: [CommitChanges]) throws(StoreError) -> LiveDifference? {
    var changed: Set<RowID> = []
    var isUnknown = false
    var others: [KeyspaceID: Set<RowID>] = [:]
    for commit in commits {
      if commit.isUnknown { isUnknown = true }
      for id in commit.inserted + commit.updated + commit.deleted {
        if id.classID == table.classID {
          changed.insert(id.rowID)
        } else if leadsToOtherClasses {
          others[id.classID, default: []].insert(id.rowID)
        }
      }
    }
    guard isUnknown || !changed.isEmpty || !others.isEmpty else { return nil }
    if isUnknown, leadsToOtherClasses { try store.refresh() }
    reported.remove(changed, ofClassNamed: table.name)
    try reload(changed, of: table)
    for (classID, rowIDs) in others {
      if let table = store.registry[classID] { try reload(rowIDs, of: table) }
    }
    let former = rowIDs
    if isUnknown || dependsOnOthers || leadsToOtherClasses || changed.count > max(1024, rowIDs.count / 10) {
      try carryOut()
      return difference(from: former, changed: isUnknown ? Set(former) : changed)
    }
    return try apply(changed)
  }

  /// Turns loaded objects without pending changes into faults if other stores have changed them.
  private func reload(_ changed: Set<RowID>, of table: ClassTable) throws(StoreError) {
    let loaded = changed.compactMap { table.identity[$0] }.filter { !$0.isFault && !$0.state.isPending }
    try store.refresh(loaded, of: table)
  }

  // MARK: Row by row

  private mutating func apply(_ changed: Set<RowID>) throws(StoreError) -> LiveDifference? {
    let (present, number) = try places(of: changed.sorted())
    commitNumber = number
    var change = LiveDifference(classID: classID, commitNumber: number, rowIDs: [])
    var removed: [(index: Int, rowID: RowID)] = []
    var added: [AddedRow] = []
    /// The former indexes of changed rows that keep their places.
    var kept: [Int] = []
    /// The changed rows that belonged to the result before and belong to it now, in another place.
    var moved: Set<RowID> = []
    for rowID in changed {
      let index = index(of: rowID)
      if let key = present[rowID] {
        if let index {
          if query.sortKeys.isEmpty || keys.order(rowID, key) == 0 {
            kept.append(index)
            continue
          }
          moved.insert(rowID)
          removed.append((index, rowID))
        }
        added.append(AddedRow(rowID: rowID, key: key, place: insertionIndex(of: rowID, key)))
      } else if let index {
        removed.append((index, rowID))
      }
    }
    removed.sort { $0.index < $1.index }
    added.sort { $0.comes(before: $1) }
    kept.sort()
    change.deletions = removed.map(\.index)
    let removedIndexes = change.deletions
    change.insertions = added.enumerated().map { number, row in
      row.place - removedIndexes.countBefore(row.place) + number
    }
    let addedPlaces = added.map(\.place)
    change.updates = kept.map { index in
      // A row that is added at the place of another comes before it.
      index - removedIndexes.countBefore(index) + addedPlaces.countBefore(index + 1)
    }
    if !moved.isEmpty {
      var newIndexes: [RowID: Int] = [:]
      for (row, index) in zip(added, change.insertions) where moved.contains(row.rowID) {
        newIndexes[row.rowID] = index
      }
      change.updates = (change.updates + newIndexes.values).sorted()
      for place in removed { if let to = newIndexes[place.rowID] { change.moves.append((place.index, to)) } }
    }
    if change.isEmpty { return nil }
    replace(removed.map(\.index), added, change.insertions)
    if !query.sortKeys.isEmpty {
      for row in removed { keys.remove(row.rowID) }
      for row in added { keys.insert(row.key, of: row.rowID) }
    }
    change.rowIDs = rowIDs
    return change
  }

  /// A row that is added to the result.
  private struct AddedRow {
    let rowID: RowID
    let key: [UInt8]
    /// The former index of the first row that does not come before it.
    let place: Int

    func comes(before other: AddedRow) -> Bool {
      if place != other.place { return place < other.place }
      return key != other.key ? key.lexicographicallyPrecedes(other.key) : rowID < other.rowID
    }
  }

  /// Removes rows and adds others, in ascending order of their indexes.
  ///
  /// - Parameters:
  ///   - removed: The former indexes of the rows to be removed.
  ///   - added: The rows to be added.
  ///   - newIndexes: Their new indexes.
  /// - Complexity: O(*n*) in the rows of the result. A few changes move rows within the array, and more changes make a
  ///   new array.
  private mutating func replace(_ removed: [Int], _ added: [AddedRow], _ newIndexes: [Int]) {
    if removed.count + added.count <= 16 {
      for index in removed.reversed() { rowIDs.remove(at: index) }
      for (row, index) in zip(added, newIndexes) { rowIDs.insert(row.rowID, at: index) }
      return
    }
    var new: [RowID] = []
    new.reserveCapacity(rowIDs.count - removed.count + added.count)
    var (nextRemoved, nextAdded) = (0, 0)
    for (index, rowID) in rowIDs.enumerated() {
      while nextAdded < added.count, added[nextAdded].place == index {
        new.append(added[nextAdded].rowID)
        nextAdded += 1
      }
      if nextRemoved < removed.count, removed[nextRemoved] == index {
        nextRemoved += 1
      } else {
        new.append(rowID)
      }
    }
    new += added[nextAdded...].map(\.rowID)
    rowIDs = new
  }

  /// Returns the sort keys of those rows that belong to the result now, with the commit whose state was read.
  private func places(of rowIDs: [RowID]) throws(StoreError) -> ([RowID: [UInt8]], CommitNumber) {
    guard let classID = try table.classIDForReading() else { return ([:], 0) }
    var present: [RowID: [UInt8]] = [:]
    var scratch = ScratchObject(store, table, isForQuery: true)
    var number: CommitNumber = 0
    try store.readingOneState { () throws(StoreError) in
      number = try store.snapshotForReading().commitNumber
      try store.readRows(rowIDs, of: classID) { index, slice, chunk throws(StoreError) in
        guard slice.status != .absent else { return }
        do throws(StoreError) {
          let object = try scratch.read(slice, in: chunk)
          guard try query.condition.holds(for: object) else { return }
          var place = SortedRows(by: query.sortKeys, limit: nil, start: query.start)
          try place.append(object, rowID: rowIDs[index])
          if let row = place.rows.first { present[rowIDs[index]] = place.key(of: row) }
        } catch {
          try onDamage.handle(error)
        }
      }
    }
    return (present, number)
  }

  /// Returns the index of a row; nil if it does not belong to the result.
  private func index(of rowID: RowID) -> Int? {
    guard let key = query.sortKeys.isEmpty ? [] : keys[rowID] else { return nil }
    let index = insertionIndex(of: rowID, key)
    return index < rowIDs.count && rowIDs[index] == rowID ? index : nil
  }

  /// Returns the index at which a row belongs: the first whose row does not come before it.
  private func insertionIndex(of rowID: RowID, _ key: [UInt8]) -> Int {
    var (low, high) = (0, rowIDs.count)
    while low < high {
      let middle = (low + high) / 2
      let other = rowIDs[middle]
      let order = query.sortKeys.isEmpty ? 0 : keys.order(other, key)
      if order < 0 || (order == 0 && other < rowID) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Whole results

  private func difference(from former: [RowID], changed: Set<RowID>) -> LiveDifference? {
    var change = LiveDifference(classID: classID, commitNumber: commitNumber, rowIDs: rowIDs)
    change.setChanges(from: former, to: rowIDs, changed: changed)
    return change.isEmpty ? nil : change
  }
}

extension LiveDifference {
  /// Sets the differences between two whole results.
  ///
  /// - Parameters:
  ///   - former: The previous result.
  ///   - new: The new result.
  ///   - changed: The objects that have changed.
  mutating func setChanges<ID: Hashable>(from former: [ID], to new: [ID], changed: Set<ID>) {
    (deletions, insertions, updates, moves) = ([], [], [], [])
    var formerIndexes: [ID: Int] = Dictionary(minimumCapacity: former.count)
    for (index, id) in former.enumerated() { formerIndexes[id] = index }
    // Objects whose relative order is unchanged stay; the others are removed and inserted again.
    let common = new.compactMap { formerIndexes[$0] }
    let staying = Set(Self.longestAscending(common))
    var remaining: Set<Int> = []
    for (index, id) in new.enumerated() {
      if let formerIndex = formerIndexes[id] {
        if changed.contains(id) { updates.append(index) }
        if staying.contains(formerIndex) {
          remaining.insert(formerIndex)
        } else {
          insertions.append(index)
          moves.append((formerIndex, index))
        }
      } else {
        insertions.append(index)
      }
    }
    deletions = former.indices.filter { !remaining.contains($0) }
  }

  /// Returns a longest ascending subsequence of the numbers (Schensted, 1961).
  private static func longestAscending(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = tails[low - 1] }
      if low == tails.count { tails.append(position) } else { tails[low] = position }
    }
    var run: [Int] = []
    var position = tails.last ?? -1
    while position >= 0 {
      run.append(numbers[position])
      position = previous[position]
    }
    return run.reversed()
  }
}

extension [Int] {
  /// The number of elements below a value; the elements must be in ascending order.
  fileprivate func countBefore(_ value: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
