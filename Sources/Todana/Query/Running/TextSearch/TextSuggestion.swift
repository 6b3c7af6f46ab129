/// A word that a person may have meant.
public struct TextSuggestion: Sendable, Hashable {
  /// The word without case and accents, as text indexes have it.
  public let text: String
  /// The number of objects that have the word.
  public let count: Int

  init(_ word: WordCompletion.Word) {
    text = String(decoding: word.bytes, as: UTF8.self)
    count = word.count
  }
}
