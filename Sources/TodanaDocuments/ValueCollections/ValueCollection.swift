public import Todana

/// A collection of values of a Codable type, each with an id.
///
/// ```swift
/// struct Person: Codable, Sendable, Identifiable {
///   var id: Int
///   var name: String
///   var age: Int?
/// }
///
/// let people = try store.collection(of: Person.self, indexes: [.init(\.age), .init(\.name, unique: true)])
/// try people.save(Person(id: 1, name: "Ann", age: 30))
/// try store.saveChanges()
/// let adults = try people.find { $0.age > 20 }
/// ```
///
/// Values have no identity: each call returns copies. Saves are pending until the store's next save, but all calls see
/// them. A collection is made by its first save; until then it is empty. It belongs to the isolation domain of its store.
public final class ValueCollection<Value: Codable & Sendable> {
  public let store: Store
  public private(set) var name: String
  let identity: ValueIdentity<Value>
  private let description: [UInt8]
  /// The buffer that values are encoded in.
  private var buffer = DataBuffer()

  /// Makes the object for a collection, and declares its indexes.
  init(
    _ store: Store, named name: String, _ identity: ValueIdentity<Value>, _ indexes: [ValueIndex<Value>]
  ) throws {
    self.store = store
    self.name = name
    self.identity = identity
    var names: [ValueDescription.IndexName] = []
    for index in [identity.index] + indexes {
      guard let indexName = index.name else {
        throw DocumentError(
          .invalidText, "an index on a computed property of \(Value.self) needs a name: .init(\\.property, name: …)")
      }
      guard !names.contains(where: { $0.name == indexName }) else {
        throw DocumentError(.invalidText, "the collection \"\(name)\" has two indexes named \"\(indexName)\"")
      }
      DeclaredValueIndexes.declare(index, named: indexName)
      names.append(.init(name: indexName, isUnique: index.isUnique))
    }
    description = try ValueDescription(indexes: names).bytes()
    // A collection that exists has the declared indexes from now on.
    if let stored = try store.collectionDescription(named: name, of: StoredValue<Value>.self), stored != description {
      try describe()
    }
  }

  /// Whether the collection was made.
  public var exists: Bool {
    get throws(StoreError) { try store.collectionDescription(named: name, of: StoredValue<Value>.self) != nil }
  }

  /// Makes the collection, or gives it the declared indexes.
  func describe() throws { try store.describeCollection(named: name, of: StoredValue<Value>.self, description) }

  /// Renames the collection, in a commit of its own.
  ///
  /// - Throws: The errors of `Store.renameCollection`.
  public func rename(to newName: String) throws {
    try store.renameCollection(named: name, of: StoredValue<Value>.self, to: newName)
    name = newName
  }

  /// Removes the collection with all values and indexes, in a commit of its own.
  ///
  /// - Throws: The errors of `Store.dropCollection`.
  public func drop() throws { try store.dropCollection(named: name, of: StoredValue<Value>.self) }

  // MARK: Objects

  /// The objects of ids that are not saved yet.
  var pending: PendingValues<Value> {
    store.companion(named: "TodanaDocuments.values.\(name)") { PendingValues(identity) }
  }

  /// Returns the content of a record.
  ///
  /// - Throws: ``DocumentError/Code/notConvertible``.
  func content(of value: some Encodable) throws(DocumentError) -> [UInt8] {
    buffer.removeAll()
    buffer.writeCodable(value)
    if let error = buffer.firstError { throw DocumentError(.notConvertible, error.message) }
    return buffer.bytes
  }

  /// Returns the object of an id; nil if there is none.
  func object(_ id: ValueID) throws -> StoredValue<Value>? {
    let pending = pending
    pending.removeSaved(in: store)
    if let object = try pending.object(id, in: store) { return object }
    return try savedObjects([id]).first?.value
  }

  /// Returns the objects of ids, as far as they are saved and not deleted.
  func savedObjects(_ ids: [ValueID]) throws -> [ValueID: StoredValue<Value>] {
    guard !ids.isEmpty, try exists, let condition = identity.isAny(ids) else { return [:] }
    var objects: [ValueID: StoredValue<Value>] = [:]
    for object in try store.fetch(all.where { _ in condition }, includingPending: false) {
      guard let value = object.value, try object.id.map({ try store.fetch($0) }) ?? nil != nil else { continue }
      objects[identity.id(value)] = object
    }
    return objects
  }

  /// The query for all values, to which conditions, sorts and limits can be added.
  var all: Query<StoredValue<Value>> { Query(where: .always).in(collection: name) }
}

extension Store {
  /// Returns the collection of the values of a type, which is made by its first save.
  ///
  /// The collection has the declared indexes from this call on: others are built, or removed, as those of a class are
  /// when a store is opened.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - name: The name, by which several collections of one type differ; nil for the name of the type in lower case.
  ///   - indexes: The indexes, besides the one over the ids, which every collection has.
  /// - Returns: The collection.
  /// - Throws: ``DocumentError/Code/invalidText`` if an index needs a name; `StoreError`: `invalidCollection` if this
  ///   store uses the collection with another type; `unsavedChanges` if the indexes differ from the stored ones while
  ///   changes of the collection are pending.
  public func collection<Value: Codable & Sendable & Identifiable>(
    of type: Value.Type, named name: String? = nil, indexes: [ValueIndex<Value>] = []
  ) throws -> ValueCollection<Value> where Value.ID: Codable & Sendable {
    let id: any KeyPath<Value, Value.ID> & Sendable = \Value.id
    return try collection(of: type, id: id, named: name, indexes: indexes)
  }

  /// Returns the collection of the values of a type, whose id is any property.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - id: The property that is the id.
  ///   - name: As for ``Todana/Store/collection(of:named:indexes:)``.
  ///   - indexes: As for ``Todana/Store/collection(of:named:indexes:)``.
  /// - Returns: The collection.
  /// - Throws: The errors of ``Todana/Store/collection(of:named:indexes:)``.
  public func collection<Value: Codable & Sendable, ID: Hashable & Codable & Sendable>(
    of type: Value.Type, id: any KeyPath<Value, ID> & Sendable, named name: String? = nil,
    indexes: [ValueIndex<Value>] = []
  ) throws -> ValueCollection<Value> {
    try ValueCollection(self, named: name ?? "\(type)".lowercased(), ValueIdentity(id), indexes)
  }
}
