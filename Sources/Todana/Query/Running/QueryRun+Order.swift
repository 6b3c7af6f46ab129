extension QueryRun {
  /// Calls back for each row of the result in order.
  ///
  /// Rows that are found in order come first, with their records if `wantsRecords`. All others are sorted, and come
  /// without records.
  func forEachRow(wantsRecords: Bool, _ body: RowBody) throws(StoreError) {
    if query.limit == 0 { return }
    if needsRelevance { return try ranked(by: try relevance()).forEachRow(wantsRecords: wantsRecords, body) }
    let pending = try matchingPendingObjects()
    var givenCount = 0
    let first = pending.isEmpty ? nil : try firstMatches()
    if pending.isEmpty, let given = try giveInOrder(wantsRecords: wantsRecords, body) {
      if given.isWhole { return }
      if let rest = continuing(after: given.count) {
        return try rest.forEachRow(wantsRecords: wantsRecords, body)
      }
      // The remaining rows are not found in order, and have to be sorted.
      givenCount = given.count
    } else if first == nil, let rest = continuing(after: 0) {
      return try rest.forEachRow(wantsRecords: wantsRecords, body)
    }
    var sorted = first ?? SortedRows(by: query.sortKeys, limit: query.neededCount, start: query.start)
    for object in pending {
      do throws(StoreError) {
        try sorted.append(object, rowID: object.rowID)
      } catch {
        try onDamage.handle(error)
      }
    }
    if first == nil {
      if query.sortKeys.isEmpty {
        try forEachMatch(needsRecords: wantsRecords && countsReadableOnly) { rowID, _, _ throws(StoreError) in
          sorted.append(rowID: rowID)
          return true
        }
      } else {
        try appendMatches(to: &sorted)
      }
    }
    sorted.sort()
    for row in sorted.rows.dropFirst(query.offset + givenCount).prefix((query.limit ?? .max) - givenCount) {
      if try !body(row.rowID, nil, nil) { return }
    }
  }

  /// Returns as many saved rows as the result may have, if they are found in its order.
  ///
  /// Later rows cannot be in the result, whatever is pending.
  ///
  /// - Returns: The rows; nil if all rows have to be read.
  private func firstMatches() throws(StoreError) -> SortedRows? {
    guard query.limit != nil, !onDamage.isReporting else { return nil }
    var saved = self
    saved.query.limit = query.neededCount
    saved.query.offset = 0
    var sorted = SortedRows(by: query.sortKeys, limit: nil, start: query.start)
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    let isSorted = !query.sortKeys.isEmpty
    let given = try saved.giveInOrder(wantsRecords: isSorted) { rowID, slice, chunk throws(StoreError) in
      if isSorted, let slice, let chunk {
        try append(slice, in: chunk, rowID: rowID, to: &sorted, &scratch)
      } else {
        sorted.append(rowID: rowID)
      }
      return true
    }
    return given?.isWhole == true ? sorted : nil
  }

  /// Continues with the plan's fallback.
  ///
  /// - Parameter count: The number of rows that were given in order.
  /// - Returns: A run for the rest of the result; nil if there is no fallback.
  func continuing(after count: Int) -> QueryRun? {
    guard let fallback = plan.fallback else { return nil }
    var rest = self
    rest.plan = fallback.plan
    rest.query.offset += count
    rest.query.limit = query.limit.map { $0 - count }
    return rest
  }

  /// Calls back for rows in the order in which they are found, if this is the order of the result.
  ///
  /// - Returns: The number of rows that were given, and whether the result is complete; nil if rows are not found in
  ///   order.
  private func giveInOrder(
    wantsRecords: Bool, _ body: RowBody
  ) throws(StoreError) -> (count: Int, isWhole: Bool)? {
    guard let classID else { return (0, true) }
    var left = query.offset
    var count = 0
    let limit = query.limit ?? .max
    // If there are no sort keys, the row id determines the order.
    let firstRow = query.sortKeys.isEmpty ? query.start.map { $0.rowID == .max ? .max : $0.rowID + 1 } ?? 0 : 0
    func give(
      _ rowID: RowID, _ slice: RecordChunk.Slice?, _ chunk: RecordChunk?
    ) throws(StoreError) -> Bool {
      if rowID < firstRow { return true }
      if left > 0 {
        left -= 1
        return true
      }
      count += 1
      return try body(rowID, slice, chunk) && count < limit
    }
    switch (plan.access, plan.order) {
    case (.nothing, _): return (0, true)
    case (_, .sorted): return nil
    case (.scan, _):
      // If there is no limit, reading in another order is faster.
      guard query.limit != nil else { return nil }
      let isWhole = try scanInOrder(classID, from: max(firstRow, 1), needsRecords: wantsRecords, give)
      return (count, isWhole)
    case (.index(let access), .given):
      guard let start = query.start, !query.sortKeys.isEmpty else {
        // The count is known only after the stream has ended.
        let isInOrder = try stream(access, needsRecords: wantsRecords, classID, give)
        return (count, isInOrder)
      }
      var isBehind = false
      var scratch = ScratchObject(store, table, references: references, isForQuery: true)
      let isInOrder = try stream(access.beginning(with: start, of: query), needsRecords: true, classID) {
        rowID, slice, chunk throws(StoreError) in
        if !isBehind, let slice, let chunk {
          var place = SortedRows(by: query.sortKeys, limit: nil, start: start)
          try append(slice, in: chunk, rowID: rowID, to: &place, &scratch)
          isBehind = !place.rows.isEmpty
        }
        return isBehind ? try give(rowID, slice, chunk) : true
      }
      return (count, isInOrder)
    case (.rows(let rowIDs), _):
      try forEach(rowIDs, needsRecords: wantsRecords, mayBeAbsent: true, classID, give)
    case (.index(let access), .rows):
      try forEach(try rowIDs(of: [access], in: .any), needsRecords: wantsRecords, classID, give)
    case (.union(let accesses), _):
      try forEach(try rowIDs(of: accesses, in: .any), needsRecords: wantsRecords, classID, give)
    case (.intersection(let accesses), _):
      try forEach(try rowIDs(of: accesses, in: .all), needsRecords: wantsRecords, classID, give)
    case (.text(let access), _):
      try forEachTextMatch(access, needsRecords: wantsRecords, classID, give)
    }
    return (count, true)
  }
}
