/// The states of objects and named buffers before the changes of one level of an ``UndoStack``, in the order of the
/// changes, each once.
final class UndoLevel {
  let name: String?
  private(set) var entries: [Entry] = []
  private(set) var buffers: [Buffer] = []
  private let contents = ContentCopies()
  private var objects: Set<ObjectIdentifier> = []
  private var bufferNames: Set<String> = []
  private var bufferByteCount = 0
  /// The number of saves of the store when the last change was noted.
  private(set) var lastSaveCount = -1
  /// Whether the changes were too many to be kept, and none is noted any more.
  private var isGivenUp = false

  struct Entry {
    let entry: ObjectEntry
    /// The number of times that another store's record of the object was found, up to this entry.
    let foreignCount: Int
    /// The number of saves of the store when the state was noted.
    let saveCount: Int
  }

  /// The state of a named buffer.
  struct Buffer {
    let name: String
    /// The pending change; nil if there was none.
    let pending: NamedBuffers.PendingBuffer?
    /// The record state that was known.
    let expectation: WriteBatch.Expectation?
    /// The content that a reader saw; ``NamedBuffers/PendingBuffer/remove`` for none.
    let content: NamedBuffers.PendingBuffer
    let saveCount: Int
  }

  init(name: String?) { self.name = name }

  var isEmpty: Bool { entries.isEmpty && buffers.isEmpty }

  /// About the number of bytes that the level takes.
  var byteCount: Int {
    contents.byteCount + bufferByteCount + entries.count * (MemoryLayout<Entry>.stride + 2 * MemoryLayout<Int>.size)
  }

  /// Returns whether an earlier state of an object is noted already, or none is noted any more.
  func hasNoted(_ object: StoredObject, saveCount: Int) -> Bool {
    if isGivenUp { return true }
    lastSaveCount = saveCount
    return objects.contains(ObjectIdentifier(object))
  }

  /// Notes the state of an object that was not noted before.
  func note(_ object: StoredObject, foreignCount: Int, saveCount: Int) {
    objects.insert(ObjectIdentifier(object))
    let copy = object.table == nil || object.isFault ? nil : contents.take(of: object)
    let entry = ObjectEntry(object, content: copy.map { .copied($0) } ?? .notCopied)
    entries.append(Entry(entry: entry, foreignCount: foreignCount, saveCount: saveCount))
  }

  /// Notes the state of a named buffer, unless an earlier state is noted.
  func note(_ buffer: Buffer) {
    guard !isGivenUp else { return }
    lastSaveCount = buffer.saveCount
    guard bufferNames.insert(buffer.name).inserted else { return }
    buffers.append(buffer)
    bufferByteCount += buffer.name.utf8.count + buffer.content.byteCount
  }

  /// Restores the content of an entry to its object.
  func restoreContent(of entry: Entry, to object: StoredObject) {
    if case .copied(let copy) = entry.entry.content { contents.restore(copy, to: object) }
  }

  /// Removes the entries from a position on.
  ///
  /// - Returns: The objects of the entries.
  func removeEntries(from start: Int, buffers bufferStart: Int) -> [StoredObject] {
    guard entries.count > start || buffers.count > bufferStart else { return [] }
    let removed = entries[start...].map(\.entry.object)
    for object in removed { objects.remove(ObjectIdentifier(object)) }
    // The copies of the contents stay until the level is released.
    entries.removeSubrange(start...)
    for buffer in buffers[bufferStart...] { bufferNames.remove(buffer.name) }
    buffers.removeSubrange(bufferStart...)
    return removed
  }

  /// Removes the entry of an object, if it is at a position or a later one.
  ///
  /// - Returns: The object; nil if there is no such entry.
  func removeEntry(of object: StoredObject, from start: Int) -> StoredObject? {
    guard let index = entries[start...].firstIndex(where: { $0.entry.object === object }) else { return nil }
    objects.remove(ObjectIdentifier(object))
    entries.remove(at: index)
    return object
  }

  /// Empties the level for good, because it is too large.
  func giveUp() {
    release()
    isGivenUp = true
  }

  /// Removes all entries, and releases their objects and contents.
  func release() {
    contents.removeAll()
    var released = entries.map(\.entry.object)
    (entries, buffers, objects, bufferNames, bufferByteCount) = ([], [], [], [], 0)
    ChainRelease.release(&released)
  }
}

extension NamedBuffers.PendingBuffer {
  fileprivate var byteCount: Int {
    switch self {
    case .put(let content, _): content.count
    case .remove: 0
    }
  }
}
