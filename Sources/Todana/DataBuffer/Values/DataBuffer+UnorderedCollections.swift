// Sets and dictionaries: a count, then the entries, sorted by their bytes. Equal values thus have equal bytes.
extension DataBuffer {
  /// Writes the count, then the elements, sorted by their bytes.
  ///
  /// - Complexity: O(*n* log *n*); needs additional memory to sort the elements.
  @inlinable
  public mutating func writeSet<Element: DataBufferValue>(_ elements: Set<Element>) {
    let composite = beginComposite()
    appendVarint(UInt64(elements.count))
    let start = writtenByteCount
    var ends: [Int] = []
    ends.reserveCapacity(elements.count)
    for element in elements {
      element.writeValue(to: &self)
      ends.append(writtenByteCount)
    }
    orderEntries(from: start, ends: ends)
    endComposite(composite, elementCount: elements.count, minimumElementByteCount: Element.minimumByteCount)
  }

  /// Writes the count, then the entries, sorted by their bytes: each key, followed by its value.
  ///
  /// - Complexity: O(*n* log *n*); needs additional memory to sort the entries.
  @inlinable
  public mutating func writeDictionary<Key: DataBufferValue, Value: DataBufferValue>(_ entries: [Key: Value]) {
    let composite = beginComposite()
    appendVarint(UInt64(entries.count))
    let start = writtenByteCount
    var ends: [Int] = []
    ends.reserveCapacity(entries.count)
    for (key, value) in entries {
      key.writeValue(to: &self)
      value.writeValue(to: &self)
      ends.append(writtenByteCount)
    }
    orderEntries(from: start, ends: ends)
    endComposite(
      composite, elementCount: entries.count, minimumElementByteCount: Key.minimumByteCount + Value.minimumByteCount)
  }

  /// Reads a set written by ``writeSet(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``, ``DataBufferError/Code/invalidValue`` if an element occurs
  ///   twice; else the errors of the element type's reader.
  @inlinable
  public mutating func readSet<Element: DataBufferValue>(
    _ type: Element.Type = Element.self
  ) throws(DataBufferError) -> Set<Element> {
    let start = unsafe readCursor
    let count = try readCount(minimumElementByteCount: Element.minimumByteCount)
    var elements: Set<Element> = []
    elements.reserveCapacity(justifiedCapacity(count, of: Element.self))
    for _ in 0..<count {
      guard elements.insert(try Element.readValue(from: &self)).inserted else {
        throw unsafe refuse(.invalidValue, "a set contains an element twice", from: start)
      }
    }
    return elements
  }

  /// Reads a dictionary written by ``writeDictionary(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``, ``DataBufferError/Code/invalidValue`` if a key occurs twice;
  ///   else the errors of the readers of the key and value types.
  @inlinable
  public mutating func readDictionary<Key: DataBufferValue, Value: DataBufferValue>(
    _ keyType: Key.Type = Key.self, _ valueType: Value.Type = Value.self
  ) throws(DataBufferError) -> [Key: Value] {
    let start = unsafe readCursor
    let count = try readCount(minimumElementByteCount: Key.minimumByteCount + Value.minimumByteCount)
    var entries: [Key: Value] = [:]
    entries.reserveCapacity(justifiedCapacity(count, of: (Key, Value).self))
    for _ in 0..<count {
      let key = try Key.readValue(from: &self)
      guard entries.updateValue(try Value.readValue(from: &self), forKey: key) == nil else {
        throw unsafe refuse(.invalidValue, "a dictionary contains a key twice", from: start)
      }
    }
    return entries
  }

  /// Sorts consecutive entries by their bytes.
  ///
  /// `ends` has the offset of each entry's end in the content.
  @usableFromInline
  mutating func orderEntries(from start: Int, ends: [Int]) {
    guard ends.count > 1, firstError == nil else { return }
    let content = unsafe allBytes
    let copy = unsafe Array(content[start...])
    var entries: [Range<Int>] = []
    entries.reserveCapacity(ends.count)
    for end in ends { entries.append((entries.last?.upperBound ?? 0)..<(end - start)) }
    entries.sort { copy[$0].lexicographicallyPrecedes(copy[$1]) }
    // In bounds: the entries have equal bytes in total, only in another order.
    unsafe writeCursor -= copy.count
    for entry in entries { unsafe copy[entry].withUnsafeBytes { unsafe appendBytes($0) } }
  }
}
