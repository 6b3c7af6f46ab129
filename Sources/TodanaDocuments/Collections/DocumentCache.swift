/// The documents that a collection keeps in memory, the least recently used first.
struct DocumentCache {
  /// The maximum number of documents.
  var size = 50 {
    didSet { removeSurplus() }
  }
  private var documents: [Document] = []

  var count: Int { documents.count }

  mutating func use(_ document: Document) {
    if documents.last === document { return }
    if let position = documents.firstIndex(where: { $0 === document }) { documents.remove(at: position) }
    documents.append(document)
    removeSurplus()
  }

  /// Uses different documents in their order; of more than the size, only the last ones.
  mutating func use(_ used: [Document]) {
    if used.count >= size { return documents = Array(used.suffix(size)) }
    let identities = Set(used.map { ObjectIdentifier($0) })
    documents.removeAll { identities.contains(ObjectIdentifier($0)) }
    documents += used
    removeSurplus()
  }

  mutating func removeAll() { documents = [] }

  private mutating func removeSurplus() {
    if documents.count > size { documents.removeFirst(documents.count - size) }
  }
}

// The cache of a collection.
extension DocumentCollection {
  /// The number of documents that the collection keeps in memory after they were found, the most recently used ones: by
  /// default 50.
  ///
  /// A document that the program holds stays the only instance of its row in any case. With 0, no other documents are
  /// kept. The number is not stored.
  public var cacheSize: Int {
    get { cache.size }
    set { cache.size = max(0, newValue) }
  }

  /// Releases the documents that the collection keeps in memory.
  ///
  /// Documents that the program holds are not affected.
  public func flushCache() { cache.removeAll() }
}
