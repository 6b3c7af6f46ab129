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
  /// The documents that are kept in memory.
  var cache = DocumentCache()

  init(store: Store, name: String) {
    self.store = store
    self.name = name
  }

  // MARK: Descriptions

  /// The description that was read last, with its bytes.
  private var lastDescription: (value: CollectionDescription, bytes: [UInt8])?

  /// Reads the description; returns nil if the collection was not made yet.
  func description() throws(StoreError) -> (value: CollectionDescription, bytes: [UInt8])? {
    guard let bytes = try store.collectionDescription(named: name, of: Document.self) else { return nil }
    if let lastDescription, lastDescription.bytes == bytes { return lastDescription }
    do throws(DocumentError) {
      let description = (try CollectionDescription(decoding: bytes), bytes)
      lastDescription = description
      return description
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
  func make() throws {
    if try exists { return }
    try store.describeCollection(named: name, of: Document.self, CollectionDescription().bytes())
  }

  /// Changes the description in a commit of its own; makes the collection if it does not exist.
  func changeDescription(_ change: (inout CollectionDescription) throws -> Void) throws {
    // Another store may change the description at the same time; after many tries, that is a conflict.
    for attempt in 1... {
      let current = try description()
      var changed = current?.value ?? CollectionDescription()
      try change(&changed)
      let bytes = try changed.bytes()
      if bytes == current?.bytes { return }
      do {
        return try store.describeCollection(named: name, of: Document.self, bytes, replacing: current?.bytes)
      } catch let conflict as SaveConflict {
        if attempt == 100 { throw conflict }
      }
    }
  }

  /// Renames the collection, in a commit of its own.
  ///
  /// - Throws: The errors of `Store.renameCollection`.
  public func rename(to newName: String) throws {
    try store.renameCollection(named: name, of: Document.self, to: newName)
    name = newName
  }

  /// Removes the collection with all documents and indexes, in a commit of its own.
  ///
  /// - Throws: The errors of `Store.dropCollection`.
  public func drop() throws { try store.dropCollection(named: name, of: Document.self) }

  // MARK: Inserting

  /// Inserts a document; the next save writes it.
  ///
  /// - Parameter value: The content; a dictionary.
  /// - Returns: The document.
  /// - Throws: ``DocumentError/Code/wrongKind``; `StoreError`.
  @discardableResult
  public func insert(_ value: DocumentValue) throws -> Document {
    try insert(value, key: nil)
  }

  /// Inserts a document with a key; the next save writes it.
  ///
  /// - Throws: ``DocumentError/Code/wrongKind``, ``DocumentError/Code/invalidKey`` if a document has the key;
  ///   `StoreError`.
  @discardableResult
  public func insert(_ value: DocumentValue, key: UUID?) throws -> Document {
    let document = try Document(value, key: key)
    try insert(document)
    return document
  }

  /// Inserts documents, all or none; the next save writes them.
  ///
  /// - Throws: The errors of `insert(_:)`. No document is inserted then.
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
  /// - Throws: The errors of `insert(_:key:)`.
  public func insert(_ document: Document) throws {
    if let key = document.storedKey, try self.document(for: key) != nil {
      throw DocumentError(.invalidKey, "the collection \"\(name)\" has a document with the key \(key)")
    }
    let description = try store.collectionDescription(named: name, of: Document.self)
    try document.checkSize(
      description.flatMap { CollectionDescription.byteLimit(of: $0) } ?? BinaryForm.defaultByteLimit)
    do throws(StoreError) {
      try store.insert(document, into: name)
    } catch {
      guard error.code == .unknownCollection else { throw error }
      try make()
      try store.insert(document, into: name)
    }
  }
}

extension Store {
  /// Returns the collection of documents with a name, which is made by its first insert or index.
  ///
  /// - Throws: `StoreError`.
  public func documents(_ name: String) throws -> DocumentCollection {
    _ = try collectionDescription(named: name, of: Document.self)
    return DocumentCollection(store: self, name: name)
  }

  /// Returns the names of all collections of documents, in the order of their bytes.
  public func documentCollectionNames() throws -> [String] { try collectionNames(of: Document.self) }
}
