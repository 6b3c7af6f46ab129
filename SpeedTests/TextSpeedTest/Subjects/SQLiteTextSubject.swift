import SpeedTestHarness
import SpeedTestSubjects

/// A table of SQLite with an index of its extension FTS5, which has no copy of the texts.
struct SQLiteTextSubject: TextSubject {
  let tokenizer: String

  var version: String? { "SQLite \(sqliteVersion)" }

  private func with(_ directory: String, _ body: (SQLiteFile) throws -> Void) throws {
    try SQLiteFile.with(path: directory + "/texts.sqlite", body)
  }

  func build(_ job: TextJob) throws -> Int? {
    var rowByteCount: Int?
    try with(job.directory) { file in
      try file.execute("CREATE TABLE text (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
      try file.execute(
        "CREATE VIRTUAL TABLE fts USING fts5(title, content='text', content_rowid='id', tokenize='\(tokenizer)')")
      try file.execute("BEGIN IMMEDIATE")
      try file.with("INSERT INTO text (title) VALUES (?)") { statement in
        try forEachText(of: job.corpus, count: job.count) { try statement.execute(binding: $1, at: 1) }
      }
      try file.with("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") { statement in
        try statement.forEachRow { rowByteCount = Int(statement.number(0)) }
      }
      try file.execute("INSERT INTO fts(fts) VALUES('rebuild')")
      try file.execute(
        """
        CREATE TRIGGER text_inserted AFTER INSERT ON text
        BEGIN INSERT INTO fts (rowid, title) VALUES (new.id, new.title); END
        """)
      try file.execute("COMMIT")
    }
    return rowByteCount
  }

  func withSearcher(in directory: String, _ body: (any TextSearcher) throws -> Void) throws {
    try with(directory) { file in
      try body(SQLiteTextSearcher(file: file, findsSubstrings: tokenizer.hasPrefix("trigram")))
    }
  }

  func withSaver(in directory: String, _ body: (TextSaver) throws -> Void) throws {
    try with(directory) { file in
      let insertion = PreparedStatement(try file.prepare("INSERT INTO text (title) VALUES (?)"))
      try body(TextSaver { text in try insertion.statement.execute(binding: text, at: 1) })
    }
  }
}

/// A prepared statement that several closures share.
private final class PreparedStatement {
  let statement: SQLiteStatement

  init(_ statement: consuming SQLiteStatement) { self.statement = statement }
}

private struct SQLiteTextSearcher: TextSearcher {
  let file: SQLiteFile
  /// Whether the index has the parts of texts, and not their words.
  let findsSubstrings: Bool

  func prepare(_ query: TextQuery) throws -> PreparedTextQuery? {
    guard let selection = selection(for: query) else { return nil }
    let from = "FROM \(selection.table) WHERE \(selection.condition)"
    let columns = query.result == .ids ? "rowid" : "rowid, title"
    let order = query.result == .top ? " ORDER BY rank" : ""
    let limit = query.limit.map { " LIMIT \($0)" } ?? ""
    let selecting = PreparedStatement(try file.prepare("SELECT \(columns) \(from)\(order)\(limit)"))
    let counting = PreparedStatement(try file.prepare("SELECT count(*) \(from)"))
    return PreparedTextQuery(
      readsAll: selection.table == "text",
      hitCounts: { _ in
        var count = 0
        try counting.statement.forEachRow(binding: selection.argument, at: 1) {
          count = Int(counting.statement.number(0))
        }
        return (count, nil)
      },
      run: {
        var byteCount = 0
        try selecting.statement.forEachRow(binding: selection.argument, at: 1) {
          if query.result == .ids {
            _ = selecting.statement.number(0)
          } else {
            byteCount += selecting.statement.text(1).utf8.count
          }
        }
        return byteCount
      },
      rows: {
        var rows: [Int] = []
        try selecting.statement.forEachRow(binding: selection.argument, at: 1) {
          rows.append(Int(selecting.statement.number(0)))
        }
        return rows
      })
  }

  /// Returns the table that answers a query, the condition, and its argument; nil if there is none.
  private func selection(for query: TextQuery) -> (table: String, condition: String, argument: String)? {
    let joined = query.terms.joined(separator: " ")
    if findsSubstrings {
      switch query.kind {
      case .substring where joined.unicodeScalars.count >= 3: return ("fts", "fts MATCH ?", "\"\(joined)\"")
      case .substring: return ("text", "title LIKE ?", "%\(joined)%")
      case .regularExpression: return ("fts", "title GLOB ?", "*\(joined)*")
      case .all, .any, .phrase, .prefix, .fuzzy: return nil
      }
    }
    let quoted = query.terms.map { "\"\($0)\"" }
    switch query.kind {
    case .all: return ("fts", "fts MATCH ?", quoted.joined(separator: " "))
    case .any: return ("fts", "fts MATCH ?", quoted.joined(separator: " OR "))
    case .phrase: return ("fts", "fts MATCH ?", "\"\(joined)\"")
    case .prefix: return ("fts", "fts MATCH ?", "\"\(joined)\" *")
    case .substring: return ("text", "title LIKE ?", "%\(joined)%")
    case .fuzzy, .regularExpression: return nil
    }
  }
}
