// What every reader stands on: the check that the bytes are there, and the errors.
extension DataBuffer {
  /// Whether so many bytes can be read.
  @usableFromInline @inline(__always)
  mutating func hasBytes(_ byteCount: Int) -> Bool {
    unsafe readEnd - readCursor >= byteCount || hasWrittenBytes(byteCount)
  }

  /// The same, for bytes that were written to this buffer since it last looked.
  @usableFromInline @inline(never)
  mutating func hasWrittenBytes(_ byteCount: Int) -> Bool {
    guard arena != nil else { return false }
    unsafe readEnd = UnsafeRawPointer(writeCursor)
    return unsafe readEnd - readCursor >= byteCount
  }

  /// Takes the next bytes; they are good until the next write.
  mutating func takeBytes(_ byteCount: Int) throws(DataBufferError) -> UnsafeRawBufferPointer {
    guard hasBytes(byteCount) else { throw truncated(byteCount) }
    let start = unsafe readCursor
    unsafe readCursor += byteCount
    return unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
  }

  /// Takes bytes that stand behind their count.
  @inline(__always)
  mutating func takeCountedBytes() throws(DataBufferError) -> UnsafeRawBufferPointer {
    let available = unsafe readEnd - readCursor
    if available > 0 {
      let byteCount = Int(unsafe readCursor.load(as: UInt8.self))
      if byteCount < 0x80, byteCount < available {
        let start = unsafe readCursor + 1
        unsafe readCursor = start + byteCount
        return unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
      }
    }
    return unsafe try takeCountedBytesSlowly()
  }

  @inline(never)
  private mutating func takeCountedBytesSlowly() throws(DataBufferError) -> UnsafeRawBufferPointer {
    let start = unsafe readCursor
    let byteCount = try takeVarint()
    guard byteCount <= UInt64(Int.max), hasBytes(Int(byteCount)) else {
      unsafe readCursor = start
      throw readError(.truncated, "\(byteCount) bytes are announced, and fewer are left")
    }
    return unsafe try takeBytes(Int(byteCount))
  }

  /// Reads how many elements follow, and checks that the bytes that are left can hold them.
  ///
  /// For collections that have no reader of their own: after this, it is safe to take memory for so many elements.
  /// `minimumElementByteCount` is the fewest bytes that an element was written with; less than 1 is taken as 1.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``, or what ``readVarUInt()`` throws.
  public mutating func readCount(minimumElementByteCount: Int = 1) throws(DataBufferError) -> Int {
    let start = unsafe readCursor
    let count = try takeVarint()
    _ = hasBytes(Int.max)
    let available = unsafe readEnd - readCursor
    guard count <= UInt64(available / max(minimumElementByteCount, 1)) else {
      unsafe readCursor = start
      throw readError(.countTooLarge, "\(count) elements are announced, and \(available) bytes are left")
    }
    return Int(count)
  }

  @usableFromInline @inline(never)
  func truncated(_ byteCount: Int) -> DataBufferError {
    readError(.truncated, "\(byteCount) more bytes are needed, and \(unsafe readEnd - readCursor) are left")
  }

  /// An error about the value at the cursor.
  @inline(never)
  func readError(_ code: DataBufferError.Code, _ message: String) -> DataBufferError {
    DataBufferError(code, message, byteOffset: position)
  }

  /// An error about a value that was just taken: puts the cursor back to its start.
  @usableFromInline @inline(never)
  mutating func refuse(
    _ code: DataBufferError.Code, _ message: String, from start: UnsafeRawPointer
  ) -> DataBufferError {
    unsafe readCursor = start
    return readError(code, message)
  }
}

// For the store.
extension DataBuffer {
  /// Reads other memory from now on, as ``init(borrowing:owner:version:resolver:)`` does.
  @inline(__always)
  package mutating func beginReading(_ bytes: UnsafeRawBufferPointer, version: UInt8) {
    guard let start = bytes.baseAddress else {
      unsafe readCursor = readStart
      unsafe readEnd = readStart
      self.version = version
      return
    }
    unsafe readStart = start
    unsafe readCursor = start
    unsafe readEnd = start + bytes.count
    unsafe writeCursor = UnsafeMutableRawPointer(mutating: start)
    unsafe writeEnd = writeCursor
    self.version = version
  }

  /// Checks that all of the content was read, and that nobody tried to write to it.
  ///
  /// (Mutating only so that a use of it copies nothing.)
  @inline(__always)
  package mutating func finishReading() throws(DataBufferError) {
    if unsafe readCursor == readEnd, arena == nil, firstError == nil { return }
    try refuseRest()
  }

  @inline(never)
  private mutating func refuseRest() throws(DataBufferError) {
    guard isAtEnd else {
      throw readError(.trailingBytes, "\(remainingByteCount) bytes were not read; reader and writer differ")
    }
    if let firstError { throw firstError }
  }
}
