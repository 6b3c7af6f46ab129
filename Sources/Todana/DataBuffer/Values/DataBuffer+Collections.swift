// Arrays: a count, then the elements one after another.
extension DataBuffer {
  /// Writes the count and the elements.
  @inlinable
  public mutating func writeArray<Element: DataBufferValue>(_ elements: [Element]) {
    writeArray(elements, minimumElementByteCount: Element.minimumByteCount) { buffer, element in
      element.writeValue(to: &buffer)
    }
  }

  /// Writes the count, and for each element what the closure writes: at least one byte.
  ///
  /// ```swift
  /// buffer.writeArray(points) { buffer, point in
  ///   buffer.writeInt32(point.x)
  ///   buffer.writeInt32(point.y)
  /// }
  /// ```
  @inlinable
  public mutating func writeArray<Element>(
    _ elements: [Element], _ writeElement: (inout DataBuffer, Element) -> Void
  ) {
    writeArray(elements, minimumElementByteCount: 1, writeElement)
  }

  @inlinable
  mutating func writeArray<Element>(
    _ elements: [Element], minimumElementByteCount: Int, _ writeElement: (inout DataBuffer, Element) -> Void
  ) {
    let composite = beginComposite()
    appendVarint(UInt64(elements.count))
    for element in elements { writeElement(&self, element) }
    endComposite(composite, elementCount: elements.count, minimumElementByteCount: minimumElementByteCount)
  }

  /// Reads the elements of an array.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else what the elements' own reader throws.
  /// - Complexity: O(*n*). Takes no more than 16 times the memory of the bytes that are left, plus the elements read.
  @inlinable
  public mutating func readArray<Element: DataBufferValue>(
    _ type: Element.Type = Element.self
  ) throws(DataBufferError) -> [Element] {
    try readArray(minimumElementByteCount: Element.minimumByteCount) { (buffer) throws(DataBufferError) in
      try Element.readValue(from: &buffer)
    }
  }

  /// Reads the elements of an array by a closure that reads one.
  ///
  /// ```swift
  /// points = try buffer.readArray(minimumElementByteCount: 8) { buffer in
  ///   Point(x: try buffer.readInt32(), y: try buffer.readInt32())
  /// }
  /// ```
  ///
  /// `minimumElementByteCount` is the fewest bytes that an element was written with: a count that the bytes left could
  /// not hold is refused before anything is read.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else what the closure throws.
  @inlinable
  public mutating func readArray<Element>(
    minimumElementByteCount: Int = 1, _ readElement: (inout DataBuffer) throws -> Element
  ) throws -> [Element] {
    let count = try readCount(minimumElementByteCount: minimumElementByteCount)
    var elements: [Element] = []
    elements.reserveCapacity(justifiedCapacity(count, of: Element.self))
    for _ in 0..<count { elements.append(try readElement(&self)) }
    return elements
  }

  /// Reads the elements of an array by a closure that throws this error only.
  @inlinable
  public mutating func readArray<Element>(
    minimumElementByteCount: Int = 1, _ readElement: (inout DataBuffer) throws(DataBufferError) -> Element
  ) throws(DataBufferError) -> [Element] {
    let count = try readCount(minimumElementByteCount: minimumElementByteCount)
    var elements: [Element] = []
    elements.reserveCapacity(justifiedCapacity(count, of: Element.self))
    for _ in 0..<count { elements.append(try readElement(&self)) }
    return elements
  }

  /// How many elements to take memory for at once: large ones are not taken on trust.
  @usableFromInline
  func justifiedCapacity<Element>(_ count: Int, of type: Element.Type) -> Int {
    let (byteCount, isOverflowing) = remainingByteCount.multipliedReportingOverflow(by: 16)
    return isOverflowing ? 0 : min(count, byteCount / MemoryLayout<Element>.stride)
  }
}
