// The basis of all read methods: bounds checks, and errors.
extension DataBuffer {
  /// Returns whether at least `byteCount` more bytes can be read.
  @usableFromInline @inline(__always)
  mutating func hasBytes(_ byteCount: Int) -> Bool {
    unsafe readEnd - readCursor >= byteCount || hasWrittenBytes(byteCount)
  }

  /// Extends the readable range to all bytes written so far, then returns whether `byteCount` more bytes can be read.
  @usableFromInline @inline(never)
  mutating func hasWrittenBytes(_ byteCount: Int) -> Bool {
    guard arena != nil else { return false }
    unsafe readEnd = UnsafeRawPointer(writeCursor)
    return unsafe readEnd - readCursor >= byteCount
  }

  /// Returns the next bytes, and moves the read position past them.
  ///
  /// The bytes are valid until the next write.
  mutating func takeBytes(_ byteCount: Int) throws(DataBufferError) -> UnsafeRawBufferPointer {
    guard hasBytes(byteCount) else { throw truncated(byteCount) }
    let start = unsafe readCursor
    unsafe readCursor += byteCount
    return unsafe UnsafeRawBufferPointer(start: start, count: byteCount)
  }

  /// Reads a byte count, then returns this number of bytes, and moves the read position past them.
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
      throw readError(.truncated, "a length of \(byteCount) bytes was read, but fewer bytes are left")
    }
    return unsafe try takeBytes(Int(byteCount))
  }

  /// Reads an element count, and checks that the remaining bytes can hold so many elements.
  ///
  /// Use it in a reader for a collection type of your own. Once the count is checked, it is safe to reserve memory for
  /// it.
  ///
  /// - Parameter minimumElementByteCount: The smallest number of bytes that an element is written with. Values below 1
  ///   count as 1.
  /// - Returns: The number of elements that follow.
  /// - Throws: ``DataBufferError/Code/countTooLarge``, or an error of ``readVarUInt()``.
  public mutating func readCount(minimumElementByteCount: Int = 1) throws(DataBufferError) -> Int {
    let start = unsafe readCursor
    let count = try takeVarint()
    _ = hasBytes(Int.max)
    let available = unsafe readEnd - readCursor
    guard count <= UInt64(available / max(minimumElementByteCount, 1)) else {
      unsafe readCursor = start
      throw readError(.countTooLarge, "a count of \(count) elements was read, but only \(available) bytes are left")
    }
    return Int(count)
  }

  @usableFromInline @inline(never)
  func truncated(_ byteCount: Int) -> DataBufferError {
    readError(.truncated, "\(byteCount) more bytes are needed, but only \(unsafe readEnd - readCursor) are left")
  }

  /// Makes an error about the value at the read position.
  @inline(never)
  func readError(_ code: DataBufferError.Code, _ message: String) -> DataBufferError {
    DataBufferError(code, message, byteOffset: position)
  }

  /// Moves the read position back to the start of a value, and makes an error about it.
  @usableFromInline @inline(never)
  mutating func refuse(
    _ code: DataBufferError.Code, _ message: String, from start: UnsafeRawPointer
  ) -> DataBufferError {
    unsafe readCursor = start
    return readError(code, message)
  }
}

// Used by the store.
extension DataBuffer {
  /// Makes the buffer read other memory from now on, under the conditions of
  /// ``init(borrowing:owner:version:resolver:)``.
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

  /// Checks that all of the content was read, and that no write was attempted.
  ///
  /// The method is mutating only so that calling it copies nothing.
  @inline(__always)
  package mutating func finishReading() throws(DataBufferError) {
    if unsafe readCursor == readEnd, arena == nil, firstError == nil { return }
    try refuseRest()
  }

  @inline(never)
  private mutating func refuseRest() throws(DataBufferError) {
    guard isAtEnd else {
      throw readError(
        .trailingBytes, "\(remainingByteCount) bytes were not read: readContent does not match writeContent")
    }
    if let firstError { throw firstError }
  }
}
