extension StoreIdentifiable where Self: StoredObject {
  /// The objects that meet a condition in a text, with a value for each question mark.
  ///
  /// ```swift
  /// let query = try Song.where("seconds > ? AND (title BEGINSWITH ? OR NOT genre IN ?)", 200, "B", ["Rock", "Pop"])
  /// ```
  ///
  /// For conditions that the compiler cannot see, such as those of a search field or a file; it gives the same query
  /// as the closure does. The names are those of the class's ``StoredObject/fields``. Put what comes from a person or
  /// a file into arguments, never into the text.
  ///
  /// | | |
  /// |---|---|
  /// | `=` `==` `!=` `<>` `<` `<=` `>` `>=` | a field, and a value or another field of the same type |
  /// | `BETWEEN ? AND ?` | from the first value to the last, both included |
  /// | `IN ?`, `IN (?, 'Pop')` | an array or a set as one argument; or several values |
  /// | `CONTAINS` `BEGINSWITH` `ENDSWITH` | a text; `CONTAINS` also finds an element of a list |
  /// | `IS NULL`, `IS NOT NULL`, `= NULL` | |
  /// | `NOT`, `AND`, `OR`, parentheses | `NOT` binds closest, then `AND`; `!`, `&&`, `\|\|` are the same |
  /// | a field of type `Bool` | is a condition by itself, and so are `TRUE` and `FALSE` |
  ///
  /// `[c]` after an operator leaves case and accents out of a text: `title ==[c] 'écoute'`. Values are `?`, numbers,
  /// `'texts'` and `"texts"` with doubled quotation marks, `TRUE`, `FALSE`, `NULL`. Keywords may be of either case; a
  /// field whose name is one, or no word, stands between backticks.
  ///
  /// How values are compared ``OrderedValue`` says. A value becomes one of the field's type if that loses nothing:
  /// `200` fits a `UInt32` and a `Double`, a string that is one a `UUID` or `URL`, a raw value an enumeration.
  ///
  /// - Parameters:
  ///   - text: At most 64 KiB, with at most 100 parentheses within each other.
  ///   - arguments: The values of the question marks, in order; nil is `NULL`.
  /// - Returns: The query; nothing is read for it yet.
  /// - Throws: ``QueryTextError``, which says what is wrong and where.
  public static func `where`(_ text: String, _ arguments: (any Sendable)?...) throws(QueryTextError) -> Query<Self> {
    try self.where(text, arguments: arguments)
  }

  /// The objects that meet a condition in a text, with the values of its question marks in an array.
  ///
  /// - Throws: ``QueryTextError``.
  public static func `where`(_ text: String, arguments: [(any Sendable)?]) throws(QueryTextError) -> Query<Self> {
    var reader = try QueryTextReader(text, of: Self.self, arguments: arguments)
    return Query(Condition(try reader.readCondition()))
  }
}

extension Query {
  /// The same objects, as far as they also meet a condition in a text.
  ///
  /// - Throws: ``QueryTextError``.
  public func `where`(_ text: String, _ arguments: (any Sendable)?...) throws(QueryTextError) -> Query {
    try self.where(text, arguments: arguments)
  }

  /// The same objects, as far as they also meet a condition in a text, with the values of its question marks in an
  /// array.
  ///
  /// - Throws: ``QueryTextError``.
  public func `where`(_ text: String, arguments: [(any Sendable)?]) throws(QueryTextError) -> Query {
    var reader = try QueryTextReader(text, of: T.self, arguments: arguments)
    var query = self
    query.specification.condition = .joinAll([specification.condition, try reader.readCondition()])
    return query
  }

  /// Sorted as a text says: `"genre, seconds DESC, title[c]"`.
  ///
  /// Fields with commas between them; `DESC` sorts from the last to the first value, `[c]` sorts a text without case
  /// and accents. Where the query is sorted already, as the next keys among those that are equal.
  ///
  /// - Throws: ``QueryTextError``.
  public func sorted(byText text: String) throws(QueryTextError) -> Query {
    var reader = try QueryTextReader(text, of: T.self, arguments: [])
    var query = self
    query.specification.sortKeys += try reader.readSortKeys()
    return query
  }
}
