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
    arena.reserve(contentStart + used + byteCount)
    pointCursors(into: arena, writtenByteCount: used, position: position)
    return true
  }

  /// Takes the arena's current memory for the content.
  func writableEnd(of arena: ByteArena) -> UnsafeMutableRawPointer {
    unsafe arena.base + contentStart + min(arena.capacity - contentStart, Self.contentByteLimit)
  }

  mutating func pointCursors(into arena: ByteArena, writtenByteCount: Int, position: Int) {
    let start = unsafe arena.base + contentStart
    unsafe writeCursor = start + writtenByteCount
    unsafe writeEnd = writableEnd(of: arena)
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

  /// Ends a collection. Its elements must have left at least a byte each, or no reader would take their count.
  @usableFromInline
  mutating func endComposite(_ composite: Composite, elementCount: Int) {
    let byteCount = writtenByteCount - composite.byteOffset - varintByteCount(UInt64(elementCount))
    if byteCount < elementCount {
      recordError(.invalidValue, "every element of a collection has to write at least one byte")
    }
    endComposite(composite)
  }
}

// For the store.
extension DataBuffer {
  /// Starts a record at the end of the arena, its content behind room for a header.
  package mutating func beginRecord(version: UInt8, headerByteCount: Int) {
    guard let arena else { return recordError(.notWritable, notWritableMessage) }
    recordStart = arena.count
    contentStart = recordStart + headerByteCount
    arena.reserve(contentStart)
    self.version = version
    isOpen = true
    firstError = nil
    fieldNumber = 0
    pointCursors(into: arena, writtenByteCount: 0, position: 0)
  }

  /// Ends the record, the arena's count behind its content and room for a trailer.
  ///
  /// - Returns: Where, in the arena, the record's header and content stand.
  /// - Throws: The first error; then the arena is as it was before the record.
  package mutating func endRecord(
    trailerByteCount: Int
  ) throws(DataBufferError) -> (arena: ByteArena, recordStart: Int, contentEnd: Int) {
    guard isOpen, let arena else { throw DataBufferError(.notWritable, "no record was begun") }
    let contentEnd = contentStart + writtenByteCount
    isOpen = false
    if let firstError {
      arena.count = recordStart
      forgetCursors(into: arena)
      throw firstError
    }
    arena.count = contentEnd
    arena.reserve(contentEnd + trailerByteCount)
    forgetCursors(into: arena)
    return (arena, recordStart, contentEnd)
  }

  /// Leaves nothing to read or write: from now on the arena may move.
  private mutating func forgetCursors(into arena: ByteArena) {
    unsafe writeCursor = arena.base
    unsafe writeEnd = writeCursor
    unsafe readStart = UnsafeRawPointer(writeCursor)
    unsafe readCursor = readStart
    unsafe readEnd = readStart
  }
}
