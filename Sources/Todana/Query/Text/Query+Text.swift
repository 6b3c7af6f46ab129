extension StoreIdentifiable where Self: StoredObject {
  /// Returns a query for the objects that meet a textual condition, with a value for each question mark.
  ///
  /// ```swift
  /// let query = try Song.where("seconds > ? AND (title BEGINSWITH ? OR NOT genre IN ?)", 200, "B", ["Rock", "Pop"])
  /// ```
  ///
  /// Use it for conditions that are not known at compile time, such as those of a search field or a file. The query is
  /// the same as that of a closure. The names are those of the class's ``StoredObject/fields``. Put input from a person
  /// or a file into arguments, never into the text.
  ///
  /// | | |
  /// |---|---|
  /// | `=` `==` `!=` `<>` `<` `<=` `>` `>=` | a field, and a value or another field of the same type |
  /// | `BETWEEN ? AND ?` | from the first value to the last, both included |
  /// | `IN ?`, `IN (?, 'Pop')` | an array or a set as one argument; or several values |
  /// | `CONTAINS` `BEGINSWITH` `ENDSWITH` | a text; `CONTAINS` also finds an element of a list |
  /// | `LIKE` `MATCHES` | a pattern with `%` and `_`; a regular expression that matches the entire text |
  /// | `IS NULL`, `IS NOT NULL`, `= NULL` | |
  /// | `NOT`, `AND`, `OR`, parentheses | `NOT` binds closest, then `AND`; `!`, `&&`, `\|\|` are the same |
  /// | a field of type `Bool` | is a condition by itself, and so are `TRUE` and `FALSE` |
  ///
  /// `[c]` after an operator ignores case and accents, and `[i]` only case: `title ==[c] 'écoute'`. Values are `?`,
  /// numbers, `TRUE`, `FALSE`, `NULL`, and texts: `'text'` or `"text"`, with quotation marks doubled inside. Keywords
  /// are not case-sensitive. Write a field in backticks if its name is a keyword or not a word.
  ///
  /// Values are compared by the rules of ``OrderedValue``. A value is converted to the field's type if this loses
  /// nothing: `200` to a `UInt32` or a `Double`, a string to a `UUID` or `URL`, a raw value to an enumeration.
  ///
  /// - Parameters:
  ///   - text: The condition, of at most 64 KiB, with at most 100 levels of parentheses.
  ///   - arguments: The values of the question marks, in order; nil is `NULL`.
  /// - Returns: The query. No objects are read yet.
  /// - Throws: ``QueryTextError`` with the error and its place.
  public static func `where`(_ text: String, _ arguments: (any Sendable)?...) throws(QueryTextError) -> Query<Self> {
    try self.where(text, arguments: arguments)
  }

  /// Returns a query for the objects that meet a textual condition, with an array of values for its question marks.
  ///
  /// - Throws: ``QueryTextError``.
  public static func `where`(_ text: String, arguments: [(any Sendable)?]) throws(QueryTextError) -> Query<Self> {
    var reader = try QueryTextReader(text, of: Self.self, arguments: arguments)
    return Query(Condition(try reader.readCondition()))
  }
}

extension Query {
  /// Returns a query for those objects of this query that also meet a textual condition.
  ///
  /// - Throws: ``QueryTextError``.
  public func `where`(_ text: String, _ arguments: (any Sendable)?...) throws(QueryTextError) -> Query {
    try self.where(text, arguments: arguments)
  }

  /// Returns a query for those objects of this query that also meet a textual condition.
  ///
  /// The array has a value for each question mark.
  ///
  /// - Throws: ``QueryTextError``.
  public func `where`(_ text: String, arguments: [(any Sendable)?]) throws(QueryTextError) -> Query {
    var reader = try QueryTextReader(text, of: T.self, arguments: arguments)
    var query = self
    query.specification.condition = .joinAll([specification.condition, try reader.readCondition()])
    return query
  }

  /// Returns the query sorted as a text says: `"genre, seconds DESC, title[c]"`.
  ///
  /// The text has fields with commas between them. `DESC` sorts from the highest to the lowest value, and `[c]` ignores
  /// case and accents. If the query is already sorted, the fields are used for objects whose earlier sort keys are
  /// equal.
  ///
  /// - Throws: ``QueryTextError``.
  public func sorted(byText text: String) throws(QueryTextError) -> Query {
    var reader = try QueryTextReader(text, of: T.self, arguments: [])
    var query = self
    query.specification.sortKeys += try reader.readSortKeys()
    return query
  }
}
