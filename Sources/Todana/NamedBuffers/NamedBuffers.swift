/// The pending changes of named buffers, and the record states that a store has seen.
struct NamedBuffers {
  /// The name of the keyspace for named buffers, in every backend.
  static let keyspaceName = Array("named buffers".utf8)
  /// The name of the buffer with the list of collections, which programs can read, but not change.
  static let reservedName = "todana.collections"

  /// About the number of bytes of a record besides its content.
  private static let recordByteCount = 48

  var keyspace: KeyspaceID? { didSet { envelope = nil } }
  /// The envelope of the last record, for the keyspace and the epoch of that time.
  var envelope: RecordEnvelope?
  private(set) var pending: [Name: PendingBuffer] = [:]
  /// The states of the records when this store last read or saved them.
  private var known = RecentStates()

  /// A buffer name, compared by its UTF-8 bytes as in the backend.
  ///
  /// A plain `String` would equal its other Unicode normalization forms.
  struct Name: Hashable {
    private(set) var string: String

    init(string: String) {
      self.string = string
      // Strings of other libraries may have other encodings.
      self.string.makeContiguousUTF8()
    }

    static func == (left: Name, right: Name) -> Bool {
      unsafe left.withBytes { left in
        unsafe right.withBytes { right in
          unsafe left.count == right.count && Bytes.order(left, right) == 0
        }
      }
    }

    /// Whether the name comes before another one in the order of their bytes.
    func precedes(_ other: Name) -> Bool {
      unsafe withBytes { mine in unsafe other.withBytes { theirs in unsafe Bytes.order(mine, theirs) < 0 } }
    }

    /// The first 16 bytes, padded with zeros, as two numbers of the same order.
    var head: (UInt64, UInt64) {
      unsafe withBytes { bytes in
        var head: (UInt64, UInt64) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &head) { unsafe $0.copyBytes(from: bytes.prefix($0.count)) }
        return (UInt64(bigEndian: head.0), UInt64(bigEndian: head.1))
      }
    }

    func hash(into hasher: inout Hasher) { unsafe withBytes { unsafe hasher.combine(bytes: $0) } }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      // The initializer has made the storage contiguous.
      let result = unsafe string.utf8.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
      guard let result else { return unsafe Array(string.utf8).withUnsafeBytes { unsafe body($0) } }
      return result
    }
  }

  enum PendingBuffer {
    case put(content: [UInt8], version: UInt8)
    case remove
  }

  /// Returns the pending change of a buffer.
  func pendingChange(of name: String) -> PendingBuffer? { pending.isEmpty ? nil : pending[Name(string: name)] }

  /// Returns the record state that a save must find, so that it does not overwrite another store's change.
  ///
  /// If the record was never read, any state is accepted.
  func expectation(of name: Name) -> WriteBatch.Expectation { known[name] ?? .anything }

  /// Returns the last known state of the record; nil if it was never read.
  func knownState(of name: String) -> WriteBatch.Expectation? { known[Name(string: name)] }

  mutating func note(_ expectation: WriteBatch.Expectation?, for name: String) {
    known.set(expectation, for: Name(string: name), keeping: pending.keys)
  }

  /// Sets or clears the pending change of a buffer.
  ///
  /// - Returns: The change in the number of pending buffers.
  mutating func setPending(_ change: PendingBuffer?, for name: String) -> Int {
    let former =
      if let change {
        pending.updateValue(change, forKey: Name(string: name))
      } else {
        pending.removeValue(forKey: Name(string: name))
      }
    return (change == nil ? 0 : 1) - (former == nil ? 0 : 1)
  }

  /// About the number of bytes that the pending changes take in a batch.
  var pendingByteCount: Int {
    pending.reduce(0) { sum, entry in
      let contentByteCount = if case .put(let content, _) = entry.value { content.count } else { 0 }
      return sum + entry.key.string.utf8.count + contentByteCount + Self.recordByteCount
    }
  }

  /// The pending changes in the order of their names.
  var pendingInOrder: [(name: Name, change: PendingBuffer)] {
    let changes = pending.map { (name: $0.key, change: $0.value) }
    // Most names differ in their first bytes, and numbers are sorted without counting references.
    var order = changes.indices.map { (head: changes[$0].name.head, index: $0) }
    order.sort { left, right in
      if left.head != right.head { return left.head < right.head }
      return changes[left.index].name.precedes(changes[right.index].name)
    }
    return order.map { changes[$0.index] }
  }

  /// Removes all pending changes, and returns their number.
  mutating func removePending() -> Int {
    defer { pending = [:] }
    return pending.count
  }

  /// Records the states of the records after a save.
  mutating func didSave(_ saved: [(Name, WriteBatch.Expectation)]) {
    known.reserve(saved.count)
    for (name, expectation) in saved { known.set(expectation, for: name, keeping: pending.keys) }
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
