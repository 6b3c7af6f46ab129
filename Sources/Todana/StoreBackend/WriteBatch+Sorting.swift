extension WriteBatch {
  /// Orders the changes by structure, then rows by number and byte keys by length, then bytes.
  ///
  /// - Complexity: O(*n*) for changes that are in order already, else O(*n* log *n*).
  public mutating func sort() {
    guard !isSorted else { return }
    let arena = arena
    sortPackedChanges { Self.precedes($0, $1, in: arena) }
  }

  /// The changes are in the order that a backend asks for, and no two have the same key.
  ///
  /// - Complexity: O(*n*).
  public var isSorted: Bool {
    let changes = packedChanges
    for index in changes.indices.dropFirst()
    where !Self.precedes(changes[index - 1], changes[index], in: arena) {
      return false
    }
    return true
  }

  private static func precedes(_ lhs: PackedChange, _ rhs: PackedChange, in arena: ByteArena) -> Bool {
    if lhs.structure != rhs.structure { return lhs.structure < rhs.structure }
    if lhs.keyLength != rhs.keyLength { return lhs.keyLength < rhs.keyLength }
    if lhs.keyLength == 0 { return lhs.key < rhs.key }
    return unsafe bytesPrecede(
      arena.base + Int(lhs.key), arena.base + Int(rhs.key), byteCount: Int(lhs.keyLength))
  }

  /// Whether the bytes at `lhs` come before those at `rhs`, eight at a time.
  private static func bytesPrecede(
    _ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer, byteCount: Int
  ) -> Bool {
    var offset = 0
    while offset + 8 <= byteCount {
      let left = unsafe UInt64(bigEndian: lhs.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let right = unsafe UInt64(bigEndian: rhs.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if left != right { return left < right }
      offset += 8
    }
    while offset < byteCount {
      let left = unsafe lhs.load(fromByteOffset: offset, as: UInt8.self)
      let right = unsafe rhs.load(fromByteOffset: offset, as: UInt8.self)
      if left != right { return left < right }
      offset += 1
    }
    return false
  }
}
