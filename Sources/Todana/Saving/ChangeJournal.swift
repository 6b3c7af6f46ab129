/// What objects and named buffers were before they were changed within savepoints, in the order of the changes.
///
/// To take changes back is to give each what it was, the last entry first. So an entry more than needed does no harm,
/// and a savepoint that ends well leaves its entries to the one around it at no cost.
final class ChangeJournal {
  // No other code runs while one of these properties is accessed, so accesses never overlap, and a check costs more.
  @safe @exclusivity(unchecked) private var objects: [ObjectEntry] = []
  /// The savepoint that is open, the innermost one.
  @safe @exclusivity(unchecked) private var level = Level()
  /// Those around it, the outermost first.
  @safe @exclusivity(unchecked) private var outerLevels: [Level] = []
  @safe @exclusivity(unchecked) private var isEmpty = true
  private var buffers: [BufferEntry] = []
  private let contents = ContentCopies()
  /// The last entries of objects, of the first so many entries.
  private var lastEntries: [ObjectIdentifier: Int] = [:]
  @safe @exclusivity(unchecked) private var indexedCount = 0

  struct BufferEntry {
    let name: String
    let change: NamedBuffers.PendingBuffer?
    let expectation: WriteBatch.Expectation?
  }

  private struct Level {
    /// 1 for the outermost.
    var depth = 0
    /// How much was noted before.
    var objectCount = 0
    var bufferCount = 0
    var contents = ContentCopies.Mark()
    var lastKnownCommit: CommitNumber = 0
  }

  /// What one savepoint has noted, the first change first.
  struct Changes {
    let objects: [ObjectEntry]
    let buffers: [BufferEntry]
    let lastKnownCommit: CommitNumber
    fileprivate let mark: ContentCopies.Mark
  }

  /// Opens a savepoint.
  func open(lastKnownCommit: CommitNumber) {
    if level.depth > 0 { outerLevels.append(level) }
    level.depth += 1
    level.lastKnownCommit = lastKnownCommit
    guard !isEmpty else { return }
    (level.objectCount, level.bufferCount, level.contents) = (objects.count, buffers.count, contents.mark)
  }

  /// Ends the innermost savepoint, whose changes stand.
  ///
  /// - Complexity: O(1) within another savepoint, else O(*n*) in the entries.
  func close() {
    level = outerLevels.popLast() ?? Level()
    if level.depth == 0, !isEmpty { removeAll() }
  }

  /// Takes out what the innermost savepoint has noted; its contents stay until ``finish(_:)``.
  func takeChanges() -> Changes {
    let level = level
    self.level = outerLevels.popLast() ?? Level()
    defer {
      objects.removeSubrange(level.objectCount...)
      buffers.removeSubrange(level.bufferCount...)
      indexedCount = min(indexedCount, level.objectCount)
    }
    let changes = Changes(
      objects: Array(objects[level.objectCount...]), buffers: Array(buffers[level.bufferCount...]),
      lastKnownCommit: level.lastKnownCommit, mark: level.contents)
    for entry in changes.objects {
      if let index = lastEntries[ObjectIdentifier(entry.object)], index >= level.objectCount {
        lastEntries[ObjectIdentifier(entry.object)] = nil
      }
    }
    return changes
  }

  /// Releases the contents of changes that were taken back.
  func finish(_ changes: Changes) {
    contents.removeAll(since: changes.mark)
    for entry in changes.objects { entry.object.state.remove(.noted) }
    if level.depth == 0 { removeAll() }
  }

  /// Gives an object the content of its entry, if it was noted.
  func restoreContent(_ entry: ObjectEntry, to object: StoredObject) {
    if case .copied(let copy) = entry.content { contents.restore(copy, to: object) }
  }

  private func removeAll() {
    isEmpty = true
    contents.removeAll()
    if !lastEntries.isEmpty { lastEntries.removeAll(keepingCapacity: lastEntries.count <= 1024) }
    indexedCount = 0
    if !buffers.isEmpty { buffers.removeAll(keepingCapacity: buffers.count <= 1024) }
    // Out of the journal before they are released, as that may end the lives of objects.
    var released: [ObjectEntry] = []
    swap(&released, &objects)
    for entry in released { entry.object.state.remove(.noted) }
    guard released.count <= 1024 else { return }
    released.removeAll(keepingCapacity: true)
    if objects.isEmpty { objects = released }
  }
}

// Noting changes.
extension ChangeJournal {
  /// Notes what an object is, unless the innermost savepoint has noted it already.
  ///
  /// - Parameters:
  ///   - object: Of the store, or about to be.
  ///   - copiesContent: Whether its content may change; for an object that was noted without, it is copied now.
  ///   - isReread: Whether its content, as saved, is to be read again when the change is taken back, if the object was
  ///     not pending.
  func note(_ object: StoredObject, copiesContent: Bool, isReread: Bool = false) {
    if object.state.contains(.noted), let index = lastEntry(of: object), index >= level.objectCount {
      if copiesContent, case .notCopied = objects[index].content { objects[index].content = copy(of: object) }
      if isReread, !objects[index].state.isPending { objects[index].isReread = true }
      return
    }
    objects.append(ObjectEntry(object, content: copiesContent ? copy(of: object) : .notCopied, isReread: isReread))
    isEmpty = false
    object.state.insert(.noted)
  }

  /// Notes what a named buffer is, so that it can be changed.
  func note(_ name: String, in namedBuffers: NamedBuffers) {
    isEmpty = false
    buffers.append(
      BufferEntry(
        name: name, change: namedBuffers.pendingChange(of: name), expectation: namedBuffers.knownState(of: name)))
  }

  private func copy(of object: StoredObject) -> ObjectEntry.Content {
    // A fault has no content, and what it shows is nothing to go back to.
    if object.isFault { return .notCopied }
    return contents.take(of: object).map { .copied($0) } ?? .unwritable
  }

  /// Where the last entry of an object stands; perhaps nil if the savepoint of the last one was taken back.
  ///
  /// Entries are indexed when one is looked for: changes of many objects, each once, need no index.
  private func lastEntry(of object: StoredObject) -> Int? {
    while indexedCount < objects.count {
      lastEntries[ObjectIdentifier(objects[indexedCount].object)] = indexedCount
      indexedCount += 1
    }
    return lastEntries[ObjectIdentifier(object)]
  }
}
