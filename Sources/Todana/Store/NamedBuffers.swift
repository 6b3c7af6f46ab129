/// What a store knows of named buffers: what is pending, and what it has read.
struct NamedBuffers {
  /// The structure that keeps them, in every backend.
  static let structureName = Array("named buffers".utf8)

  var structure: ClassID?
  private(set) var pending: [String: PendingBuffer] = [:]
  /// What the records were when this store last read or saved them.
  private var known: [String: WriteBatch.Expectation] = [:]

  enum PendingBuffer {
    /// The whole record.
    case put(record: [UInt8], token: UInt64)
    case remove
  }

  /// What must be there for a save not to overwrite what another store changed; anything, where nothing was read.
  func expectation(of name: String) -> WriteBatch.Expectation { known[name] ?? .anything }

  mutating func note(_ expectation: WriteBatch.Expectation, for name: String) { known[name] = expectation }

  /// Makes a change pending, and tells by how much the number of pending buffers changed.
  mutating func setPending(_ change: PendingBuffer?, for name: String) -> Int {
    let hadOne = pending[name] != nil
    pending[name] = change
    return (change == nil ? 0 : 1) - (hadOne ? 1 : 0)
  }

  /// After a save: what was pending is known.
  mutating func didSave(_ changes: [String: PendingBuffer]) {
    for (name, change) in changes {
      switch change {
      case .put(_, let token): known[name] = .token(token)
      case .remove: known[name] = .absent
      }
    }
  }
}
