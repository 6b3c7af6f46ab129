/// The search of a text index for a text condition of a query.
final class TextAccess {
  let index: ClassTextIndex
  let test: MatchesTest
  let state: TextIndexState
  let columns: SearchedColumns
  private let store: Store
  /// The search that was begun for the estimate; nil once it was taken.
  private var first: TextIndexSearch?

  /// Prepares a search; the result is nil if there is no text index for the condition.
  ///
  /// - Parameters:
  ///   - test: A text condition.
  ///   - table: The class of the query.
  ///   - states: The text indexes in the state that is read.
  ///   - store: The store.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/damagedIndex``.
  init?(
    _ test: MatchesTest, of table: ClassTable, in states: TextIndexStates, _ store: Store
  ) throws(StoreError) {
    guard test.problem == nil, let (index, columns) = Self.index(for: test, of: table),
      let state = try states.state(of: index)
    else { return nil }
    (self.index, self.test, self.state, self.columns) = (index, test, state, columns)
    self.store = store
  }

  /// Returns the text index that has the properties which a condition searches.
  static func index(
    for test: MatchesTest, of table: ClassTable
  ) -> (ClassTextIndex, SearchedColumns)? {
    if let name = test.indexName {
      let named = table.textIndexes.first { $0.name == name && test.fits($0.declaration, of: table.type) }
      return named.map { index in
        let numbers = index.declaration.columns.indices.map(UInt8.init(clamping:))
        return (index, SearchedColumns(numbers: numbers, areAll: true))
      }
    }
    // All text indexes have the words as they are written, so that one of any language serves a single property.
    var best: (ClassTextIndex, SearchedColumns)?
    for index in table.textIndexes {
      let columns = index.declaration.columns
      guard let number = columns.firstIndex(where: { test.searches($0.path) }) else { continue }
      if let best, best.0.declaration.columns.count <= columns.count { continue }
      best = (index, SearchedColumns(numbers: [UInt8(clamping: number)], areAll: columns.count == 1))
    }
    return best
  }

  /// Returns the highest number of rows that the segments give.
  func estimate() throws(StoreError) -> Int {
    let search = try takeSearch()
    first = search
    return search.estimate
  }

  /// The cost of testing the texts of one object, by the average number of their words and the number of terms.
  var textCost: Double {
    let segments = state.header.segments
    let (words, rows) = segments.reduce((0, 0)) { ($0.0 + $1.info.wordCount, $0.1 + $1.info.rowCount) }
    return 0.05 * (Double(words) / Double(max(1, rows)) + Double(test.plan.terms.count))
  }

  /// Whether segments may give rows whose texts have to be tested.
  var testsTexts: Bool {
    if index.declaration.keepsPositions {
      return test.plan.terms.contains { term in
        if case .regularExpression = term { true } else { false }
      }
    }
    return !test.plan.terms.allSatisfy { term in
      if case .words(let words) = term { words.count == 1 } else { false }
    }
  }

  /// Returns a search that has given no rows yet.
  func takeSearch() throws(StoreError) -> TextIndexSearch {
    if let first {
      self.first = nil
      return first
    }
    return try TextIndexSearch(test.plan, columns, state, of: store)
  }
}
