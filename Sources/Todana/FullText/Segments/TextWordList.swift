import CTextIndex

/// The words of segments that begin with some bytes, or that are similar to them.
struct TextWordList {
  struct Word {
    let bytes: [UInt8]
    /// The number of rows with the word at most: a row that has it in two properties counts twice.
    let rowCount: Int
  }

  /// Safe: the bytes that the test gets are valid during each call.
  @safe
  enum Pattern {
    case beginning([UInt8])
    /// Words with at most so many changes that also pass a test.
    case changed([UInt8], edits: Int, test: (UnsafeRawBufferPointer) -> Bool)
  }

  /// The words: those of most rows come first, and those of as many in the order of their bytes.
  let words: [Word]
  /// Whether there are no others, besides cut ones.
  let areAll: Bool
  /// Whether the pattern may describe words of which the segments have only the first bytes, which are left out.
  let hasCutWords: Bool

  /// Finds words.
  ///
  /// - Parameters:
  ///   - segments: The segments.
  ///   - columns: The properties whose words are wanted.
  ///   - pattern: The words that are wanted.
  ///   - limit: The most words.
  /// - Throws: The errors of reading pages; ``BackendError/Code/damaged``, ``BackendError/Code/noMemory``.
  init(
    of segments: [TextSegment], _ columns: SearchedColumns, _ pattern: Pattern, limit: Int
  ) throws(BackendError) {
    var status = TDT_OK
    let found = unsafe Self.withPattern(pattern) { pattern in
      unsafe tdt_words_find(
        segments.map { unsafe $0.handle }, segments.count, columns.numbers, columns.numbers.count, pattern, limit,
        &status)
    }
    for segment in segments { try segment.source.throwFailure() }
    try status.check()
    guard let found = unsafe found else {
      throw BackendError(.noMemory, "There is not enough memory for a search.")
    }
    defer { unsafe tdt_words_free(found) }
    words = unsafe (0..<tdt_words_count(found)).map { index in
      var (byteCount, rowCount): (Int, UInt64) = (0, 0)
      let bytes = unsafe tdt_words_get(found, index, &byteCount, &rowCount)
      return unsafe Word(
        bytes: Array(UnsafeBufferPointer(start: bytes, count: byteCount)), rowCount: Int(clamping: rowCount))
    }
    areAll = unsafe tdt_words_are_all(found)
    hasCutWords = unsafe tdt_words_have_cut(found)
  }

  /// Calls the closure with a pattern for C.
  private static func withPattern<Result>(
    _ pattern: Pattern, _ body: (UnsafePointer<tdt_pattern>) -> Result
  ) -> Result {
    var made = unsafe tdt_pattern()
    let word: [UInt8]
    var wordTest: WordTest?
    switch pattern {
    case .beginning(let bytes):
      unsafe made.kind = Int32(TDT_BEGINNING.rawValue)
      word = bytes
    case .changed(let bytes, let edits, let test):
      unsafe made.kind = Int32(TDT_FUZZY.rawValue)
      unsafe made.edits = UInt32(clamping: edits)
      wordTest = unsafe WordTest(test)
      unsafe wordTest?.attach(to: &made)
      word = bytes
    }
    return withExtendedLifetime(wordTest) {
      unsafe word.withUnsafeBufferPointer { word in
        unsafe made.bytes = word.baseAddress
        unsafe made.byte_count = word.count
        return unsafe body(&made)
      }
    }
  }
}
