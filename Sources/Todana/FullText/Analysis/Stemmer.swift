import CStemmer
import Synchronization

/// The stemmer of a language.
///
/// Safe to share: a stemmer of the library belongs to one thread, and the lock guards the list of those that none uses.
@safe
final class Stemmer: @unchecked Sendable {
  let language: TextLanguage
  private let unused = Mutex<[UInt]>([])

  /// - Returns: nil if the installed library lacks the language, or if there is no memory.
  init?(_ language: TextLanguage) {
    self.language = language
    guard let stemmer = unsafe sb_stemmer_new(language.name, "UTF_8") else { return nil }
    unsafe giveBack(stemmer)
  }

  deinit {
    for address in unused.withLock({ $0 }) { unsafe sb_stemmer_delete(OpaquePointer(bitPattern: address)) }
  }

  private func take() -> OpaquePointer? {
    if let address = unused.withLock({ $0.popLast() }) { return unsafe OpaquePointer(bitPattern: address) }
    return unsafe sb_stemmer_new(language.name, "UTF_8")
  }

  private func giveBack(_ stemmer: OpaquePointer) {
    let address = UInt(bitPattern: stemmer)
    unused.withLock { $0.append(address) }
  }

  /// Returns the stems of the words of an analyzed text, without accents.
  ///
  /// - Parameters:
  ///   - text: The text, which maps its source.
  ///   - source: The text in UTF-8 before it was folded.
  /// - Returns: The stems; nil if there is no memory.
  func stems(of text: borrowing AnalyzedText, source: UnsafeBufferPointer<UInt8>) -> WordStems? {
    guard let stemmer = unsafe take() else { return nil }
    defer { unsafe giveBack(stemmer) }
    var stems = WordStems()
    let words = unsafe text.words
    for number in 0..<words.count {
      let word = unsafe words[number]
      let range = text.source(of: word)
      let written = unsafe source[range]
      if unsafe written.allSatisfy({ $0 < 0x80 }) {
        guard unsafe Self.stem(stemmer, text.bytes(of: word), { unsafe stems.append($0) }) else { return nil }
        continue
      }
      // Accents tell a stemmer what kind of ending a word has.
      let cased = TextFolding.foldCase(unsafe String(decoding: written, as: UTF8.self))
      let isStemmed = unsafe cased.withUnsafeBytes { bytes in
        unsafe Self.stem(stemmer, bytes) { stem in
          let folded = TextFolding.fold(unsafe String(decoding: stem, as: UTF8.self))
          unsafe folded.withUnsafeBytes { unsafe stems.append($0) }
        }
      }
      guard isStemmed else { return nil }
    }
    return stems
  }

  private static func stem(
    _ stemmer: OpaquePointer, _ word: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    let bytes = unsafe word.bindMemory(to: UInt8.self)
    guard let stem = unsafe sb_stemmer_stem(stemmer, bytes.baseAddress, Int32(clamping: bytes.count)) else {
      return false
    }
    unsafe body(UnsafeRawBufferPointer(start: stem, count: Int(sb_stemmer_length(stemmer))))
    return true
  }
}

/// The stems of a text's words, one after the other.
struct WordStems {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  mutating func append(_ stem: UnsafeRawBufferPointer) {
    unsafe bytes.append(contentsOf: stem)
    ends.append(bytes.count)
  }

  /// Calls the closure with the bytes of all stems, and the end of each.
  func withUnsafeParts<Result>(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<Int>) -> Result
  ) -> Result {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe ends.withUnsafeBufferPointer { ends in unsafe body(bytes, ends) }
    }
  }

  subscript(word: Int) -> ArraySlice<UInt8> { bytes[(word == 0 ? 0 : ends[word - 1])..<ends[word]] }
}
