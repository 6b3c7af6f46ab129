/// A full-text index in this process: Todana's, or one that it is compared with.
protocol TextSubject: Sendable {
  /// The name and version of the library; nil for Todana.
  var version: String? { get }

  /// Writes the first texts of the corpus to a new database with an index, durably, and closes it.
  ///
  /// Returns the number of bytes that the texts take without the index; nil if it is not known.
  func build(_ job: TextJob) throws -> Int?

  /// Opens the database for searches.
  func withSearcher(in directory: String, _ body: (any TextSearcher) throws -> Void) throws

  /// Opens the database for saves.
  func withSaver(in directory: String, _ body: (TextSaver) throws -> Void) throws
}

protocol TextSearcher {
  /// Prepares a query; returns nil if the subject cannot answer it.
  func prepare(_ query: TextQuery) throws -> PreparedTextQuery?
}

/// A query in the language of a subject.
struct PreparedTextQuery {
  /// Whether the subject reads all texts.
  var readsAll = false
  /// Returns the number of texts that the query finds among all texts, and among the first ones.
  var hitCounts: (_ scaledCount: Int) throws -> (all: Int, scaled: Int?)
  /// Runs the query, and returns the sum of the lengths of the texts that were fetched, in bytes.
  var run: () throws -> Int
  /// Returns the numbers of the most relevant texts, from 1.
  var rows: () throws -> [Int]
}

/// The saves of a subject.
struct TextSaver {
  /// Saves one more text, durably.
  var save: (_ text: String) throws -> Void
  /// Returns the number of bytes that were written to the log since opening; nil if it is not known.
  var logByteCount: () throws -> Int? = { nil }
}
