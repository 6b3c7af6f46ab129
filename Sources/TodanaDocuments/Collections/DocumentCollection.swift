public import Foundation
public import Todana

/// A collection of documents with a name, in a table of its own.
///
/// ```swift
/// let users = try store.documents("users")
/// try users.addIndex("[last_name], [age] DESC")
/// try users.insert(["last_name": "Doe", "age": 41, "emails": ["jdoe@foo.com"]])
/// try store.saveChanges()
/// let found = try users.find("[age] > ? AND [emails] CONTAINS ?", 20, "jdoe@foo.com", orderBy: "[last_name]")
/// ```
///
/// A collection is made by its first insert or its first index; until then it is empty. It belongs to the isolation
/// domain of its store.
public final class DocumentCollection {
  public let store: Store
  public private(set) var name: String

  init(store: Store, name: String) {
    self.store = store
    self.name = name
  }

  // MARK: Descriptions

  /// The description; nil if the collection was not made yet.
  private func description() throws(StoreError) -> (value: CollectionDescription, bytes: [UInt8])? {
    guard let bytes = try store.collectionDescription(named: name, of: Document.self) else { return nil }
    do throws(DocumentError) {
      return (try CollectionDescription(decoding: bytes), bytes)
    } catch {
      throw StoreError(
        .invalidCollection, "The description of the collection \"\(name)\" cannot be read.", underlying: error)
    }
  }

  /// Whether the collection was made.
  public var exists: Bool {
    get throws(StoreError) { try store.collectionDescription(named: name, of: Document.self) != nil }
  }

  /// Makes the collection if it does not exist.
  private func make() throws {
    if try exists { return }
    try store.describeCollection(named: name, of: Document.self, CollectionDescription().bytes())
  }

  /// Changes the description in a commit of its own; makes the collection if it does not exist.
  private func changeDescription(_ change: (inout CollectionDescription) throws -> Void) throws {
    // Another store may change the description at the same time; after a few tries, that is a conflict.
    for attempt in 1... {
      let current = try description()
      var changed = current?.value ?? CollectionDescription()
      try change(&changed)
      let bytes = try changed.bytes()
      if bytes == current?.bytes { return }
      do {
        return try store.describeCollection(named: name, of: Document.self, bytes, replacing: current?.bytes)
      } catch let conflict as SaveConflict {
        if attempt == 10 { throw conflict }
      }
    }
  }

  /// Renames the collection, in a commit of its own.
  ///
  /// - Throws: The errors of ``Todana/Store/renameCollection(named:of:to:)``.
  public func rename(to newName: String) throws {
    try store.renameCollection(named: name, of: Document.self, to: newName)
    name = newName
  }

  /// Removes the collection with all documents and indexes, in a commit of its own.
  ///
  /// - Throws: The errors of ``Todana/Store/dropCollection(named:of:)``.
  public func drop() throws { try store.dropCollection(named: name, of: Document.self) }

  // MARK: Indexes

  /// Adds an index on paths, in a commit of its own; does nothing if there is an equal one.
  ///
  /// The index is built as at the opening of a store: in the background if there are many documents. It serves
  /// conditions on its first paths, and sorts by them. An index on `[emails[*]]` has an entry for each element.
  ///
  /// - Parameters:
  ///   - text: Paths in brackets, each with an optional `[c]`, which ignores case and accents, or `DESC`.
  ///   - unique: Whether no two documents may have equal values; any number may have none, or null.
  /// - Throws: ``DocumentError/Code/invalidText``, with the place; the errors of
  ///   ``Todana/Store/describeCollection(named:of:_:replacing:)``.
  public func addIndex(_ text: String, unique: Bool = false) throws {
    let index = try PathIndex(text, unique: unique)
    try changeDescription { description in
      if !description.indexes.contains(index) { description.indexes.append(index) }
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

  // MARK: Inserting

  /// Inserts a document; the next save writes it.
  ///
  /// - Parameter value: The content; a dictionary.
  /// - Returns: The document.
  /// - Throws: ``DocumentError/Code/wrongKind``; ``StoreError``.
  @discardableResult
  public func insert(_ value: DocumentValue) throws -> Document {
    try insert(value, key: nil)
  }

  /// Inserts a document with a key; the next save writes it.
  ///
  /// - Throws: ``DocumentError/Code/wrongKind``, ``DocumentError/Code/invalidKey`` if a document has the key;
  ///   ``StoreError``.
  @discardableResult
  public func insert(_ value: DocumentValue, key: UUID?) throws -> Document {
    let document = try Document(value, key: key)
    try insert(document)
    return document
  }

  /// Inserts documents, all or none; the next save writes them.
  ///
  /// - Throws: The errors of ``insert(_:)``. No document is inserted then.
  @discardableResult
  public func insert(contentsOf values: some Sequence<DocumentValue>) throws -> [Document] {
    try make()
    return try store.savepoint {
      var documents: [Document] = []
      for value in values { documents.append(try insert(value)) }
      return documents
    }
  }

  /// Inserts a document that is in no collection.
  ///
  /// - Throws: The errors of ``insert(_:key:)``.
  public func insert(_ document: Document) throws {
    if let key = document.storedKey, try self.document(for: key) != nil {
      throw DocumentError(.invalidKey, "the collection \"\(name)\" has a document with the key \(key)")
    }
    do throws(StoreError) {
      try store.insert(document, into: name)
    } catch {
      guard error.code == .unknownCollection else { throw error }
      try make()
      try store.insert(document, into: name)
    }
  }

  // MARK: Keys

  /// Returns the document with a key; nil if there is none.
  ///
  /// - Complexity: One read of a record for a key that a document got when it was inserted; an additional search in an
  ///   index for a key that was given.
  public func document(for key: UUID) throws(StoreError) -> Document? {
    guard let description = try store.collectionDescription(named: name, of: Document.self),
      let salt = CollectionDescription.salt(of: description)
    else { return nil }
    if let row = DocumentKeys.row(of: key, salt: salt), let found = try document(inRow: row), found.storedKey == nil {
      return found
    }
    return try store.first(all.where { _ in Document.givenKey.property.contains(key) })
  }

  private func document(inRow row: RowID) throws(StoreError) -> Document? {
    guard let classID = try store.classID(ofCollection: name, of: Document.self) else { return nil }
    return try store.fetch(ObjectID<Document>(unchecked: AnyObjectID(classID: classID, rowID: row)))
  }

  /// Returns the documents with keys, in the same order; nil for a key without a document.
  public func documents(for keys: [UUID]) throws(StoreError) -> [Document?] {
    var found: [Document?] = []
    for key in keys { found.append(try document(for: key)) }
    return found
  }

  // MARK: Finding

  /// The query for all documents, to which conditions, sorts and limits can be added.
  public var all: Query<Document> { Query<Document>(where: .always).in(collection: name) }

  /// Returns the query of a text, for `store.fetch`, `store.observe` and similar calls.
  ///
  /// - Parameters:
  ///   - text: The condition; nil for all documents.
  ///   - arguments: A value for each question mark: a value that documents can contain, or an array for `IN`.
  ///   - orderBy: The paths to sort by: `[last_name], [age] DESC, [title][c]`.
  /// - Returns: The query.
  /// - Throws: ``QueryTextError`` with the place of an error.
  public func query(
    _ text: String?, arguments: [(any Sendable)?] = [], orderBy: String? = nil
  ) throws(QueryTextError) -> Query<Document> {
    try Query<Document>(text: text, arguments: arguments, sorts: orderBy) { PathField($0) }.in(collection: name)
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
  /// - Throws: ``QueryTextError``; ``StoreError``.
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
  /// - Throws: ``StoreError``.
  public func find(_ condition: (DocumentProperties) -> Condition<Document>) throws -> [Document] {
    let condition = condition(DocumentProperties())
    return try fetch(all.where { _ in condition })
  }

  private func fetch(_ query: Query<Document>) throws(StoreError) -> [Document] {
    guard try exists else { return [] }
    return try store.fetch(query)
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
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``; ``StoreError/Code/unknownCollection``.
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
    change: (inout DocumentValue) throws(DocumentError) -> Void
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

extension Store {
  /// Returns the collection of documents with a name, which is made by its first insert or index.
  ///
  /// - Throws: ``StoreError``.
  public func documents(_ name: String) throws -> DocumentCollection {
    _ = try collectionDescription(named: name, of: Document.self)
    return DocumentCollection(store: self, name: name)
  }

  /// Returns the names of all collections of documents, in the order of their bytes.
  public func documentCollectionNames() throws -> [String] { try collectionNames(of: Document.self) }
}
