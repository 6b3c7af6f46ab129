internal import Todana

// Settings of a collection, which are kept in the store.
extension DocumentCollection {
  /// The values that count in queries for missing ones, by path; they are kept in the store.
  ///
  /// ```swift
  /// users.defaults = ["active": true]
  /// try users.find("[active] = TRUE")   // finds documents without the key as well
  /// ```
  ///
  /// They count in conditions, sorts and indexes. Documents are not changed, so values, distinct values and summaries are
  /// those of the documents. Null is not missing. A default counts for exactly its path: neither for `EXISTS`, nor
  /// for paths with `[*]` and `**`, nor for the members of its value. Indexes on such paths are built again when their
  /// default changes. Assigning makes a commit of its own, for which the collection must have no pending changes. The accessors cannot throw: if reading or writing fails, the store's next
  /// throwing call throws the error. ``setDefaults(_:)`` throws it itself.
  public var defaults: [String: DocumentValue] {
    get { read(\.defaults) ?? [:] }
    set { deferringErrors { try setDefaults(newValue) } }
  }

  /// Sets the values that count in queries for missing ones.
  ///
  /// - Parameter defaults: The values, by paths without `[*]` and `**`.
  /// - Throws: ``DocumentError/Code/invalidText`` for another path; the errors of ``addIndex(_:unique:)``.
  public func setDefaults(_ defaults: [String: DocumentValue]) throws {
    try Self.checkDefaults(defaults)
    try changeDescription { $0.defaults = defaults }
  }

  static func checkDefaults(_ defaults: [String: DocumentValue]) throws(DocumentError) {
    for path in defaults.keys where !DocumentPath(path).isSingle {
      throw DocumentError(.invalidText, "a default needs a path to one value, not \"\(path)\"")
    }
  }

  /// The words that stand for parts of the texts of queries; they are kept in the store.
  ///
  /// ```swift
  /// users.aliases = ["country": "[address.country]", "isAdult": "([age] >= 18)"]
  /// try users.find("country = ? AND isAdult", "US")
  /// ```
  ///
  /// Words in brackets and in quotation marks are not replaced. The accessors cannot throw: if reading or writing fails,
  /// the store's next throwing call throws the error. ``setAliases(_:)`` throws it itself.
  public var aliases: [String: String] {
    get { read(\.aliases) ?? [:] }
    set { deferringErrors { try setAliases(newValue) } }
  }

  /// Sets the words that stand for parts of the texts of queries.
  ///
  /// - Parameter aliases: The words, of letters, digits and underscores, with their meanings.
  /// - Throws: ``DocumentError/Code/invalidText`` for a word that cannot be an alias; the errors of
  ///   ``addIndex(_:unique:)``.
  public func setAliases(_ aliases: [String: String]) throws {
    try Self.checkAliases(aliases)
    try changeDescription { $0.aliases = aliases }
  }

  static func checkAliases(_ aliases: [String: String]) throws(DocumentError) {
    for word in aliases.keys {
      if let problem = Aliases.problem(with: word) { throw DocumentError(.invalidText, problem) }
      if DocumentField.words[word] != nil {
        throw DocumentError(.invalidText, "\"\(word)\" cannot be an alias: it is what the library keeps of a document")
      }
    }
  }

  /// Returns a text of a query with the meanings of its aliases.
  ///
  /// - Throws: `StoreError`.
  public func expandingAliases(in text: String) throws -> String {
    Aliases.expand(text, try description()?.value.aliases ?? [:])
  }

  /// Returns a value that the program keeps for the collection; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func metadata(_ key: String) throws -> DocumentValue? { try description()?.value.metadata[key] }

  /// Sets a value that the program keeps for the collection, or removes it, in a commit of its own.
  ///
  /// All values and settings of a collection together have at most 512 KiB.
  ///
  /// - Throws: ``DocumentError/Code/tooLarge``; the errors of ``addIndex(_:unique:)``.
  public func setMetadata(_ value: DocumentValue?, for key: String) throws {
    try changeDescription { $0.metadata[key] = value }
  }

  /// The maximum number of bytes of a document in its binary form, by default 16 MiB; it is kept in the store.
  public var documentByteLimit: Int {
    get throws(StoreError) { try description().map { Int($0.value.byteLimit) } ?? BinaryForm.defaultByteLimit }
  }

  /// Sets the maximum number of bytes of a document in its binary form, in a commit of its own.
  ///
  /// Larger documents that exist can be read, but not saved again.
  ///
  /// - Parameter byteLimit: The number, from 1 to 2^30.
  /// - Throws: ``DocumentError/Code/numberOutOfRange``; the errors of ``addIndex(_:unique:)``.
  public func setDocumentByteLimit(_ byteLimit: Int) throws {
    try Self.checkByteLimit(byteLimit)
    try changeDescription { $0.byteLimit = UInt32(byteLimit) }
  }

  static func checkByteLimit(_ byteLimit: Int) throws(DocumentError) {
    guard (1...BinaryForm.largestByteLimit).contains(byteLimit) else {
      throw DocumentError(.numberOutOfRange, "the size of documents is limited to 1 to 2^30 bytes, not \(byteLimit)")
    }
  }

  private func read<Value>(_ setting: KeyPath<CollectionDescription, Value>) -> Value? {
    do throws(StoreError) {
      return try description()?.value[keyPath: setting]
    } catch {
      store.deferError(error)
      return nil
    }
  }

  private func deferringErrors(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      store.deferError(error)
    }
  }
}
