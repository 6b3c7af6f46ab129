import CTextIndex

/// A text expression, prepared for searches of segments.
///
/// Safe to share: searches read it only, and its tests of words keep no state.
@safe
final class TextSegmentQuery: @unchecked Sendable {
  fileprivate let query: OpaquePointer
  /// The words that are tested by calling back, which C refers to.
  private var tests: [WordTest] = []

  /// A test of the words of a dictionary.
  private final class WordTest {
    let word: FuzzyWord

    init(_ word: FuzzyWord) { self.word = word }
  }

  /// Prepares a plan that has no problem; the result is nil if the plan finds nothing.
  init?(_ plan: TextPlan) throws(BackendError) {
    guard let tree = plan.tree else { return nil }
    guard let query = unsafe tdt_query_new() else {
      throw BackendError(.noMemory, "There is not enough memory for a search.")
    }
    unsafe self.query = query
    try add(tree, of: plan)
  }

  deinit { unsafe tdt_query_free(query) }

  private func add(_ tree: TextPlan.Tree, of plan: TextPlan) throws(BackendError) {
    switch tree {
    case .term(let number): try add(plan.terms[number])
    case .all(let trees): try join(trees, TDT_ALL, of: plan)
    case .any(let trees): try join(trees, TDT_ANY, of: plan)
    case .not(let tree): try join([tree], TDT_NOT, of: plan)
    }
  }

  private func join(_ trees: [TextPlan.Tree], _ joint: tdt_joint, of plan: TextPlan) throws(BackendError) {
    for tree in trees { try add(tree, of: plan) }
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
    case .regularExpression: try unsafe tdt_query_add_anything(query).check()
    }
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
          kind = TDT_TESTED
          let test = WordTest(fuzzy)
          tests.append(test)
          unsafe pattern.context = unsafe Unmanaged.passUnretained(test).toOpaque()
          unsafe pattern.test = Self.test
        }
        unsafe pattern.kind = Int32(kind.rawValue)
        unsafe patterns.append(pattern)
      }
      return unsafe body(patterns)
    }
    try status.check()
  }

  private static let test: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>, Int) -> Bool = {
    context, word, count in
    guard let context = unsafe context else { return false }
    // The context is a test of the query, which lives as long as its searches.
    let test = unsafe Unmanaged<WordTest>.fromOpaque(context).takeUnretainedValue()
    return unsafe test.word.matches(UnsafeRawBufferPointer(start: word, count: count))
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
