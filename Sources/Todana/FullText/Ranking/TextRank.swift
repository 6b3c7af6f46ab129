/// An order of objects by how well they fit the text conditions of a query.
public struct TextRank: Sendable {
  /// The order by relevance, the most relevant objects first.
  ///
  /// The relevance is Okapi BM25 with *k*₁ = 1.2 and *b* = 0.75, as SQLite's FTS5 computes it
  /// (https://www.sqlite.org/fts5.html#the_bm25_function): rare words count more than common ones, and so do words of
  /// short texts. Each property has its weight (``TextIndex``). Of several text conditions that an object meets, the sum
  /// counts. Parts after `!` and `-` do not count.
  public static let relevance = TextRank()
}
