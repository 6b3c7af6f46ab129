/// How many objects a store has in memory.
public struct StoreStatistics: Sendable, Equatable {
  /// By stored name; classes without live objects are left out.
  public var classes: [String: Counts] = [:]
  /// Named buffers that the next save writes or removes.
  public var pendingBufferCount = 0

  public struct Counts: Sendable, Equatable {
    /// Objects alive, faults among them.
    public var liveCount = 0
    public var faultCount = 0
    public var insertCount = 0
    public var updateCount = 0
    public var deleteCount = 0
  }
}

extension Store {
  /// What is in memory and what is pending.
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

  /// Calls the closure with every object of the store that is in memory, faults and pending ones among them.
  ///
  /// Class by class in the order of registration; those that the closure brings into memory are not visited.
  ///
  /// - Throws: What the closure throws.
  public func forEachLiveObject<Failure: Error>(
    _ body: (StoredObject) throws(Failure) -> Void
  ) throws(Failure) {
    for objects in registry.tables.map({ $0.identity.objects() }) {
      for object in objects { try body(object) }
    }
  }

  /// Writes, for people who debug, every object in memory and what is pending, one a line.
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
