import CTextIndex

/// A text expression, prepared for searches of segments.
///
/// Safe to share: searches read it only, and its tests of words keep no state.
@safe
final class TextSegmentQuery: @unchecked Sendable {
  fileprivate let query: OpaquePointer
  /// The words that are tested by calling back, which C refers to.
  private var tests: [WordTest] = []

  /// Prepares a plan that has no problem; the result is nil if the plan finds nothing.
  convenience init?(_ plan: TextPlan) throws(BackendError) {
    guard let tree = plan.tree else { return nil }
    try self.init(tree, plan.terms)
  }

  /// Prepares the search for a single term.
  convenience init(_ term: TextTerm) throws(BackendError) { try self.init(.term(0), [term]) }

  /// Prepares the search for words that begin so, and of which segments have only the first bytes.
  init(cutWordsWith beginning: [UInt8]) throws(BackendError) {
    unsafe query = try Self.emptyQuery()
    let status = unsafe beginning.withUnsafeBufferPointer { bytes in
      var pattern = unsafe tdt_pattern()
      unsafe pattern.kind = Int32(TDT_CUT.rawValue)
      unsafe pattern.bytes = bytes.baseAddress
      unsafe pattern.byte_count = bytes.count
      return unsafe tdt_query_add_words(query, &pattern, 1)
    }
    try status.check()
  }

  private init(_ tree: TextPlan.Tree, _ terms: [TextTerm]) throws(BackendError) {
    unsafe query = try Self.emptyQuery()
    try add(tree, of: terms)
  }

  private static func emptyQuery() throws(BackendError) -> OpaquePointer {
    guard let query = unsafe tdt_query_new() else {
      throw BackendError(.noMemory, "There is not enough memory for a search.")
    }
    return unsafe query
  }

  deinit { unsafe tdt_query_free(query) }

  private func add(_ tree: TextPlan.Tree, of terms: [TextTerm]) throws(BackendError) {
    switch tree {
    case .term(let number): try add(terms[number])
    case .all(let trees): try join(trees, TDT_ALL, of: terms)
    case .any(let trees): try join(trees, TDT_ANY, of: terms)
    case .not(let tree): try join([tree], TDT_NOT, of: terms)
    }
  }

  private func join(_ trees: [TextPlan.Tree], _ joint: tdt_joint, of terms: [TextTerm]) throws(BackendError) {
    for tree in trees { try add(tree, of: terms) }
    try unsafe tdt_query_join(query, Int32(joint.rawValue), trees.count).check()
  }

  private func add(_ term: TextTerm) throws(BackendError) {
    switch term {
    case .words(let words):
      try unsafe withPatterns(words) { patterns in unsafe tdt_query_add_words(query, patterns, words.count) }
    case .near(let phrases, let distance):
      try unsafe withPatterns(phrases.flatMap(\.self)) { patterns in
        unsafe tdt_query_add_near(
          query, patterns, phrases.map(\.count), phrases.count, UInt32(clamping: distance))
      }
    case .contains(let part): try add(part)
    case .begins(let part): try add(part, begins: true)
    case .ends(let part): try add(part, ends: true)
    case .equals(let whole): try add(whole, begins: true, ends: true)
    case .regularExpression(let expression): try add(expression)
    }
  }

  /// Adds an expression, which texts have to be tested for.
  private func add(_ expression: RegularExpression) throws(BackendError) {
    let alternatives = expression.requiredParts()
    for parts in alternatives {
      for part in parts { try add(part) }
      try unsafe tdt_query_join(query, Int32(TDT_ALL.rawValue), parts.count).check()
    }
    if !alternatives.isEmpty {
      try unsafe tdt_query_join(query, Int32(TDT_ANY.rawValue), alternatives.count).check()
    }
    try unsafe tdt_query_add_anything(query).check()
    if !alternatives.isEmpty { try unsafe tdt_query_join(query, Int32(TDT_ALL.rawValue), 2).check() }
  }

  private func add(_ part: [UInt8], begins: Bool = false, ends: Bool = false) throws(BackendError) {
    try unsafe tdt_query_add_part(query, part, part.count, begins, ends).check()
  }

  /// Calls the closure with patterns for C, which copies them.
  private func withPatterns(
    _ words: [TextWord], _ body: (UnsafePointer<tdt_pattern>) -> tdt_status
  ) throws(BackendError) {
    var bytes: [UInt8] = []
    for word in words { bytes += word.bytes + (word.stem ?? []) }
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      func take(_ count: Int) -> UnsafePointer<UInt8>? {
        defer { start += count }
        return unsafe bytes.baseAddress.map { unsafe $0 + start }
      }
      var patterns: [tdt_pattern] = unsafe []
      for word in words {
        var pattern = unsafe tdt_pattern()
        unsafe pattern.bytes = take(word.bytes.count)
        unsafe pattern.byte_count = word.bytes.count
        unsafe pattern.stem = take(word.stem?.count ?? 0)
        unsafe pattern.stem_count = word.stem?.count ?? 0
        let kind: tdt_pattern_kind
        switch word.part {
        case .whole: kind = TDT_WHOLE
        case .beginning: kind = TDT_BEGINNING
        case .end: kind = TDT_END
        case .changed(let fuzzy):
          kind = TDT_FUZZY
          unsafe pattern.edits = UInt32(clamping: fuzzy.edits)
          let test = unsafe WordTest { word in unsafe fuzzy.matches(word) }
          tests.append(test)
          unsafe test.attach(to: &pattern)
        }
        unsafe pattern.kind = Int32(kind.rawValue)
        unsafe patterns.append(pattern)
      }
      return unsafe body(patterns)
    }
    try status.check()
  }
}

/// The properties of a text index that are searched.
struct SearchedColumns: Sendable {
  let numbers: [UInt8]
  /// Whether the index has no others.
  let areAll: Bool
}

/// A search of a segment, which finds rows in ascending order.
///
/// Safe: it owns the object of C, and keeps what that refers to alive.
@safe
final class TextSearch {
  private let segment: TextSegment
  private let query: TextSegmentQuery
  private let search: OpaquePointer

  /// Begins a search.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - query: The prepared expression.
  ///   - columns: The properties that are searched.
  ///   - hidden: The rows that are left out, in ascending order.
  /// - Throws: The errors of reading pages; ``BackendError/Code/damaged``, ``BackendError/Code/noMemory``.
  init(
    _ segment: TextSegment, _ query: TextSegmentQuery, _ columns: SearchedColumns, hidden: [RowID]
  ) throws(BackendError) {
    var status = TDT_OK
    let search = unsafe tdt_search_new(
      segment.handle, query.query, columns.numbers, columns.numbers.count, columns.areAll, hidden, hidden.count,
      &status)
    try segment.source.check(status)
    guard let search = unsafe search else {
      throw BackendError(.noMemory, "There is not enough memory for a search.")
    }
    self.segment = segment
    self.query = query
    unsafe self.search = search
  }

  deinit { unsafe tdt_search_free(search) }

  /// The highest number of rows that can be found.
  var estimate: Int { unsafe Int(clamping: tdt_search_estimate(search)) }

  /// Counts the rows that meet the query, and those that have to be tested.
  func count() throws(BackendError) -> (sure: Int, untested: Int) {
    var (sure, untested): (UInt64, UInt64) = (0, 0)
    try segment.source.check(unsafe tdt_search_count(search, &sure, &untested))
    return (Int(clamping: sure), Int(clamping: untested))
  }

  /// Adds its rows to a ranking.
  ///
  /// - Returns: false if the segment does not give the relevance of its rows.
  fileprivate func rank(_ ranking: OpaquePointer) throws(BackendError) -> Bool {
    var isRanked = false
    try segment.source.check(unsafe tdt_ranking_add(ranking, search, &isRanked))
    return isRanked
  }

  /// Finds the next rows.
  ///
  /// - Parameters:
  ///   - rows: Receives the rows; none at the end.
  ///   - areSure: Receives whether each of them meets the query; the others have to be tested.
  ///   - limit: The most rows.
  /// - Throws: The errors of reading pages; ``BackendError/Code/damaged``, ``BackendError/Code/noMemory``.
  func next(into rows: inout [RowID], _ areSure: inout [Bool], limit: Int) throws(BackendError) {
    var status = TDT_OK
    var count = 0
    areSure = unsafe [Bool](unsafeUninitializedCapacity: limit) { areSure, sureCount in
      rows = unsafe [RowID](unsafeUninitializedCapacity: limit) { rows, rowCount in
        if let rows = rows.baseAddress, let areSure = areSure.baseAddress {
          status = unsafe tdt_search_next(search, rows, areSure, limit, &count)
        }
        rowCount = count
      }
      sureCount = count
    }
    try segment.source.check(status)
  }
}

/// The rows with the highest relevance in several segments.
///
/// Safe: it owns the object of C.
@safe
final class TextRanking {
  private let ranking: OpaquePointer

  /// Begins a ranking.
  ///
  /// - Parameters:
  ///   - limit: The most rows.
  ///   - rarities: The factor of each term of the expression (``TextPlan/Statistics``).
  ///   - weights: The factor of each property that is searched.
  ///   - averageLength: The average number of words of all objects.
  /// - Throws: ``BackendError/Code/noMemory``.
  init(
    limit: Int, rarities: [Double], weights: [Double], averageLength: Double
  ) throws(BackendError) {
    let ranking = unsafe tdt_ranking_new(
      limit, rarities, rarities.count, weights, weights.count, averageLength)
    guard let ranking = unsafe ranking else {
      throw BackendError(.noMemory, "There is not enough memory for a search.")
    }
    unsafe self.ranking = ranking
  }

  deinit { unsafe tdt_ranking_free(ranking) }

  /// Adds the rows of a search.
  ///
  /// - Returns: false if the segment does not give the relevance of its rows.
  func add(_ search: TextSearch) throws(BackendError) -> Bool { try unsafe search.rank(ranking) }

  /// Returns the rows in ascending order.
  func rows() throws(BackendError) -> [RowID] {
    var status = TDT_OK
    let count = unsafe tdt_ranking_count(ranking)
    let rows = unsafe [RowID](unsafeUninitializedCapacity: count) { rows, filled in
      if let rows = rows.baseAddress { status = unsafe tdt_ranking_rows(ranking, rows) }
      filled = status == TDT_OK ? count : 0
    }
    try status.check()
    return rows
  }
}
