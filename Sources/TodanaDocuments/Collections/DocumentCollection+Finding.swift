public import Todana

// Queries of a collection.
extension DocumentCollection {
  /// The query for all documents, to which conditions, sorts and limits can be added.
  public var all: Query<Document> { Query<Document>(where: .always).in(collection: name) }

  /// Returns the query of a text, for `store.fetch`, `store.observe` and similar calls.
  ///
  /// Besides paths in brackets, a text can name what the library keeps of each document: `savedAt`, the time of the last
  /// save, and `originalClassName`.
  ///
  /// ```swift
  /// try users.query("savedAt > ? AND [notes] SEARCH ?", arguments: [yesterday, "blue no"], orderBy: "savedAt DESC")
  /// ```
  ///
  /// - Parameters:
  ///   - text: The condition; nil for all documents.
  ///   - arguments: A value for each question mark: a value that documents can contain, or an array for `IN`.
  ///   - orderBy: The paths to sort by: `[last_name], [age] DESC, [title][c]`. By `[c]`, values that are no texts come
  ///     first, in the order of insertion.
  /// - Returns: The query.
  /// - Throws: `QueryTextError` with the place of an error, in the text in which ``aliases`` are replaced by their
  ///   meanings; `StoreError`.
  public func query(
    _ text: String?, arguments: [(any Sendable)?] = [], orderBy: String? = nil
  ) throws -> Query<Document> {
    let description = try description()?.value
    let (aliases, settings) = (description?.aliases ?? [:], description?.querySettings ?? QuerySettings())
    return try Query<Document>(
      text: text.map { Aliases.expand($0, aliases) }, arguments: arguments,
      sorts: orderBy.map { Aliases.expand($0, aliases) }, words: DocumentField.words
    ) { .path(PathField($0, settings)) }.in(collection: name)
  }

  /// Returns the documents that meet a condition.
  ///
  /// ```swift
  /// try users.find("[address.country] = ? AND [emails] CONTAINS ?", "US", "jdoe@foo.com", orderBy: "[last_name]")
  /// ```
  ///
  /// - Parameters:
  ///   - text: The condition, with paths in brackets.
  ///   - arguments: A value for each question mark.
  ///   - orderBy: The paths to sort by; nil for the order of insertion.
  ///   - limit: The maximum number of documents.
  ///   - offset: The number of documents that are skipped.
  /// - Returns: The documents, loaded; none if the collection does not exist.
  /// - Throws: `QueryTextError`; `StoreError`.
  public func find(
    _ text: String, _ arguments: (any Sendable)?..., orderBy: String? = nil, limit: Int? = nil, offset: Int = 0
  ) throws -> [Document] {
    var query = try query(text, arguments: arguments, orderBy: orderBy).offset(offset)
    if let limit { query = query.limit(limit) }
    return try fetch(query)
  }

  /// Returns the documents that meet a condition.
  ///
  /// ```swift
  /// try users.find { $0["age"] > 20 && $0["address.country"] == "US" }
  /// ```
  ///
  /// - Throws: `StoreError`.
  public func find(_ condition: (DocumentProperties) -> Condition<Document>) throws -> [Document] {
    let condition = condition(DocumentProperties(try settings()))
    return try fetch(all.where { _ in condition })
  }

  /// Returns the documents that have a value anywhere, at any depth.
  ///
  /// ```swift
  /// try users.find(anyValue: "Doe")
  /// ```
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(*n*) in all documents, unless there is an index of everything (``indexEverything()``).
  public func find(anyValue: DocumentValue) throws -> [Document] {
    let condition = DocumentProperty.anyValue(anyValue, try settings())
    return try fetch(all.where { _ in condition })
  }

  /// Returns the documents that have a value anywhere, at any depth.
  @_disfavoredOverload
  public func find(anyValue: some DocumentConvertible) throws -> [Document] {
    try find(anyValue: anyValue.documentValue)
  }

  /// Returns the documents whose texts at a path have what a person typed, the most relevant first.
  ///
  /// ```swift
  /// try books.addTextIndex("title")
  /// let found = try books.search("blue no", at: "title", limit: 10)
  /// ```
  ///
  /// - Parameters:
  ///   - typed: Words, whose last one may be incomplete, and other expressions of text searches.
  ///   - path: The path of the texts.
  ///   - limit: The maximum number of documents.
  /// - Returns: The documents.
  /// - Throws: `StoreError`.
  public func search(_ typed: String, at path: String, limit: Int = 100) throws -> [Document] {
    let condition = DocumentProperties(try settings())[path].matches(typed)
    return try fetch(all.where { _ in condition }.sorted(by: .relevance).limit(limit))
  }

  private func settings() throws(StoreError) -> QuerySettings {
    try description()?.value.querySettings ?? QuerySettings()
  }

  private func fetch(_ query: Query<Document>) throws(StoreError) -> [Document] {
    guard try exists else { return [] }
    let found = try store.fetch(query)
    cache.use(found)
    return found
  }

  /// Returns the number of documents.
  public func count() throws -> Int { try exists ? try store.count(all) : 0 }

  /// Returns the number of documents that meet a condition.
  ///
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  public func count(_ text: String, _ arguments: (any Sendable)?...) throws -> Int {
    let query = try query(text, arguments: arguments)
    return try exists ? try store.count(query) : 0
  }

  /// Returns the plan of a query: the indexes that it uses, and the number of documents that it reads.
  ///
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``; `StoreError.Code.unknownCollection`.
  public func explain(
    _ text: String?, _ arguments: (any Sendable)?..., orderBy: String? = nil
  ) throws -> QueryPlan {
    try store.explain(query(text, arguments: arguments, orderBy: orderBy))
  }

  // MARK: Changing and deleting

  /// Changes all documents that meet a condition, with the next save.
  ///
  /// ```swift
  /// try users.update(where: "[age] > ?", 64) { try $0.set(true, at: "isRetired") }
  /// ```
  ///
  /// - Returns: Their number.
  /// - Throws: The errors of the closure, after which no document is changed; the errors of
  ///   ``find(_:_:orderBy:limit:offset:)``.
  @discardableResult
  public func update(
    where text: String, _ arguments: (any Sendable)?...,
    change: (inout DocumentValue) throws -> Void
  ) throws -> Int {
    let query = try query(text, arguments: arguments)
    guard try exists else { return 0 }
    return try store.update(query) { document in try document.change(change) }.count
  }

  /// Deletes the documents that meet a condition, with the next save.
  ///
  /// - Returns: Their number.
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  @discardableResult
  public func delete(where text: String, _ arguments: (any Sendable)?...) throws -> Int {
    let query = try query(text, arguments: arguments)
    guard try exists else { return 0 }
    return try store.delete(query).count
  }
}
