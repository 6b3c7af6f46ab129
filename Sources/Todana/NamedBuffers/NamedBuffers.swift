/// What a store knows of named buffers: what is pending, and what it has read.
struct NamedBuffers {
  /// The keyspace that keeps them, in every backend.
  static let keyspaceName = Array("named buffers".utf8)

  var keyspace: KeyspaceID?
  private(set) var pending: [Name: PendingBuffer] = [:]
  /// What the records were when this store last read or saved them.
  private var known: [Name: WriteBatch.Expectation] = [:]

  /// A name as the backend tells names apart: by its bytes.
  ///
  /// Strings are equal to their normalized forms.
  struct Name: Hashable {
    let string: String

    static func == (left: Name, right: Name) -> Bool { left.string.utf8.elementsEqual(right.string.utf8) }
    func hash(into hasher: inout Hasher) { for byte in string.utf8 { hasher.combine(byte) } }
  }

  enum PendingBuffer {
    case put(content: [UInt8], version: UInt8)
    case remove
  }

  /// The pending change of a buffer.
  func pendingChange(of name: String) -> PendingBuffer? { pending[Name(string: name)] }

  /// What must be there for a save not to overwrite what another store changed; anything, where nothing was read.
  func expectation(of name: String) -> WriteBatch.Expectation { known[Name(string: name)] ?? .anything }

  /// What is known of the record; nil where nothing was read.
  func knownState(of name: String) -> WriteBatch.Expectation? { known[Name(string: name)] }

  mutating func note(_ expectation: WriteBatch.Expectation?, for name: String) {
    known[Name(string: name)] = expectation
  }

  /// Makes a change pending, and tells by how much the number of pending buffers changed.
  mutating func setPending(_ change: PendingBuffer?, for name: String) -> Int {
    let name = Name(string: name)
    let hadOne = pending[name] != nil
    pending[name] = change
    return (change == nil ? 0 : 1) - (hadOne ? 1 : 0)
  }

  /// After a save: what it left under the names is known.
  mutating func didSave(_ saved: [Name: WriteBatch.Expectation]) {
    known.merge(saved) { _, new in new }
  }
}

/// The name that the sealed record of a named buffer begins with, and what is behind it.
func nameAndContent(
  ofBuffer content: UnsafeRawBufferPointer
) throws(DataBufferError) -> (name: String, content: UnsafeRawBufferPointer) {
  var reader = unsafe DataBuffer(borrowing: content, resolver: nil)
  let name = try reader.readString()
  return (name, unsafe UnsafeRawBufferPointer(rebasing: content.suffix(reader.remainingByteCount)))
}
