// References to objects of one class: the row id as a varint, 0 for nil. The reader supplies the class. References to
// objects in collections are written like those to objects of any class, because the reader does not know the
// collection.
extension DataBuffer {
  /// Writes a reference to an object of exactly this class, or nil.
  ///
  /// The object must be in the store that is saved; a reference does not insert it. The save throws ``DataBufferError``
  /// if the object is not inserted, belongs to another store, or has a pending delete. An instance of a subclass is an
  /// error, too; use ``writeAnyReference(_:)`` for it.
  @inlinable
  public mutating func writeReference<Object: StoredObject>(_ object: Object?) {
    fieldNumber &+= 1
    guard let object else { return appendByte(0) }
    appendReference(to: object, of: Object.self)
  }

  /// Writes the object count, then a reference to each object, in order.
  ///
  /// All objects must be of exactly this class; use ``writeAnyReferences(_:)`` for mixed classes. The other conditions
  /// of ``writeReference(_:)`` apply to each object.
  ///
  /// - Complexity: O(*n*); a reference takes 1 to 5 bytes if row ids are below 2^35.
  @inlinable
  public mutating func writeReferences<Object: StoredObject>(_ objects: [Object]) {
    let composite = beginComposite()
    appendVarint(UInt64(objects.count))
    unsafe objects.withUnsafeBufferPointer { unsafe appendReferences(StoredObjects($0), of: Object.self) }
    endComposite(composite)
  }

  /// Reads a reference written by ``writeReference(_:)``.
  ///
  /// The row is not checked for existence; loading the fault checks it.
  ///
  /// - Returns: The store's object of the row, or a new fault if it has none; nil if nil was written.
  /// - Throws: ``DataBufferError/Code/referenceUnknownClass`` if the store was not opened with the class,
  ///   ``DataBufferError/Code/referencesUnavailable`` in a buffer without a store; else the errors of
  ///   ``readVarUInt()``.
  @inlinable
  public mutating func readReference<Object: StoredObject>(
    _ type: Object.Type = Object.self
  ) throws(DataBufferError) -> Object? {
    guard let object = try takeReference(to: Object.self) else { return nil }
    // `takeReference` has checked that the object is of exactly this class.
    return unsafe unsafeDowncast(object, to: Object.self)
  }

  /// Reads a list of references, and returns the objects in the order in which they were written.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; else the errors of ``readReference(_:)``.
  @inlinable
  public mutating func readReferences<Object: StoredObject>(
    _ type: Object.Type = Object.self
  ) throws(DataBufferError) -> [Object] {
    let count = try readCount()
    guard count > 0 else { return [] }
    var failure: DataBufferError?
    let objects = unsafe [Object](unsafeUninitializedCapacity: count) { memory, initializedCount in
      do throws(DataBufferError) {
        unsafe try takeReferences(
          count, to: Object.self, into: UnsafeMutableRawPointer(memory.baseAddress), &initializedCount)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return objects
  }

  @usableFromInline
  mutating func appendReference(to object: StoredObject, of type: StoredObject.Type) {
    guard let encoder else { return recordError(referencesUnavailable) }
    do throws(DataBufferError) {
      if type.isInCollections {
        try check(object, is: type)
        return appendAnyReference(to: object, from: encoder)
      }
      appendVarint(try rowID(of: object, in: type, from: encoder))
    } catch {
      recordError(error)
    }
  }

  @usableFromInline
  mutating func appendReferences(_ objects: StoredObjects, of type: StoredObject.Type) {
    guard objects.count > 0 else { return }
    guard let encoder else { return recordError(referencesUnavailable) }
    if encoder.takeAll(objects) { return }
    if type.isInCollections {
      for index in 0..<objects.count where firstError == nil { appendReference(to: objects[index], of: type) }
      return
    }
    do throws(DataBufferError) {
      for index in 0..<objects.count {
        appendVarint(try rowID(of: objects[index], in: type, from: encoder))
      }
    } catch {
      recordError(error)
    }
  }

  @inline(__always)
  private func rowID(
    of object: StoredObject, in type: StoredObject.Type, from encoder: any ReferenceEncoder
  ) throws(DataBufferError) -> RowID {
    try check(object, is: type)
    return try encoder.rowID(of: object)
  }

  @inline(__always)
  private func check(_ object: StoredObject, is type: StoredObject.Type) throws(DataBufferError) {
    guard Swift.type(of: object) == type else {
      throw DataBufferError(
        .referenceWrongClass,
        "a reference to \(type) was given an object of \(Swift.type(of: object)); use writeAnyReference")
    }
  }

  @usableFromInline
  mutating func takeReference(to type: StoredObject.Type) throws(DataBufferError) -> StoredObject? {
    if type.isInCollections { return try takeReference(toCollected: type) }
    let start = unsafe readCursor
    let rowID = try takeVarint()
    guard rowID != 0 else { return nil }
    do throws(DataBufferError) {
      guard let resolver else { throw referencesUnavailable }
      return try resolver.object(classID: resolver.classID(of: type), rowID: rowID).checked(is: type)
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
    }
  }

  /// Reads a reference to an object in a collection.
  private mutating func takeReference(
    toCollected type: StoredObject.Type
  ) throws(DataBufferError) -> StoredObject? {
    let start = unsafe readCursor
    do throws(DataBufferError) {
      try resolver?.useCollections(of: type)
      return try takeAnyReference()?.checked(is: type)
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
    }
  }

  /// Initializes memory with `count` references.
  ///
  /// `initializedCount` is the number of initialized elements, even after an error. The resolver returns only objects
  /// of exactly this class, so the memory may belong to an array of the class.
  @usableFromInline
  mutating func takeReferences(
    _ count: Int, to type: StoredObject.Type, into memory: UnsafeMutableRawPointer?, _ initializedCount: inout Int
  ) throws(DataBufferError) {
    let first = unsafe readCursor
    do throws(DataBufferError) {
      guard let resolver, let memory = unsafe memory else { throw referencesUnavailable }
      if type.isInCollections {
        let objects = unsafe memory.assumingMemoryBound(to: StoredObject.self)
        while initializedCount < count {
          guard let object = try takeReference(toCollected: type) else {
            throw DataBufferError(.invalidValue, "a list of references contains nil")
          }
          unsafe (objects + initializedCount).initialize(to: object)
          initializedCount += 1
        }
        return
      }
      let classID = try resolver.classID(of: type)
      resolver.willResolve(count, of: classID)
      let objects = unsafe UnsafeMutableBufferPointer(
        start: memory.assumingMemoryBound(to: StoredObject.self), count: count)
      while initializedCount < count {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: objects[initializedCount...])
        unsafe try takeGroup(of: classID, as: type, from: resolver, into: rest, &initializedCount)
      }
    } catch {
      if type.isInCollections { throw error }
      // The failed value is the one after the initialized elements.
      unsafe readCursor = first
      for _ in 0..<initializedCount { _ = try takeVarint() }
      throw readError(error.code, error.message)
    }
  }

  /// Reads up to 64 references of a list: first the row ids, then the objects for all of them.
  private mutating func takeGroup(
    of classID: KeyspaceID, as type: StoredObject.Type, from resolver: any ReferenceResolver,
    into memory: UnsafeMutableBufferPointer<StoredObject>, _ initializedCount: inout Int
  ) throws(DataBufferError) {
    var failure: DataBufferError?
    let groupCount = min(memory.count, 64)
    unsafe withUnsafeTemporaryAllocation(of: RowID.self, capacity: groupCount) { rowIDs in
      var readCount = 0
      var output = unsafe OutputSpan(buffer: memory, initializedCount: 0)
      do throws(DataBufferError) {
        unsafe try takeRowIDs(into: rowIDs, &readCount)
      } catch {
        failure = error
      }
      do throws(DataBufferError) {
        let found = unsafe UnsafeBufferPointer(rebasing: rowIDs[..<readCount])
        unsafe try resolver.appendObjects(found.span, of: type, classID: classID, to: &output)
      } catch {
        failure = error
      }
      unsafe initializedCount += output.finalize(for: memory)
    }
    if let failure { throw failure }
  }

  private mutating func takeRowIDs(
    into rowIDs: UnsafeMutableBufferPointer<RowID>, _ readCount: inout Int
  ) throws(DataBufferError) {
    for index in rowIDs.indices {
      let rowID = try takeVarint()
      guard rowID != 0 else { throw DataBufferError(.invalidValue, "a list of references contains nil") }
      unsafe rowIDs.initializeElement(at: index, to: rowID)
      readCount = index + 1
    }
  }
}

let referencesUnavailable = DataBufferError(
  .referencesUnavailable, "references need a buffer that a store provides")

/// The objects of an array of any class, viewed as the base class without a cast for each.
@safe
@usableFromInline
package struct StoredObjects {
  @usableFromInline let base: UnsafeRawPointer?
  @usableFromInline package let count: Int

  /// Creates a view of the array's elements.
  ///
  /// - Parameter objects: The elements, which must stay in place while the view is used.
  @inlinable
  init<Object: StoredObject>(_ objects: UnsafeBufferPointer<Object>) {
    unsafe base = UnsafeRawPointer(objects.baseAddress)
    count = objects.count
  }

  /// Returns an object of the array.
  ///
  /// A reference to an instance of a subclass has the same bits as a reference to the base class.
  @inline(__always)
  package subscript(_ index: Int) -> StoredObject {
    unsafe base.unsafelyUnwrapped.load(fromByteOffset: index * MemoryLayout<StoredObject>.stride, as: StoredObject.self)
  }
}
