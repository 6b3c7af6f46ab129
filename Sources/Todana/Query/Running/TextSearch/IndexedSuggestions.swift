/// The words that a text index suggests, without reading all objects.
///
/// The dictionaries of the segments tell how many objects have a word at most: some of their rows are stale or have
/// unsaved changes, and a row may have a word in several properties. So words are counted in the order of these bounds,
/// until no other word can be among the best: the threshold algorithm of R. Fagin, A. Lotem and M. Naor, "Optimal
/// Aggregation Algorithms for Middleware", 2001.
struct IndexedSuggestions {
  private typealias Word = WordCompletion.Word

  private let run: QueryRun
  private let state: TextIndexState
  private let columns: SearchedColumns
  private let segments: [TextSegment]
  /// Rows that the segments do not have as they are now.
  private let unsavedRows: [RowID]
  /// The numbers of the objects that the segments do not have, or not as they are now.
  private var completion: WordCompletion
  /// Whether the numbers have the words that segments do not have as a whole.
  private var hasCutWords = false
  /// Whether the dictionaries tell exactly how many rows have a word.
  private let areBoundsExact: Bool

  /// Prepares the suggestions; the result is nil if the store has no usable text index.
  ///
  /// - Parameters:
  ///   - completion: The beginning of a word, without counted words.
  ///   - index: The text index.
  ///   - run: A query for all objects of the class.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/damagedIndex``.
  init?(_ completion: WordCompletion, from index: ClassTextIndex, _ run: QueryRun) throws(StoreError) {
    guard let state = try run.texts.state(of: index) else { return nil }
    (self.run, self.state, self.completion) = (run, state, completion)
    columns = SearchedColumns(
      numbers: index.declaration.columns.indices.map(UInt8.init(clamping:)), areAll: true)
    unsavedRows = run.unsavedRows
    segments = try run.prepared(index) { () throws(BackendError) in try state.segments().map(\.segment) }
    areBoundsExact =
      columns.numbers.count == 1 && state.pending.isEmpty && unsavedRows.isEmpty
      && state.header.segments.allSatisfy { $0.staleCount == 0 }
    var counted = completion
    try run.forEachContent(notIn: state) { object throws(StoreError) in
      try counted.count(object, of: index)
    }
    self.completion = counted
  }

  /// Returns the best words.
  ///
  /// - Parameter limit: The most words.
  /// - Returns: The words; nil if reading all objects is as fast.
  /// - Throws: ``StoreError``.
  mutating func best(_ limit: Int) throws(StoreError) -> [WordCompletion.Word]? {
    var best: [Word] = []
    for editCount in 0...completion.mostEdits where best.count < limit {
      guard let words = try words(editCount: editCount, limit: limit - best.count) else { return nil }
      best += words
    }
    return best
  }

  /// Returns the best of the words with so many changes.
  private mutating func words(editCount: Int, limit: Int) throws(StoreError) -> [Word]? {
    var listLimit = limit + 16
    while true {
      let list = try list(editCount: editCount, limit: listLimit)
      if list.hasCutWords {
        // A change adds four bytes at most.
        if editCount > 0, completion.beginning.count + 8 > TextSegment.longestWord { return nil }
        if editCount == 0, !hasCutWords, try !countCutWords() { return nil }
      }
      let best = try best(limit, of: list, editCount: editCount)
      // Words that are not in the list come after its last one, and have no more rows.
      guard !list.areAll, let last = list.words.last.map({ Word(bytes: $0.bytes, count: $0.rowCount) }) else {
        return best
      }
      if best.count == limit, let worst = best.last, !last.comes(before: worst) { return best }
      listLimit *= 4
    }
  }

  private func list(editCount: Int, limit: Int) throws(StoreError) -> TextWordList {
    let (beginning, completion) = (completion.beginning, completion)
    return try run.prepared(state.index) { () throws(BackendError) in
      let pattern: TextWordList.Pattern =
        editCount == 0
        ? .beginning(beginning)
        : unsafe .changed(beginning, edits: editCount) { unsafe completion.editCount(of: $0) == editCount }
      return try TextWordList(of: segments, columns, pattern, limit: limit)
    }
  }

  /// Returns the best words of a list and of the counted ones.
  private func best(_ limit: Int, of list: TextWordList, editCount: Int) throws(StoreError) -> [Word] {
    var bounds: [[UInt8]: (count: Int, isExact: Bool)] = [:]
    for word in list.words { bounds[word.bytes] = (word.rowCount, areBoundsExact) }
    let rest: (Int, Bool) = list.areAll ? (0, true) : (list.words.last?.rowCount ?? 0, false)
    for (word, found) in completion.found where found.editCount == editCount {
      let (count, isExact) = word.count > TextSegment.longestWord ? (0, true) : bounds[word] ?? rest
      bounds[word] = (count + found.count, isExact)
    }
    let candidates = bounds.map { (word: Word(bytes: $0.key, count: $0.value.count), isExact: $0.value.isExact) }
    var best: [Word] = []
    for candidate in candidates.sorted(by: { $0.word.comes(before: $1.word) }) {
      var word = candidate.word
      if best.count == limit, let worst = best.last, !word.comes(before: worst) { break }
      if !candidate.isExact { word.count = try count(of: word.bytes) }
      if word.count == 0 { continue }
      best.insert(word, at: best.firstIndex { word.comes(before: $0) } ?? best.count)
      if best.count > limit { best.removeLast() }
    }
    return best
  }

  /// Counts the objects that have a word, which is not cut.
  private func count(of word: [UInt8]) throws(StoreError) -> Int {
    let query = try run.prepared(state.index) { () throws(BackendError) in
      try TextSegmentQuery(.words([TextWord(bytes: word)]))
    }
    let search = try search(query)
    let merged = try run.prepared(state.index) { () throws(BackendError) in try search.count().sure }
    return merged + (completion.found[word]?.count ?? 0)
  }

  /// Counts the words that segments do not have as a whole in the objects that have any.
  ///
  /// - Returns: false if so many have any that reading all is as fast.
  private mutating func countCutWords() throws(StoreError) -> Bool {
    let query = try run.prepared(state.index) { () throws(BackendError) in
      try TextSegmentQuery(cutWordsWith: completion.beginning)
    }
    let search = try search(query)
    if search.estimate > max(1000, try run.recordCount / 8) { return false }
    var (rows, areSure): ([RowID], [Bool]) = ([], [])
    var counted = completion
    repeat {
      try run.prepared(state.index) { () throws(BackendError) in try search.next(into: &rows, &areSure, limit: 4096) }
      try run.forEachContent(of: rows) { object throws(StoreError) in
        try counted.count(object, of: state.index, longerThan: TextSegment.longestWord)
      }
    } while !rows.isEmpty
    completion = counted
    hasCutWords = true
    return true
  }

  private func search(_ query: TextSegmentQuery) throws(StoreError) -> TextIndexSearch {
    try TextIndexSearch(query, columns, state, of: run.store, withoutRows: unsavedRows)
  }
}

extension WordCompletion {
  /// Counts the words of an object that a text index has.
  mutating func count(
    _ object: StoredObject, of index: ClassTextIndex, longerThan bound: Int = 0
  ) throws(StoreError) {
    guard count(try index.texts(of: object), longerThan: bound) else {
      throw StoreError(
        .unreadableContent, "A text of text index \"\(index.name)\" is too long.", rowID: object.rowID)
    }
  }
}
