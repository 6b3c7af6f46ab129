/// The pending changes of named buffers, and the record states that a store has seen.
struct NamedBuffers {
  /// The name of the keyspace for named buffers, in every backend.
  static let keyspaceName = Array("named buffers".utf8)

  var keyspace: KeyspaceID?
  private(set) var pending: [Name: PendingBuffer] = [:]
  /// The state of each record when this store last read or saved it.
  private var known: [Name: WriteBatch.Expectation] = [:]

  /// A buffer name, compared by its UTF-8 bytes as in the backend.
  ///
  /// A plain `String` would equal its other Unicode normalization forms.
  struct Name: Hashable {
    let string: String

    static func == (left: Name, right: Name) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }
    func hash(into hasher: inout Hasher) { for byte in string.utf8 { hasher.combine(byte) } }
  }

  enum PendingBuffer {
    case put(content: [UInt8], version: UInt8)
    case remove
  }

  /// Returns the pending change of a buffer.
  func pendingChange(of name: String) -> PendingBuffer? { pending[Name(string: name)] }

  /// Returns the record state that a save must find, so that it does not overwrite another store's change.
  ///
  /// If the record was never read, any state is accepted.
  func expectation(of name: String) -> WriteBatch.Expectation { known[Name(string: name)] ?? .anything }

  /// Returns the last known state of the record; nil if it was never read.
  func knownState(of name: String) -> WriteBatch.Expectation? { known[Name(string: name)] }

  mutating func note(_ expectation: WriteBatch.Expectation?, for name: String) {
    known[Name(string: name)] = expectation
  }

  /// Sets or clears the pending change of a buffer.
  ///
  /// - Returns: The change in the number of pending buffers.
  mutating func setPending(_ change: PendingBuffer?, for name: String) -> Int {
    let name = Name(string: name)
    let hadOne = pending[name] != nil
    pending[name] = change
    return (change == nil ? 0 : 1) - (hadOne ? 1 : 0)
  }

  /// Records the states of the records after a save, by name.
  mutating func didSave(_ saved: [Name: WriteBatch.Expectation]) {
    known.merge(saved) { _, new in new }
  }
}

/// Splits the content of a named buffer's sealed record, which begins with the buffer's name.
func nameAndContent(
  ofBuffer content: UnsafeRawBufferPointer
) throws(DataBufferError) -> (name: String, content: UnsafeRawBufferPointer) {
  var reader = unsafe DataBuffer(borrowing: content, resolver: nil)
  let name = try reader.readString()
  return (name, unsafe UnsafeRawBufferPointer(rebasing: content.suffix(reader.remainingByteCount)))
}
