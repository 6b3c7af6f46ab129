// What every writer stands on: room in the arena, and the first error.
extension DataBuffer {
  /// Makes room for so many bytes behind the cursor; false if they must not be written.
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

  /// Takes the arena's current memory for the content: up to its limit, and short of the room for the trailer.
  @inline(__always)
  mutating func pointCursors(into arena: ByteArena, writtenByteCount: Int, position: Int) {
    let start = unsafe arena.base + contentStart
    unsafe writeCursor = start + writtenByteCount
    unsafe writeEnd = start + min(arena.capacity - contentStart - Self.trailerRoom, Self.contentByteLimit)
    unsafe readStart = UnsafeRawPointer(start)
    unsafe readCursor = readStart + position
    unsafe readEnd = UnsafeRawPointer(writeCursor)
  }

  /// Bytes of content that were written.
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

  /// Appends bytes behind their count.
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
    // Asks for both at once, so that a value that is too large leaves nothing of itself, not even its count.
    guard bytes.count <= Self.contentByteLimit, hasRoom(bytes.count + varintByteCount(UInt64(bytes.count))) else {
      _ = makeRoom(bytes.count)
      return
    }
    appendVarint(UInt64(bytes.count))
    unsafe appendBytes(bytes)
  }

  /// Keeps the first error, and stops writing.
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

  var notWritableMessage: String { "this buffer can only be read; write in writeContent(to:) only" }
}

// Values that consist of values count as one field.
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

  /// Ends a collection, whose elements must have left so many bytes each, or no reader would take their count.
  @usableFromInline
  mutating func endComposite(_ composite: Composite, elementCount: Int, minimumElementByteCount: Int = 1) {
    let byteCount = writtenByteCount - composite.byteOffset - varintByteCount(UInt64(elementCount))
    let isTooShort = minimumElementByteCount > 1 && byteCount / minimumElementByteCount < elementCount
    if byteCount < elementCount || isTooShort {
      recordError(
        .invalidValue,
        minimumElementByteCount <= 1
          ? "every element of a collection has to write at least one byte"
          : "an element of a collection wrote less than its minimumByteCount")
    }
    endComposite(composite)
  }
}

// For the store.
extension DataBuffer {
  /// Room that is kept behind the content at all times, for what closes a record.
  static var trailerRoom: Int { 16 }

  /// Starts a record at the end of the arena, its content behind room for a header.
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

  /// Ends the record, whose closing bytes the caller has put behind the content; they are at most ``trailerRoom``.
  ///
  /// - Returns: Where, in the arena, the whole record stands.
  package mutating func endRecord(trailerByteCount: Int) -> Range<Int> {
    let end = contentStart + writtenByteCount + trailerByteCount
    closeRecord(arenaCount: end)
    return recordStart..<end
  }

  /// Fills the content up with so many bytes: zeros, and in the last two their number.
  mutating func writePadding(_ byteCount: Int) {
    guard hasRoom(byteCount) else { return }
    // In bounds: there is room.
    unsafe writeCursor.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    unsafe (writeCursor + byteCount - 2).storeBytes(of: UInt16(byteCount).littleEndian, as: UInt16.self)
    unsafe writeCursor += byteCount
  }

  /// Forgets the record: the arena is as it was before.
  package mutating func abandonRecord() {
    if isOpen { closeRecord(arenaCount: recordStart) }
  }

  /// Leaves nothing to read or write: from now on the arena may move.
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
