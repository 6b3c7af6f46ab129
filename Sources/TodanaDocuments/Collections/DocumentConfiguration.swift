public import Foundation
public import Todana

/// The settings of collections of documents, in a file for example.
///
/// ```json
/// {"collections": {"users": {
///   "indexes": ["[last_name], [age] DESC"], "uniqueIndexes": ["[email]"], "indexesEverything": false,
///   "defaults": {"active": true}, "aliases": {"country": "[address.country]"}, "cacheSize": 100
/// }}}
/// ```
public struct DocumentConfiguration: Codable, Sendable, Equatable {
  public var collections: [String: Collection]

  /// The settings of a collection; those that are nil are left as they are.
  public struct Collection: Codable, Sendable, Equatable {
    public var indexes: [String]?
    public var uniqueIndexes: [String]?
    public var indexesEverything: Bool?
    public var textIndexes: [DocumentTextIndex]?
    public var defaults: [String: DocumentValue]?
    public var aliases: [String: String]?
    /// The values that the program keeps for the collection; other keys keep their values.
    public var metadata: [String: DocumentValue]?
    public var documentByteLimit: Int?
    public var cacheSize: Int?

    public init() {}

    static let keys: Set<String> = [
      "indexes", "uniqueIndexes", "indexesEverything", "textIndexes", "defaults", "aliases", "metadata",
      "documentByteLimit", "cacheSize",
    ]
  }

  public init(collections: [String: Collection] = [:]) { self.collections = collections }

  /// Reads a configuration from JSON.
  ///
  /// - Throws: ``DocumentError/Code/invalidText``, also for an unknown setting; ``DocumentError/Code/notConvertible``.
  public init(json: Data) throws(DocumentError) {
    let value = try DocumentValue(json: json)
    self = try value.decode()
    try Self.checkKeys(of: value, ["collections"], "a configuration")
    for (name, settings) in value["collections"]?.fields ?? [:] {
      try Self.checkKeys(of: settings, Collection.keys, "the configuration of the collection \"\(name)\"")
    }
  }

  private static func checkKeys(
    of value: DocumentValue, _ known: Set<String>, _ place: String
  ) throws(DocumentError) {
    for (key, _) in value.fields ?? [:] where !known.contains(key) {
      throw DocumentError(
        .invalidText, "\(place) has no setting \"\(key)\"; the settings are \(known.sorted().joined(separator: ", "))")
    }
  }

  /// Returns the JSON of the configuration, without the settings that are nil.
  ///
  /// - Throws: ``DocumentError/Code/notConvertible``, ``DocumentError/Code/tooDeep``.
  public func json() throws(DocumentError) -> String { try DocumentValue(encoding: self).json() }
}

extension Store {
  /// Applies a configuration: makes its collections, adds their indexes, and sets their defaults and aliases.
  ///
  /// Existing indexes stay. Each collection that changes is changed in a commit of its own.
  ///
  /// - Returns: The collections, by name, with the cache sizes of the configuration.
  /// - Throws: The errors of ``DocumentCollection/addIndex(_:unique:)``; collections that come before it in the order of
  ///   their names have been changed then.
  @discardableResult
  public func apply(_ configuration: DocumentConfiguration) throws -> [String: DocumentCollection] {
    var collections: [String: DocumentCollection] = [:]
    for (name, settings) in configuration.collections.sorted(by: { String.isBefore($0.key, $1.key) }) {
      let collection = try documents(name)
      try collection.apply(settings)
      collections[name] = collection
    }
    return collections
  }

  /// Returns the configuration of all collections of documents, which makes equal ones in another store.
  ///
  /// It has no cache sizes, because each ``DocumentCollection`` has a cache of its own.
  ///
  /// - Throws: `StoreError`.
  public func documentConfiguration() throws -> DocumentConfiguration {
    var configuration = DocumentConfiguration()
    for name in try documentCollectionNames() {
      var settings = try documents(name).configuration
      settings.cacheSize = nil
      configuration.collections[name] = settings
    }
    return configuration
  }

  /// Returns a value that the program keeps in the store under a key; nil if there is none.
  ///
  /// - Throws: `StoreError`; ``DocumentError``.
  public func metadata(_ key: String) throws -> DocumentValue? {
    let bytes = try readNamedBuffer(Self.metadataName(key)) { buffer in try buffer.readBytes() }
    guard let bytes else { return Optional.none }
    return try EncodedValue(checking: bytes).value()
  }

  /// Sets a value that the program keeps in the store under a key, or removes it, with the next save.
  ///
  /// It is a named buffer, whose name is "metadata: " and the key.
  ///
  /// - Throws: `StoreError`; ``DocumentError/Code/tooLarge``, ``DocumentError/Code/tooDeep``.
  public func setMetadata(_ value: DocumentValue?, for key: String) throws {
    guard let value else {
      try removeNamedBuffer(Self.metadataName(key))
      return
    }
    let bytes = try EncodedValue(value).bytes
    try writeNamedBuffer(Self.metadataName(key)) { buffer in buffer.writeBytes(bytes) }
  }

  private static func metadataName(_ key: String) -> String { "metadata: " + key }
}

extension DocumentCollection {
  /// The settings of the collection.
  public var configuration: DocumentConfiguration.Collection {
    get throws(StoreError) {
      let description = try description()?.value ?? CollectionDescription()
      var settings = DocumentConfiguration.Collection()
      settings.indexes = description.indexes.filter { !$0.isUnique }.map(\.text)
      settings.uniqueIndexes = description.indexes.filter(\.isUnique).map(\.text)
      settings.indexesEverything = description.indexesEverything
      settings.textIndexes = description.textIndexes
      settings.defaults = description.defaults
      settings.aliases = description.aliases
      settings.metadata = description.metadata
      settings.documentByteLimit = Int(description.byteLimit)
      settings.cacheSize = cacheSize
      return settings
    }
  }

  fileprivate func apply(_ settings: DocumentConfiguration.Collection) throws {
    var added: [PathIndex] = []
    for text in settings.indexes ?? [] { added.append(try PathIndex(text, unique: false)) }
    for text in settings.uniqueIndexes ?? [] { added.append(try PathIndex(text, unique: true)) }
    if let defaults = settings.defaults { try Self.checkDefaults(defaults) }
    if let aliases = settings.aliases { try Self.checkAliases(aliases) }
    if let byteLimit = settings.documentByteLimit { try Self.checkByteLimit(byteLimit) }
    try add(added) { description in
      if let indexesEverything = settings.indexesEverything { description.indexesEverything = indexesEverything }
      for index in settings.textIndexes ?? [] { description.add(index) }
      if let defaults = settings.defaults { description.defaults = defaults }
      if let aliases = settings.aliases { description.aliases = aliases }
      if let metadata = settings.metadata { description.metadata.merge(metadata) { _, new in new } }
      if let byteLimit = settings.documentByteLimit { description.byteLimit = UInt32(byteLimit) }
    }
    if let cacheSize = settings.cacheSize { self.cacheSize = cacheSize }
  }
}
