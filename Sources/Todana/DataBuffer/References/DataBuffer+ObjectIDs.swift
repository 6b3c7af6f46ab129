// Identities of objects: class id and row id as varints, in the format of a reference to an object of any class.
extension DataBuffer {
  /// Writes the identity of an object, which need not exist any more.
  ///
  /// Unlike a reference, it makes no object when it is read. It is written as by ``writeAnyReference(_:)``.
  public mutating func writeObjectID(_ id: AnyObjectID) {
    fieldNumber &+= 1
    appendVarint(UInt64(id.classID.rawValue) + 1)
    appendVarint(id.rowID)
  }

  /// Writes the identity of an object, which need not exist any more.
  public mutating func writeObjectID<T: StoredObject>(_ id: ObjectID<T>) { writeObjectID(id.untyped) }

  /// Writes the identity of an object, or nil.
  public mutating func writeOptionalObjectID<T: StoredObject>(_ id: ObjectID<T>?) { writeOptional(id) }

  /// Reads an identity.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue``; else as ``readVarUInt()``.
  public mutating func readObjectID() throws(DataBufferError) -> AnyObjectID {
    let start = unsafe readCursor
    do throws(DataBufferError) {
      let classNumber = try takeVarint()
      guard classNumber != 0, let classID = UInt32(exactly: classNumber - 1) else {
        throw DataBufferError(.invalidValue, "an identity has no class, or its number does not fit 32 bits")
      }
      let rowID = try takeVarint()
      guard rowID != 0 else { throw DataBufferError(.invalidValue, "an identity has a class but no row") }
      return AnyObjectID(classID: KeyspaceID(rawValue: classID), rowID: rowID)
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
    }
  }

  /// Reads an identity of a `T`; a fetch checks the class.
  ///
  /// - Throws: As ``readObjectID()``.
  public mutating func readObjectID<T: StoredObject>(of type: T.Type = T.self) throws(DataBufferError) -> ObjectID<T> {
    ObjectID(unchecked: try readObjectID())
  }

  /// Reads an identity of a `T`, or nil.
  ///
  /// - Throws: As ``readObjectID()``.
  public mutating func readOptionalObjectID<T: StoredObject>(
    of type: T.Type = T.self
  ) throws(DataBufferError) -> ObjectID<T>? {
    try readOptional(ObjectID<T>.self)
  }
}

extension AnyObjectID: DataBufferValue {
  public static var minimumByteCount: Int { 2 }

  public func writeValue(to buffer: inout DataBuffer) { buffer.writeObjectID(self) }

  public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> AnyObjectID {
    try buffer.readObjectID()
  }
}

extension ObjectID: DataBufferValue {
  public static var minimumByteCount: Int { 2 }

  public func writeValue(to buffer: inout DataBuffer) { buffer.writeObjectID(untyped) }

  public static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> ObjectID {
    ObjectID(unchecked: try buffer.readObjectID())
  }
}
