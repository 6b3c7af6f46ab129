// Sets of references to objects of any class: the number of members, then each as a reference to an object of any class,
// in ascending order.
extension DataBuffer {
  /// Writes the references of a set in the order of their identities.
  ///
  /// A copy of the content within the process keeps the set itself, with its objects in no store.
  package mutating func writeReferenceSet(_ set: ReferenceSet) {
    if firstError == nil, let number = encoder?.keep(set) {
      fieldNumber &+= 1
      return appendVarint(UInt64(number))
    }
    let composite = beginComposite()
    var ids = set.ids
    for object in set.objects where firstError == nil {
      guard let encoder else { return recordError(referencesUnavailable) }
      do throws(DataBufferError) {
        // The encoder of a fingerprint has other numbers for objects, but the bytes must not change when the set keeps
        // the identities of saved objects only.
        let reference = try encoder.reference(to: object)
        ids.insert(object.anyID ?? AnyObjectID(classID: reference.classID, rowID: reference.rowID))
      } catch {
        recordError(error)
      }
    }
    appendVarint(UInt64(ids.count))
    for id in ids.sorted() {
      appendVarint(UInt64(id.classID.rawValue) + 1)
      appendVarint(id.rowID)
    }
    endComposite(composite)
  }

  /// Reads a set of references; makes no objects.
  ///
  /// - Throws: ``DataBufferError/Code/countTooLarge``; ``DataBufferError/Code/invalidValue``, also if the references are
  ///   not in ascending order.
  package mutating func readReferenceSet() throws(DataBufferError) -> ReferenceSet {
    if let resolver, resolver.keepsValues {
      guard let set = resolver.keptValue(Int(truncatingIfNeeded: try readVarUInt())) as? ReferenceSet else {
        throw DataBufferError(.invalidValue, "the set of references was not written here")
      }
      return set
    }
    let count = try readCount(minimumElementByteCount: 2)
    var ids = Set<AnyObjectID>(minimumCapacity: count)
    var last: AnyObjectID?
    for _ in 0..<count {
      let id = try readObjectID()
      if let last, id <= last {
        throw readError(.invalidValue, "the references of a set are not in ascending order")
      }
      last = id
      ids.insert(id)
    }
    return ReferenceSet(ids)
  }

  /// Whether the content that is read is a copy that was made within the process, and not a record.
  package var isOfCopy: Bool { resolver?.keepsValues ?? false }
}
