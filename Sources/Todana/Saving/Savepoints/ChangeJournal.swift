/// A journal of the former states of objects and named buffers that were changed within savepoints, in the order of the
/// changes.
///
/// Undoing changes restores the state of each entry, the last entry first. A redundant entry therefore does no harm,
/// and a savepoint that succeeds leaves its entries to the enclosing savepoint at no cost.
final class ChangeJournal {
  // No other code runs while one of these properties is accessed, so accesses never overlap. A check costs more than
  // the access.
  @safe @exclusivity(unchecked) private var objects: [ObjectEntry] = []
  /// The innermost open savepoint.
  @safe @exclusivity(unchecked) private var level = Level()
  /// The enclosing savepoints, the outermost first.
  @safe @exclusivity(unchecked) private var outerLevels: [Level] = []
  @safe @exclusivity(unchecked) private var isEmpty = true
  private var buffers: [BufferEntry] = []
  private let contents = ContentCopies()
  /// The index of each object's last entry, among the first `indexedCount` entries.
  private var lastEntries: [ObjectIdentifier: Int] = [:]
  @safe @exclusivity(unchecked) private var indexedCount = 0

  struct BufferEntry {
    let name: String
    let change: NamedBuffers.PendingBuffer?
    let expectation: WriteBatch.Expectation?
  }

  private struct Level {
    /// The nesting depth; 1 for the outermost savepoint.
    var depth = 0
    /// The number of entries that were noted before the savepoint was opened.
    var objectCount = 0
    var bufferCount = 0
    var contents = ContentCopies.Mark()
    var lastKnownCommit: CommitNumber = 0
  }

  /// The entries that one savepoint has noted, the first change first.
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

  /// Ends the innermost savepoint and keeps its changes.
  ///
  /// - Complexity: O(1) within another savepoint, else O(*n*) in the entries.
  func close() {
    level = outerLevels.popLast() ?? Level()
    if level.depth == 0, !isEmpty { removeAll() }
  }

  /// Ends the innermost savepoint and removes its entries from the journal.
  ///
  /// The copied contents are kept until ``finish(_:)``.
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

  /// Releases the copied contents of changes that have been undone.
  func finish(_ changes: Changes) {
    contents.removeAll(since: changes.mark)
    for entry in changes.objects { entry.object.state.remove(.noted) }
    if level.depth == 0 { removeAll() }
  }

  /// Restores an object's content from its entry, if the entry has a copy.
  func restoreContent(_ entry: ObjectEntry, to object: StoredObject) {
    if case .copied(let copy) = entry.content { contents.restore(copy, to: object) }
  }

  private func removeAll() {
    isEmpty = true
    contents.removeAll()
    if !lastEntries.isEmpty { lastEntries.removeAll(keepingCapacity: lastEntries.count <= 1024) }
    indexedCount = 0
    if !buffers.isEmpty { buffers.removeAll(keepingCapacity: buffers.count <= 1024) }
    // Removes the entries from the journal before releasing them, as the release may deinitialize objects.
    var released: [ObjectEntry] = []
    swap(&released, &objects)
    for entry in released { entry.object.state.remove(.noted) }
    var releasedObjects = released.map(\.object)
    released.removeAll(keepingCapacity: released.count <= 1024)
    if objects.isEmpty { swap(&released, &objects) }
    ChainRelease.release(&releasedObjects)
  }
}

// Noting states before changes.
extension ChangeJournal {
  /// Notes the current state of an object, unless the innermost savepoint has noted it already.
  ///
  /// - Parameters:
  ///   - object: An object of the store, or one that is about to be inserted.
  ///   - copiesContent: Whether the content may change and is copied. If the object was noted without its content, the
  ///     content is copied now.
  ///   - isReread: Whether undoing the change reads the object's saved content again, if the object was not pending.
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

  /// Notes the pending change and the known saved state of a named buffer before it is changed.
  func note(_ name: String, in namedBuffers: NamedBuffers) {
    isEmpty = false
    buffers.append(
      BufferEntry(
        name: name, change: namedBuffers.pendingChange(of: name), expectation: namedBuffers.knownState(of: name)))
  }

  private func copy(of object: StoredObject) -> ObjectEntry.Content {
    // A fault has no content, and its properties only show defaults.
    if object.isFault { return .notCopied }
    return contents.take(of: object).map { .copied($0) } ?? .unwritable
  }

  /// Returns the index of an object's last entry; nil if none is known.
  ///
  /// An older entry may be unknown after a newer one was undone.
  ///
  /// Entries are indexed lazily: changes of many objects, each once, need no index.
  private func lastEntry(of object: StoredObject) -> Int? {
    while indexedCount < objects.count {
      lastEntries[ObjectIdentifier(objects[indexedCount].object)] = indexedCount
      indexedCount += 1
    }
    return lastEntries[ObjectIdentifier(object)]
  }
}
