// References to objects of any class: class id + 1 as a varint, 0 for nil, then the row id as a varint.
extension DataBuffer {
  /// Writes a reference to an object of any class that the store was opened with, or nil.
  ///
  /// The object must be in the store that is saved; a reference does not insert it.
  public mutating func writeAnyReference(_ object: StoredObject?) {
    fieldNumber &+= 1
    guard let object else { return appendByte(0) }
    guard let encoder else { return recordError(referencesUnavailable) }
    appendAnyReference(to: object, from: encoder)
  }

  /// Writes the object count, then a reference to each object, in order; classes may differ.
  @inlinable
  public mutating func writeAnyReferences<Object: StoredObject>(_ objects: [Object]) {
    let composite = beginComposite()
    appendVarint(UInt64(objects.count))
    unsafe objects.withUnsafeBufferPointer { unsafe appendAnyReferences(StoredObjects($0)) }
    endComposite(composite)
  }

  /// Reads a reference written by ``writeAnyReference(_:)``.
  ///
  /// - Returns: The store's object of the row, or a new fault if it has none; nil if nil was written.
  /// - Throws: The errors of ``readReference(_:)``.
  public mutating func readAnyReference() throws(DataBufferError) -> StoredObject? {
    let start = unsafe readCursor
    do throws(DataBufferError) {
      return try takeAnyReference()
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
    }
  }

  /// Reads a list of references to objects of any class, and returns the objects in order.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else the errors of ``readReference(_:)``.
  public mutating func readAnyReferences() throws(DataBufferError) -> [StoredObject] {
    let count = try readCount(minimumElementByteCount: 2)
    var objects: [StoredObject] = []
    objects.reserveCapacity(count)
    for _ in 0..<count {
      let start = unsafe readCursor
      do throws(DataBufferError) {
        guard let object = try takeAnyReference() else {
          throw DataBufferError(.invalidValue, "a list of references contains nil")
        }
        objects.append(object)
      } catch {
        throw unsafe refuse(error.code, error.message, from: start)
      }
    }
    return objects
  }

  @usableFromInline
  mutating func appendAnyReferences(_ objects: StoredObjects) {
    guard objects.count > 0 else { return }
    guard let encoder else { return recordError(referencesUnavailable) }
    for index in 0..<objects.count where firstError == nil {
      appendAnyReference(to: objects[index], from: encoder)
    }
  }

  mutating func appendAnyReference(to object: StoredObject, from encoder: any ReferenceEncoder) {
    do throws(DataBufferError) {
      let reference = try encoder.reference(to: object)
      appendVarint(UInt64(reference.classID.rawValue) + 1)
      appendVarint(reference.rowID)
    } catch {
      recordError(error)
    }
  }

  /// Reads a reference; after an error, the caller must reset the read position.
  mutating func takeAnyReference() throws(DataBufferError) -> StoredObject? {
    let classNumber = try takeVarint()
    guard classNumber != 0 else { return nil }
    guard let classID = UInt32(exactly: classNumber - 1) else {
      throw DataBufferError(.invalidValue, "a class id does not fit 32 bits")
    }
    let rowID = try takeVarint()
    guard rowID != 0 else { throw DataBufferError(.invalidValue, "a reference has a class but no row") }
    guard let resolver else { throw referencesUnavailable }
    return try resolver.object(classID: KeyspaceID(rawValue: classID), rowID: rowID)
  }
}
