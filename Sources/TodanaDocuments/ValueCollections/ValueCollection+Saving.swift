internal import Todana

extension ValueCollection {
  /// The number of ids that are searched at once.
  private static var searchedIDCount: Int { 1000 }

  /// Saves a value: inserts it, or merges it into the stored one with the same id, or replaces that one.
  ///
  /// The next save of the store writes it. Two pending saves of one id are merged.
  ///
  /// ```swift
  /// try people.save(Person(id: 1, name: "Ann", age: nil))   // keeps the stored age
  /// ```
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - saving: The way in which a stored value is changed.
  /// - Returns: The value as it is stored now.
  /// - Throws: ``DocumentError/Code/notConvertible`` if the value cannot be encoded, or if the merged value cannot be
  ///   decoded; `StoreError`.
  /// - Complexity: O(log *n*) in the stored values.
  @discardableResult
  public func save(_ value: Value, _ saving: ValueSaving = .merging) throws -> Value {
    let saved = try save(contentsOf: CollectionOfOne(value), saving)
    return saved.inserted.first ?? saved.changed.first ?? saved.unchanged.first ?? value
  }

  /// Saves values, all or none, in their order.
  ///
  /// - Returns: The values by what was done with them, in their order; a value whose id occurs several times is
  ///   returned as it was after each of its saves.
  /// - Throws: The errors of ``save(_:_:)``. No value is saved then.
  @discardableResult
  public func save(
    contentsOf values: some Sequence<Value>, _ saving: ValueSaving = .merging
  ) throws -> SavedValues<Value> {
    if try !exists { try describe() }
    let pending = pending
    pending.removeSaved(in: store)
    return try store.savepoint {
      var saved = SavedValues<Value>()
      var batch: [(id: ValueID, value: Value)] = []
      func saveBatch() throws {
        let known = try objects(batch.map(\.id), pending)
        for (id, value) in batch {
          // A value of the batch may have inserted the id, or one that was undone since.
          try save(value, try known[id] ?? pending.object(id, in: store), saving, pending, &saved)
        }
        batch.removeAll(keepingCapacity: true)
      }
      for value in values {
        batch.append((identity.id(value), value))
        if batch.count == Self.searchedIDCount { try saveBatch() }
      }
      try saveBatch()
      return saved
    }
  }

  /// Returns the objects of ids that are pending or saved.
  private func objects(
    _ ids: [ValueID], _ pending: PendingValues<Value>
  ) throws -> [ValueID: StoredValue<Value>] {
    var found: [ValueID: StoredValue<Value>] = [:]
    var unknown: [ValueID] = []
    for id in ids {
      if let object = try pending.object(id, in: store) { found[id] = object } else { unknown.append(id) }
    }
    // New values often have ids beyond all stored ones, which one search finds out.
    if unknown.count > 1, let range = identity.isInRange(unknown),
      try !store.exists(all.where { _ in range }, includingPending: false)
    {
      return found
    }
    return found.merging(try savedObjects(unknown)) { first, _ in first }
  }

  private func save(
    _ value: Value, _ stored: StoredValue<Value>?, _ saving: ValueSaving, _ pending: PendingValues<Value>,
    _ saved: inout SavedValues<Value>
  ) throws {
    let content = try content(of: value)
    guard let stored else {
      let object = StoredValue(value, content: content)
      object.pending = pending
      try store.insert(object, into: name)
      saved.inserted.append(value)
      return
    }
    var (newValue, newContent) = (value, content)
    if saving == .merging, stored.content != content {
      let merged = ValueMerge.merge(try Self.documentValue(content), into: try Self.documentValue(stored.content))
      newContent = try self.content(of: merged)
      newValue = try Self.value(newContent)
    }
    if newContent == stored.content {
      saved.unchanged.append(newValue)
      return
    }
    try store.update(stored) { $0.set(newValue, content: newContent) }
    saved.changed.append(newValue)
  }

  static func documentValue(_ content: [UInt8]) throws -> DocumentValue {
    var buffer = DataBuffer(reading: content)
    return try EncodedValue(checking: buffer.readBytes()).value()
  }

  private static func value(_ content: [UInt8]) throws(DocumentError) -> Value {
    do {
      var buffer = DataBuffer(reading: content)
      return try buffer.readCodable(Value.self)
    } catch {
      throw DocumentError(.notConvertible, "the merged value cannot be decoded: \(error)")
    }
  }
}
