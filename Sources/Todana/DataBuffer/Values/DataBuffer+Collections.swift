// Arrays: a count, then the elements one after another.
extension DataBuffer {
  /// Writes the element count, then the elements.
  @inlinable
  public mutating func writeArray<Element: DataBufferValue>(_ elements: [Element]) {
    writeArray(elements, minimumElementByteCount: Element.minimumByteCount) { buffer, element in
      element.writeValue(to: &buffer)
    }
  }

  /// Writes the element count, then calls the closure to write each element.
  ///
  /// The closure must write at least one byte for each element.
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

  /// Reads an array of elements whose type has a reader of its own.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else the errors of the element type's reader.
  /// - Complexity: O(*n*). Besides the elements read, it reserves at most 16 times as much memory as there are
  ///   remaining bytes.
  @inlinable
  public mutating func readArray<Element: DataBufferValue>(
    _ type: Element.Type = Element.self
  ) throws(DataBufferError) -> [Element] {
    try readArray(minimumElementByteCount: Element.minimumByteCount) { (buffer) throws(DataBufferError) in
      try Element.readValue(from: &buffer)
    }
  }

  /// Reads an array, and calls the closure to read each element.
  ///
  /// ```swift
  /// points = try buffer.readArray(minimumElementByteCount: 8) { buffer in
  ///   Point(x: try buffer.readInt32(), y: try buffer.readInt32())
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - minimumElementByteCount: The smallest number of bytes that an element is written with. A count that the
  ///     remaining bytes could not hold is refused before an element is read.
  ///   - readElement: Reads one element.
  /// - Returns: The elements, in the order in which they were written.
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else the errors of the closure.
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

  /// Reads an array, and calls the closure, which throws only ``DataBufferError``, to read each element.
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

  /// Returns the number of elements to reserve memory for at once.
  ///
  /// The memory of large elements is limited, because the count has not been verified by reading them.
  @usableFromInline
  func justifiedCapacity<Element>(_ count: Int, of type: Element.Type) -> Int {
    let (byteCount, isOverflowing) = remainingByteCount.multipliedReportingOverflow(by: 16)
    return isOverflowing ? 0 : min(count, byteCount / MemoryLayout<Element>.stride)
  }
}
