// The basis of all write methods: room in the arena, and the first error.
extension DataBuffer {
  /// Makes room for `byteCount` bytes after the write cursor; returns false if they must not be written.
  @usableFromInline @inline(__always)
  mutating func hasRoom(_ byteCount: Int) -> Bool {
    unsafe writeEnd - writeCursor >= byteCount || makeRoom(byteCount)
  }

  @usableFromInline @inline(never)
  mutating func makeRoom(_ byteCount: Int) -> Bool {
    guard firstError == nil else { return false }
    guard isOpen, let arena else {
      recordError(.notWritable, notWritableMessage)
      return false
    }
    let used = writtenByteCount
    guard byteCount <= Self.contentByteLimit - used else {
      recordError(
        .limitExceeded,
        "\(byteCount) more bytes would make the content larger than \(Self.contentByteLimit) bytes; split the object")
      return false
    }
    arena.count = contentStart + used
    arena.reserve(contentStart + used + byteCount + Self.trailerRoom)
    pointCursors(into: arena, writtenByteCount: used, position: position)
    return true
  }

  /// Points the cursors into the arena's current memory.
  ///
  /// The content may fill it up to its size limit, except for the room that is kept for the trailer.
  @inline(__always)
  mutating func pointCursors(into arena: ByteArena, writtenByteCount: Int, position: Int) {
    let start = unsafe arena.base + contentStart
    unsafe writeCursor = start + writtenByteCount
    unsafe writeEnd = start + min(arena.capacity - contentStart - Self.trailerRoom, Self.contentByteLimit)
    unsafe readStart = UnsafeRawPointer(start)
    unsafe readCursor = readStart + position
    unsafe readEnd = UnsafeRawPointer(writeCursor)
  }

  /// The number of content bytes written so far.
  @usableFromInline var writtenByteCount: Int { unsafe UnsafeRawPointer(writeCursor) - readStart }

  @usableFromInline @inline(__always)
  mutating func appendByte(_ byte: UInt8) {
    guard hasRoom(1) else { return }
    unsafe writeCursor.storeBytes(of: byte, as: UInt8.self)
    unsafe writeCursor += 1
  }

  mutating func appendBytes(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, hasRoom(bytes.count) else { return }
    unsafe writeCursor.copyMemory(from: start, byteCount: bytes.count)
    unsafe writeCursor += bytes.count
  }

  /// Appends the byte count as a varint, then the bytes.
  @inline(__always)
  mutating func appendCountedBytes(_ bytes: UnsafeRawBufferPointer) {
    let byteCount = bytes.count
    if byteCount < 0x80, unsafe writeEnd - writeCursor > byteCount {
      unsafe writeCursor.storeBytes(of: UInt8(truncatingIfNeeded: byteCount), as: UInt8.self)
      if let start = bytes.baseAddress {
        unsafe (writeCursor + 1).copyMemory(from: start, byteCount: byteCount)
      }
      unsafe writeCursor += byteCount + 1
    } else {
      unsafe appendCountedBytesSlowly(bytes)
    }
  }

  @inline(never)
  private mutating func appendCountedBytesSlowly(_ bytes: UnsafeRawBufferPointer) {
    // Requests room for count and bytes together: a value that is too large writes nothing, not even its count.
    guard bytes.count <= Self.contentByteLimit, hasRoom(bytes.count + varintByteCount(UInt64(bytes.count))) else {
      _ = makeRoom(bytes.count)
      return
    }
    appendVarint(UInt64(bytes.count))
    unsafe appendBytes(bytes)
  }

  /// Refuses a content that cannot be written: the save throws ``StoreError/Code/cannotEncode`` with the reason.
  ///
  /// `writeContent` calls it, because it cannot throw. Further writes have no effect.
  public mutating func refuse(_ reason: String) { recordError(.invalidValue, reason) }

  /// Records the error if it is the first one, and stops all further writes.
  @usableFromInline @inline(never)
  mutating func recordError(_ code: DataBufferError.Code, _ message: String) {
    recordError(DataBufferError(code, message))
  }

  mutating func recordError(_ error: DataBufferError) {
    guard firstError == nil else { return }
    var error = error
    error.byteOffset = arena == nil ? position : writtenByteCount
    error.fieldNumber = fieldNumber
    firstError = error
    unsafe writeEnd = writeCursor
  }

  var notWritableMessage: String { "this buffer is read-only; write only in writeContent(to:)" }
}

// A composite value counts as one field, however many write methods it calls.
extension DataBuffer {
  @usableFromInline
  struct Composite {
    var fieldNumber: Int
    var byteOffset: Int
    var hadError: Bool
  }

  @usableFromInline
  mutating func beginComposite() -> Composite {
    fieldNumber &+= 1
    return Composite(fieldNumber: fieldNumber, byteOffset: writtenByteCount, hadError: firstError != nil)
  }

  @usableFromInline
  mutating func endComposite(_ composite: Composite) {
    if !composite.hadError { firstError?.fieldNumber = composite.fieldNumber }
    fieldNumber = composite.fieldNumber
  }

  /// Ends a collection, and records an error if its elements wrote too few bytes.
  ///
  /// Readers refuse a count that the remaining bytes could not hold at `minimumElementByteCount` bytes an element.
  @usableFromInline
  mutating func endComposite(_ composite: Composite, elementCount: Int, minimumElementByteCount: Int = 1) {
    let byteCount = writtenByteCount - composite.byteOffset - varintByteCount(UInt64(elementCount))
    let isTooShort = minimumElementByteCount > 1 && byteCount / minimumElementByteCount < elementCount
    if byteCount < elementCount || isTooShort {
      recordError(
        .invalidValue,
        minimumElementByteCount <= 1
          ? "every element of a collection must write at least one byte"
          : "an element of a collection wrote less than its minimumByteCount")
    }
    endComposite(composite)
  }
}

// Used by the store.
extension DataBuffer {
  /// The number of bytes kept free after the content at all times, for a record's trailer.
  static var trailerRoom: Int { 16 }

  /// Starts a record at the end of the arena, and leaves room for a header before its content.
  package mutating func beginRecord(version: UInt8, headerByteCount: Int) {
    self.version = version
    isOpen = arena != nil
    if firstError != nil { firstError = nil }
    fieldNumber = 0
    unsafe arenaReference?._withUnsafeGuaranteedRef { arena in
      recordStart = arena.count
      contentStart = recordStart + headerByteCount
      arena.reserve(contentStart + Self.trailerRoom)
      pointCursors(into: arena, writtenByteCount: 0, position: 0)
    }
  }

  /// Ends the record.
  ///
  /// The caller has already written the trailer after the content.
  ///
  /// - Parameter trailerByteCount: The size of the trailer, at most ``trailerRoom``.
  /// - Returns: The range of the whole record in the arena.
  package mutating func endRecord(trailerByteCount: Int) -> Range<Int> {
    let end = contentStart + writtenByteCount + trailerByteCount
    closeRecord(arenaCount: end)
    return recordStart..<end
  }

  /// Pads the content with `byteCount` bytes: zeros, and `byteCount` itself in the last two.
  mutating func writePadding(_ byteCount: Int) {
    guard hasRoom(byteCount) else { return }
    // In bounds: `hasRoom` has checked the size.
    unsafe writeCursor.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    unsafe (writeCursor + byteCount - 2).storeBytes(of: UInt16(byteCount).littleEndian, as: UInt16.self)
    unsafe writeCursor += byteCount
  }

  /// Discards the record, and returns the arena to its earlier size.
  package mutating func abandonRecord() {
    if isOpen { closeRecord(arenaCount: recordStart) }
  }

  /// Closes the buffer for reading and writing, so that the arena may move its memory.
  @inline(__always)
  private mutating func closeRecord(arenaCount: Int) {
    isOpen = false
    unsafe arenaReference?._withUnsafeGuaranteedRef { $0.count = arenaCount }
    unsafe writeCursor = UnsafeMutableRawPointer(mutating: readStart)
    unsafe writeEnd = writeCursor
    unsafe readCursor = readStart
    unsafe readEnd = readStart
  }
}
