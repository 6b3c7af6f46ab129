/// The numbers of objects that a store has in memory.
public struct StoreStatistics: Sendable, Equatable {
  /// The counts by stored name; classes without live objects are left out.
  public var classes: [String: Counts] = [:]
  /// The number of named buffers that the next save writes or removes.
  public var pendingBufferCount = 0

  public struct Counts: Sendable, Equatable {
    /// The number of objects alive, including faults.
    public var liveCount = 0
    public var faultCount = 0
    public var insertCount = 0
    public var updateCount = 0
    public var deleteCount = 0
  }
}

extension Store {
  /// The numbers of objects in memory and of pending changes.
  ///
  /// - Complexity: O(*n*) in the objects alive.
  public var statistics: StoreStatistics {
    var statistics = StoreStatistics()
    statistics.pendingBufferCount = namedBuffers.pending.count
    for table in registry.tables where table.identity.count > 0 {
      var counts = StoreStatistics.Counts()
      counts.liveCount = table.identity.count
      counts.faultCount = table.identity.objects().count(where: \.isFault)
      counts.insertCount = table.pending.insertCount
      counts.updateCount = table.pending.updateCount
      counts.deleteCount = table.pending.deleteCount
      statistics.classes[table.name] = counts
    }
    return statistics
  }

  /// Calls a closure with every object of the store in memory, including faults and pending objects.
  ///
  /// The objects are visited class by class in the order of registration. Objects that the closure brings into memory
  /// are not visited.
  ///
  /// - Throws: Errors of the closure.
  public func forEachLiveObject<Failure: Error>(
    _ body: (StoredObject) throws(Failure) -> Void
  ) throws(Failure) {
    for objects in registry.tables.map({ $0.identity.objects() }) {
      for object in objects { try body(object) }
    }
  }

  /// Writes all objects in memory and all pending named buffers to a text, one a line, for debugging.
  public func dump(to output: inout some TextOutputStream) {
    output.write("Store \(backend.storeID)\(isClosed ? " (closed)" : "")\n")
    for table in registry.tables where table.identity.count > 0 {
      output.write("  \(table.name), class \(table.classID?.rawValue ?? 0): \(table.identity.count) objects\n")
      for object in table.identity.objects() { output.write("    \(object)\n") }
    }
    for (name, change) in namedBuffers.pending.sorted(by: { $0.key.string < $1.key.string }) {
      let name = name.string
      switch change {
      case .put(let record, _): output.write("  named buffer \"\(name)\": \(record.count) bytes to be written\n")
      case .remove: output.write("  named buffer \"\(name)\": to be removed\n")
      }
    }
  }
}
