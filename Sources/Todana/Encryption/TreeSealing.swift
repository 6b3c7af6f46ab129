/// The sealing of tree entries and names for a backend that must see none of them
/// (``StoreBackend/sealsNamesAndTrees``).
///
/// The key of an entry is stored as a code of 16 bytes; its value is an envelope around key and value. A key that
/// begins with the number of its commit is stored as that number and a code of the rest, 24 bytes. The format is
/// described in `docs/formats/sealed-trees.md`.
struct TreeSealing: Sendable {
  let ring: KeyRing

  /// The size of the commit number with which the keys of some entries begin.
  static let numberByteCount = 8

  // MARK: Names

  /// Returns the name of a keyspace for the backend.
  func sealed(keyspaceName name: [UInt8]) throws(BackendError) -> [UInt8] { try ring.sealName(name) }

  func opened(keyspaceName sealed: [UInt8]) throws(BackendError) -> [UInt8] {
    guard let name = ring.openName(sealed) else {
      throw BackendError(
        .damaged, "The name of a keyspace cannot be decrypted: it is damaged, or belongs to another store.")
    }
    return name
  }

  /// Returns the backend's key of a record with a name.
  func code(ofName name: [UInt8]) throws(BackendError) -> [UInt8] { try ring.code(of: name) }

  // MARK: Keys of trees

  /// The first byte of a code's message: for a whole key, or for a key without the number at its beginning.
  ///
  /// No UTF-8 text contains such a byte.
  private enum Domain: UInt8 {
    case key = 0xFF
    case numberedKey = 0xFE
  }

  func code(ofKey key: ArraySlice<UInt8>, in tree: KeyspaceID) throws(BackendError) -> [UInt8] {
    try code(.key, key, in: tree)
  }

  /// Returns the code of the part of a key that follows the number.
  func code(ofNumberedEnd end: ArraySlice<UInt8>, in tree: KeyspaceID) throws(BackendError) -> [UInt8] {
    try code(.numberedKey, end, in: tree)
  }

  private func code(
    _ domain: Domain, _ key: ArraySlice<UInt8>, in tree: KeyspaceID
  ) throws(BackendError) -> [UInt8] {
    var message: [UInt8] = [domain.rawValue]
    message.reserveCapacity(5 + key.count)
    for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
      message.append(UInt8(truncatingIfNeeded: tree.rawValue >> shift))
    }
    message += key
    return try ring.code(of: message)
  }

  /// Returns the backend's key of an entry whose key begins with a number; nil if the key cannot begin with one.
  ///
  /// Numbers of commits are below 2^48, which no store reaches.
  func numberedPlace(of key: ArraySlice<UInt8>, in tree: KeyspaceID) throws(BackendError) -> [UInt8]? {
    guard key.count >= Self.numberByteCount, key.prefix(2).allSatisfy({ $0 == 0 }) else { return nil }
    return Array(key.prefix(Self.numberByteCount))
      + (try code(ofNumberedEnd: key.dropFirst(Self.numberByteCount), in: tree))
  }

  // MARK: Entries

  /// Seals an entry at the end of an arena, and returns its position.
  ///
  /// The key does not contain the number that the commit puts before it; the code is made of the same bytes.
  func seal(
    key: ArraySlice<UInt8>, value: Range<Int>, code: [UInt8], in tree: KeyspaceID, by sealer: Sealer,
    to arena: ByteArena
  ) throws(BackendError) -> Range<Int> {
    let epoch = ring.epoch
    var head = [UInt8](repeating: 0, count: KeyRing.headerByteCount(epoch: epoch))
    var rest = key.count
    while rest >= 0x80 {
      head.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    head.append(UInt8(truncatingIfNeeded: rest))
    let start = arena.append(head).lowerBound
    unsafe key.withUnsafeBytes { _ = unsafe arena.append($0) }
    arena.appendCopy(of: value)
    let end = arena.append([UInt8](repeating: 0, count: RecordEnvelope.sealedTrailerByteCount)).upperBound
    let record = unsafe UnsafeMutableRawBufferPointer(start: arena.base + start, count: end - start)
    var failure: BackendError?
    unsafe withUnsafeTemporaryAllocation(byteCount: Sealer.nonceByteCount, alignment: 8) { nonce in
      do throws(BackendError) {
        try unsafe ring.drawNonces(into: nonce)
        guard let bytes = nonce.baseAddress else { throw Sealer.failure }
        try unsafe sealer.seal(
          record, key: .entry(code), of: tree, epoch: epoch, isPadded: false, nonce: UnsafeRawPointer(bytes))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return start..<end
  }

  /// Opens the entries of a chunk in place.
  ///
  /// - Throws: ``BackendError/Code/damaged`` after opening all entries, if one or more do not open: the error names the
  ///   first one's damage. Their slices get the status *damaged*.
  func open(_ chunk: RecordChunk, of tree: KeyspaceID, place: [UInt8]? = nil, by sealer: Sealer) throws(BackendError) {
    guard !chunk.leavesOutValues else { return }
    let base = unsafe chunk.arena.base
    var failure: BackendError?
    for index in chunk.slices.indices where chunk.slices[index].status == .found {
      let slice = chunk.slices[index]
      let storedKey = unsafe place ?? [UInt8](UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key]))
      if let opened = unsafe open(slice.value, at: storedKey, in: base, of: tree, by: sealer) {
        chunk.slices[index] = opened
      } else {
        chunk.slices[index] = RecordChunk.Slice(rowID: 0, key: 0..<0, value: 0..<0, status: .damaged)
        failure =
          failure
          ?? BackendError(
            .damaged, "An entry of a tree is damaged, or is in the place of another entry.", keyspace: tree)
      }
    }
    if let failure { throw failure }
  }

  /// Opens an entry in place, and returns its slice; nil if its bytes are damaged.
  private func open(
    _ value: Range<Int>, at storedKey: [UInt8], in base: UnsafeMutableRawPointer, of tree: KeyspaceID, by sealer: Sealer
  ) -> RecordChunk.Slice? {
    let isNumbered = storedKey.count == Self.numberByteCount + KeyRing.codeByteCount
    guard isNumbered || storedKey.count == KeyRing.codeByteCount else { return nil }
    let code = Array(storedKey.suffix(KeyRing.codeByteCount))
    let record = unsafe UnsafeMutableRawBufferPointer(start: base + value.lowerBound, count: value.count)
    guard case .success(let plain) = unsafe sealer.open(record, key: .entry(code), of: tree) else { return nil }
    var position = value.lowerBound + plain.lowerBound
    let end = value.lowerBound + plain.upperBound
    var keyByteCount = 0
    for shift in stride(from: 0, to: 28, by: 7) {
      guard position < end else { return nil }
      let byte = unsafe base.load(fromByteOffset: position, as: UInt8.self)
      position += 1
      keyByteCount |= Int(byte & 0x7F) << shift
      if byte < 0x80 { break }
    }
    guard keyByteCount <= end - position else { return nil }
    var keyStart = position
    if isNumbered {
      // The number fits, since the header of the envelope before the key is longer.
      keyStart -= Self.numberByteCount
      unsafe storedKey.withUnsafeBytes { number in
        guard let number = number.baseAddress else { return }
        unsafe (base + keyStart).copyMemory(from: number, byteCount: Self.numberByteCount)
      }
    }
    return RecordChunk.Slice(
      rowID: 0, key: keyStart..<position + keyByteCount, value: position + keyByteCount..<end, status: .found)
  }
}
