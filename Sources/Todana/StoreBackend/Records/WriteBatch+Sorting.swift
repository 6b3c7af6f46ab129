extension WriteBatch {
  /// Sorts the changes by keyspace, and within a keyspace by key.
  ///
  /// Rows are sorted by row id. Byte keys are sorted by their bytes, with a key before longer ones that begin with it.
  /// Within a keyspace a clearing comes first, then checks of ranges, then removals of ranges. Keys that begin with the
  /// commit's number come last. This is the order of a tree, in which it is written and searched.
  ///
  /// - Complexity: O(*n*) for changes that are in order already, else O(*n* log *n*).
  public mutating func sort() {
    guard !isSorted else { return }
    let arena = arena
    sortPackedChanges { Self.precedes($0, $1, in: arena) }
  }

  /// Whether the changes are in the order that a backend requires.
  ///
  /// Changes of a keyspace must be adjacent and in the order of ``sort()``, at most one for each key. Checks of
  /// ranges may share a lower bound.
  ///
  /// - Complexity: O(*n*).
  public var isSorted: Bool {
    let changes = packedChanges
    var seen: [UInt32] = changes.first.map { [$0.keyspace] } ?? []
    for index in changes.indices.dropFirst() {
      let (last, change) = (changes[index - 1], changes[index])
      if change.keyspace != last.keyspace {
        if seen.contains(change.keyspace) { return false }
        seen.append(change.keyspace)
      } else if last.kind == Kind.checkRange.rawValue, change.kind == last.kind {
        // Several ranges may begin at the same key.
        if Self.precedes(change, last, in: arena) { return false }
      } else if !Self.precedes(last, change, in: arena) {
        return false
      }
    }
    return true
  }

  private static func precedes(_ lhs: PackedChange, _ rhs: PackedChange, in arena: ByteArena) -> Bool {
    if lhs.keyspace != rhs.keyspace { return lhs.keyspace < rhs.keyspace }
    if lhs.kind > Kind.check.rawValue || rhs.kind > Kind.check.rawValue {
      let (left, right) = (order(of: lhs.kind), order(of: rhs.kind))
      if left != right { return left < right }
    }
    if lhs.keyLength == 0 || rhs.keyLength == 0 {
      return lhs.keyLength != rhs.keyLength ? lhs.keyLength == 0 : lhs.key < rhs.key
    }
    let commonByteCount = Int(min(lhs.keyLength, rhs.keyLength))
    let order = unsafe compare(
      arena.base + Int(lhs.key), arena.base + Int(rhs.key), byteCount: commonByteCount)
    return order != 0 ? order < 0 : lhs.keyLength < rhs.keyLength
  }

  /// Returns the rank of a kind of change within a keyspace.
  private static func order(of kind: UInt8) -> Int {
    switch Kind(rawValue: kind) {
    case .clear: 0
    case .checkRange: 1
    case .removeRange: 2
    case .putNumbered: 4
    default: 3
    }
  }

  /// Compares bytes, eight at a time; the result is negative if `lhs` comes first, and 0 if both are equal.
  @inline(__always)
  private static func compare(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer, byteCount: Int) -> Int {
    var offset = 0
    while offset + 8 <= byteCount {
      let order = unsafe compareWords(lhs + offset, rhs + offset)
      if order != 0 { return order }
      offset += 8
    }
    // The rest of a longer key is compared as part of the key's last eight bytes. The bytes before the rest are already
    // known to be equal.
    if byteCount >= 8 { return offset == byteCount ? 0 : unsafe compareWords(lhs + byteCount - 8, rhs + byteCount - 8) }
    while offset < byteCount {
      let left = unsafe lhs.load(fromByteOffset: offset, as: UInt8.self)
      let right = unsafe rhs.load(fromByteOffset: offset, as: UInt8.self)
      if left != right { return left < right ? -1 : 1 }
      offset += 1
    }
    return 0
  }

  @inline(__always)
  private static func compareWords(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer) -> Int {
    let left = unsafe UInt64(bigEndian: lhs.loadUnaligned(as: UInt64.self))
    let right = unsafe UInt64(bigEndian: rhs.loadUnaligned(as: UInt64.self))
    return left == right ? 0 : left < right ? -1 : 1
  }
}
