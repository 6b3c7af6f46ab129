/// Returns a hash of an object's content, which shows later in this process whether the object was changed.
///
/// A reference is hashed by the instance that it leads to. The hash does not change when that instance is saved or
/// deleted, because the object keeps it alive. A class may write a set in iteration order, which is stable as long as
/// the set is not modified.
func fingerprint(of object: StoredObject) -> UInt64 {
  let content = ByteArena()
  var buffer = DataBuffer(arena: content, encoder: InstanceNumbers())
  buffer.beginRecord(version: type(of: object).version, headerByteCount: 0)
  object.writeContent(to: &buffer)
  guard buffer.firstError == nil else { return 0 }
  _ = buffer.endRecord(trailerByteCount: 0)
  var hasher = Hasher()
  unsafe hasher.combine(bytes: content.bytes)
  return UInt64(truncatingIfNeeded: hasher.finalize())
}

private final class InstanceNumbers: ReferenceEncoder {
  func rowID(of object: StoredObject) -> RowID { RowID(UInt(bitPattern: ObjectIdentifier(object))) }

  func rowID(ofRow rowID: RowID, of type: StoredObject.Type, in store: Store) -> RowID? { rowID }

  func reference(to object: StoredObject) -> ObjectReference {
    ObjectReference(classID: KeyspaceID(rawValue: 0), rowID: rowID(of: object))
  }
}

extension Store {
  /// Stores the fingerprint of a loaded object, if the store is configured to detect unannounced changes.
  @inline(__always)
  func noteFingerprint(_ object: StoredObject, of table: ClassTable) {
    if configuration.detectsUnannouncedChanges { table.fingerprints[object.rowID] = fingerprint(of: object) }
  }

  /// Throws ``StoreError/Code/changedWithoutWillUpdate`` if loaded objects were changed without an announcement.
  func checkForUnannouncedChanges() throws(StoreError) {
    guard configuration.detectsUnannouncedChanges else { return }
    var changed: [AnyObjectID] = []
    for table in registry.tables where !table.fingerprints.isEmpty {
      for object in table.identity.objects() {
        guard !object.isFault, !object.state.isPending, let known = table.fingerprints[object.rowID] else { continue }
        if fingerprint(of: object) != known, let id = object.anyID { changed.append(id) }
      }
    }
    guard !changed.isEmpty else { return }
    throw StoreError(
      .changedWithoutWillUpdate,
      "Objects were changed without willUpdate() or Store.update, so their changes would be lost.",
      objectIDs: changed.sorted())
  }
}
