/// What objects and named buffers were before they were changed within savepoints, in the order of the changes.
///
/// To take changes back is to give each what it was, the last entry first. So an entry more than needed does no harm,
/// and a savepoint that ends well leaves its entries to the one around it at no cost.
final class ChangeJournal {
  private var objects: [ObjectEntry] = []
  private var buffers: [BufferEntry] = []
  private let contents = ContentCopies()
  // These call nobody while they are accessed, so accesses never overlap, and checking that costs more than the work.
  /// The savepoints that are open, the innermost last.
  @safe @exclusivity(unchecked) private var levels: [Level] = []
  /// The last entries of objects, of the first so many entries.
  private var lastEntries: [ObjectIdentifier: Int] = [:]
  @safe @exclusivity(unchecked) private var indexedCount = 0

  struct BufferEntry {
    let name: String
    let change: NamedBuffers.PendingBuffer?
    let expectation: WriteBatch.Expectation?
  }

  private struct Level {
    let objectCount: Int
    let bufferCount: Int
    let contents: ContentCopies.Mark
    let lastKnownCommit: CommitNumber
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
    levels.append(
      Level(
        objectCount: objects.count, bufferCount: buffers.count, contents: contents.mark,
        lastKnownCommit: lastKnownCommit))
  }

  /// Ends the innermost savepoint, whose changes stand.
  ///
  /// - Complexity: O(1) within another savepoint, else O(*n*) in the entries.
  func close() {
    levels.removeLast()
    if levels.isEmpty, !objects.isEmpty || !buffers.isEmpty { removeAll() }
  }

  /// Takes out what the innermost savepoint has noted; its contents stay until ``finish(_:)``.
  func takeChanges() -> Changes {
    let level = levels.removeLast()
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
    if levels.isEmpty { removeAll() }
  }

  /// Gives an object the content of its entry, if it was noted.
  func restoreContent(_ entry: ObjectEntry, to object: StoredObject) {
    if case .copied(let copy) = entry.content { contents.restore(copy, to: object) }
  }

  private func removeAll() {
    for entry in objects { entry.object.state.remove(.noted) }
    contents.removeAll()
    if !lastEntries.isEmpty { lastEntries.removeAll(keepingCapacity: lastEntries.count <= 1024) }
    indexedCount = 0
    if !buffers.isEmpty { buffers.removeAll(keepingCapacity: buffers.count <= 1024) }
    objects.removeAll(keepingCapacity: objects.count <= 1024)
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
    if object.state.contains(.noted), let index = lastEntry(of: object), index >= levels[levels.count - 1].objectCount {
      if copiesContent, case .notCopied = objects[index].content { objects[index].content = copy(of: object) }
      if isReread, !objects[index].state.isPending { objects[index].isReread = true }
      return
    }
    objects.append(ObjectEntry(object, content: copiesContent ? copy(of: object) : .notCopied, isReread: isReread))
    object.state.insert(.noted)
  }

  /// Notes what a named buffer is, so that it can be changed.
  func note(_ name: String, in namedBuffers: NamedBuffers) {
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
