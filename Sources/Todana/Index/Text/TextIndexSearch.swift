/// The search of all segments of a text index in one state.
final class TextIndexSearch {
  let state: TextIndexState
  /// The segments' searches, with the rows that were found and not given yet.
  private var parts: [Part] = []

  private final class Part {
    let search: TextSearch
    var rows: [RowID] = []
    var areSure: [Bool] = []
    var next = 0

    init(_ search: TextSearch) { self.search = search }

    /// The row that comes next; nil at the end.
    func peek(_ limit: Int) throws(BackendError) -> RowID? {
      if next == rows.count {
        try search.next(into: &rows, &areSure, limit: limit)
        next = 0
      }
      return next < rows.count ? rows[next] : nil
    }
  }

  /// The highest number of rows that the segments give.
  let estimate: Int

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - plan: The expression, which has no problem.
  ///   - columns: The properties that are searched.
  ///   - state: The index.
  ///   - store: The store.
  ///   - unsaved: Further rows that are left out, in ascending order.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/damagedIndex``.
  convenience init(
    _ plan: TextPlan, _ columns: SearchedColumns, _ state: TextIndexState, of store: Store,
    withoutRows unsaved: [RowID] = []
  ) throws(StoreError) {
    let query: TextSegmentQuery?
    do throws(BackendError) {
      query = try TextSegmentQuery(plan)
    } catch {
      throw store.translate(error)
    }
    try self.init(query, columns, state, of: store, withoutRows: unsaved)
  }

  init(
    _ query: TextSegmentQuery?, _ columns: SearchedColumns, _ state: TextIndexState, of store: Store,
    withoutRows unsaved: [RowID]
  ) throws(StoreError) {
    self.state = state
    do throws(BackendError) {
      var total = 0
      if let query {
        var pending = state.pending.map(\.rowID)
        if !unsaved.isEmpty { pending = Set(pending).union(unsaved).sorted() }
        for opened in try state.segments() {
          let stale = opened.stale
          let hidden = stale.isEmpty ? pending : pending.isEmpty ? stale : (stale + pending).sorted()
          let search = try TextSearch(opened.segment, query, columns, hidden: hidden)
          let estimate = search.estimate
          total += estimate
          if estimate > 0 { parts.append(Part(search)) }
        }
      }
      estimate = total
    } catch {
      throw store.translateTextError(error, of: state.index)
    }
  }

  /// Counts the rows that meet the condition, and those that have to be tested.
  func count() throws(BackendError) -> (sure: Int, untested: Int) {
    var total = (sure: 0, untested: 0)
    for part in parts {
      let (sure, untested) = try part.search.count()
      total = (total.sure + sure, total.untested + untested)
    }
    return total
  }

  /// Adds the rows with the highest relevance to a ranking.
  ///
  /// - Returns: false if objects have to be read for the relevance.
  func rank(_ ranking: TextRanking) throws(BackendError) -> Bool {
    for part in parts where try !ranking.add(part.search) { return false }
    return true
  }

  /// The number of rows that a segment gives at a time: few at first, as a few may be enough.
  private var stepCount = 64

  /// Finds the next rows in ascending order.
  ///
  /// - Parameters:
  ///   - rows: Receives the rows; none at the end.
  ///   - areSure: Receives whether each of them meets the condition; the others have to be tested.
  ///   - limit: The most rows.
  /// - Throws: The errors of reading pages.
  func next(into rows: inout [RowID], _ areSure: inout [Bool], limit: Int) throws(BackendError) {
    rows.removeAll(keepingCapacity: true)
    areSure.removeAll(keepingCapacity: true)
    while rows.count < limit {
      // Most segments have rows of their own, so that one gives many rows before another.
      var least: (row: RowID, part: Part)?
      var following = RowID.max
      for part in parts {
        guard let row = try part.peek(stepCount) else { continue }
        guard let first = least else {
          least = (row, part)
          continue
        }
        if row < first.row { least = (row, part) }
        following = min(following, max(row, first.row))
      }
      guard let (row, part) = least else { return }
      guard row < following else {
        throw BackendError(.damaged, "Two segments of a text index have the same row: rebuild the index.", rowID: row)
      }
      while part.next < part.rows.count, rows.count < limit, part.rows[part.next] < following {
        rows.append(part.rows[part.next])
        areSure.append(part.areSure[part.next])
        part.next += 1
      }
      if part.next == part.rows.count { stepCount = min(stepCount * 2, 4096) }
    }
  }
}
