public import Todana

// Indexes of a collection, which are added and removed at any time.
extension DocumentCollection {
  /// Adds an index on paths, in a commit of its own; does nothing if there is an equal one.
  ///
  /// The index is built as at the opening of a store: in the background if there are many documents. It serves
  /// conditions on its first paths, and sorts by them. An index on `[emails[*]]` has an entry for each element. A unique
  /// index is built before the call returns, because it is not sure before that there are no equal values.
  ///
  /// - Parameters:
  ///   - text: Paths in brackets, each with an optional `[c]`, which ignores case and accents, or `DESC`; or `savedAt`.
  ///   - unique: Whether no two documents may have equal values; any number may have none, or null.
  /// - Throws: ``DocumentError/Code/invalidText``, with the place; `UniqueViolation` if two documents have equal values,
  ///   after which there is no such index; the errors of `Store.describeCollection`, such as
  ///   `StoreError.Code.unsavedChanges` if the collection has pending changes.
  /// - Complexity: O(*n* log *n*) in the documents for a unique index.
  public func addIndex(_ text: String, unique: Bool = false) throws {
    try add([try PathIndex(text, unique: unique)]) { _ in }
  }

  /// Adds indexes, with other changes of the description, and builds the new ones that are unique.
  func add(_ indexes: [PathIndex], _ change: (inout CollectionDescription) throws -> Void) throws {
    var added: [PathIndex] = []
    try changeDescription { description in
      added = indexes.filter { !description.indexes.contains($0) }
      description.indexes += added
      try change(&description)
    }
    let unique = added.filter(\.isUnique)
    if unique.isEmpty { return }
    do {
      try store.buildIndexes(ofCollection: name, of: Document.self)
    } catch let violation as UniqueViolation {
      try changeDescription { description in description.indexes.removeAll { unique.contains($0) } }
      throw violation
    }
  }

  /// Removes an index, in a commit of its own.
  ///
  /// - Returns: Whether there was such an index.
  /// - Throws: The errors of ``addIndex(_:unique:)``.
  @discardableResult
  public func removeIndex(_ text: String, unique: Bool = false) throws -> Bool {
    let index = try PathIndex(text, unique: unique)
    guard try description()?.value.indexes.contains(index) == true else { return false }
    try changeDescription { description in description.indexes.removeAll { $0 == index } }
    return true
  }

  /// The texts of the indexes, in their normal form.
  public var indexes: [String] {
    get throws(StoreError) { try description()?.value.indexes.map(\.text) ?? [] }
  }

  /// Adds an index of all values at any depth, in a commit of its own; does nothing if there is one.
  ///
  /// It serves `find(anyValue:)` and conditions on `[**.key]`. It has two entries for each value that is neither an
  /// array nor a dictionary: by its last key, and by the value alone. Documents with more than 1,000 such values have one
  /// entry, and are tested by each of these searches.
  ///
  /// - Throws: The errors of ``addIndex(_:unique:)``.
  public func indexEverything() throws {
    try changeDescription { $0.indexesEverything = true }
  }

  /// Removes the index of all values, in a commit of its own.
  ///
  /// - Throws: The errors of ``addIndex(_:unique:)``.
  public func removeIndexOfEverything() throws {
    guard try description()?.value.indexesEverything == true else { return }
    try changeDescription { $0.indexesEverything = false }
  }

  /// Builds all indexes again, such as after damage, while other stores read and write.
  ///
  /// - Parameter progress: Called after each part of the work; if it throws, the work stops there.
  /// - Throws: The errors of `Store.rebuildIndexes(ofCollection:of:named:progress:)`, and those of the closure.
  public func rebuildIndexes(progress: (IndexBuildingProgress) throws -> Void = { _ in }) throws {
    try store.rebuildIndexes(ofCollection: name, of: Document.self, progress: progress)
  }

  // MARK: Texts

  /// Adds a text index on the texts at a path, in a commit of its own; does nothing if there is an equal one.
  ///
  /// ```swift
  /// try books.addTextIndex("title", language: .english)
  /// try books.find("[title] SEARCH ?", "running")   // finds "runs" as well
  /// ```
  ///
  /// It serves ``DocumentProperty/matches(_:)-(TextExpression)``, `SEARCH` in texts of queries, and
  /// ``search(_:at:limit:)``. A path with `[*]` or `**` searches all texts that it leads to. An index on the same path
  /// with other rules is replaced. With a language or stop words, its rules for words are those of all conditions on the
  /// path.
  ///
  /// - Parameters:
  ///   - path: The path; brackets around all of it do not count.
  ///   - language: The language whose words are found by their stems; nil if words are compared as they are written.
  ///   - stopWords: Words that count for nothing in an expression.
  ///   - keepsPositions: Whether the index has the places of words, for fast searches for phrases.
  ///   - findsSubstrings: Whether the index serves parts of words.
  /// - Throws: The errors of ``addIndex(_:unique:)``.
  public func addTextIndex(
    _ path: String, language: TextLanguage? = nil, stopWords: Set<String> = [], keepsPositions: Bool = true,
    findsSubstrings: Bool = true
  ) throws {
    let index = DocumentTextIndex(
      BracketedPath.inner(of: path), language: language, stopWords: stopWords, keepsPositions: keepsPositions,
      findsSubstrings: findsSubstrings)
    try changeDescription { $0.add(index) }
  }

  /// Removes a text index, in a commit of its own.
  ///
  /// - Returns: Whether there was such an index.
  /// - Throws: The errors of ``addIndex(_:unique:)``.
  @discardableResult
  public func removeTextIndex(_ path: String) throws -> Bool {
    let path = DocumentPath(BracketedPath.inner(of: path)).description
    guard try textIndexes.contains(where: { $0.path.hasSameBytes(as: path) }) else { return false }
    try changeDescription { description in description.textIndexes.removeAll { $0.path.hasSameBytes(as: path) } }
    return true
  }

  /// The text indexes, in the order in which they were added.
  public var textIndexes: [DocumentTextIndex] {
    get throws(StoreError) { try description()?.value.textIndexes ?? [] }
  }
}
