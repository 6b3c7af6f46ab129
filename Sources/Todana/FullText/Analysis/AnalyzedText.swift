import CUnicode

/// A folded text with its words, in memory that the next text of the same thread uses again.
///
/// Folding removes case, accents and compatibility forms (``TextFolding``), and each run of white space becomes one
/// space. The words of the folded text are found by the default rules of Unicode Standard Annex 29, when they are first
/// needed. Each katakana is a word of its own, as hiragana and ideographs are by these rules.
///
/// Safe: it does not leave the closure of ``with(_:trims:mapsSource:stemmer:_:)``, during which its memory is its own.
@safe
struct AnalyzedText: ~Copyable {
  private let handle: OpaquePointer
  /// The stems of the words; nil without a stemmer.
  private(set) var stems: WordStems?

  private init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  /// Calls a closure with a folded text.
  ///
  /// The closure must not analyze another text on the same thread.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - trims: Whether white space at both ends is removed.
  ///   - mapsSource: Whether the closure asks for positions in the source.
  ///   - stemmer: The stemmer of the words' language, if they have to be compared by their stems.
  ///   - body: The closure.
  /// - Returns: The closure's result; nil if the text is too long, or if there is no memory.
  static func with<Result>(
    _ text: String, trims: Bool = true, mapsSource: Bool = false, stemmer: Stemmer? = nil,
    _ body: (borrowing AnalyzedText) -> Result
  ) -> Result? {
    guard let handle = unsafe tdu_text_of_thread() else { return nil }
    var text = text
    return text.withUTF8 { source in
      let mapsSource = mapsSource || stemmer != nil
      guard unsafe tdu_text_fold(handle, source.baseAddress, source.count, trims, mapsSource) else { return nil }
      var analyzed = unsafe AnalyzedText(handle)
      if let stemmer {
        guard let stems = unsafe stemmer.stems(of: analyzed, source: source) else { return nil }
        analyzed.stems = stems
      }
      return body(analyzed)
    }
  }

  /// The folded text in UTF-8.
  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: tdu_text_bytes(handle), count: tdu_text_count(handle))
  }

  /// The words, as ranges of ``bytes``.
  var words: UnsafeBufferPointer<tdu_range> {
    var count = 0
    var hasFailed = false
    let words = unsafe tdu_text_words(handle, &count, &hasFailed)
    // An array of Swift that cannot grow ends the program, too.
    precondition(!hasFailed, "There is no memory for the words of a text.")
    return unsafe UnsafeBufferPointer(start: words, count: count)
  }

  /// The part of the source, before folding, that a range of the folded text comes from.
  func source(of range: tdu_range) -> Range<Int> {
    let source = unsafe tdu_text_source(handle, range)
    return Int(source.start)..<Int(source.end)
  }

  /// The bytes of a word.
  func bytes(of word: tdu_range) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[Int(word.start)..<Int(word.end)])
  }

  /// All words, as copies.
  var copiedWords: [[UInt8]] { unsafe words.map { unsafe Array(bytes(of: $0)) } }
}
