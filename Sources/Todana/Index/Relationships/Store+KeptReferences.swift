// References that are kept when their targets are deleted, and that objects do not show.
extension Store {
  /// Removes the kept references of an object whose content was just read to objects that do not exist.
  ///
  /// The record keeps them until the object is saved again.
  func removeAbsentTargets(of owner: StoredObject, in table: ClassTable) throws(StoreError) {
    for relationship in table.relationships where relationship.declaration.onTargetDelete == .keep {
      guard let removeTargets = relationship.declaration.removeTargets else { continue }
      var targets: [AnyObjectID] = []
      relationship.declaration.forEachTarget(owner) { targets.append($0) }
      let absent = try absentObjects(among: targets)
      if absent.isEmpty { continue }
      let isDecoding = owner.state.contains(.decoding)
      owner.state.insert(.decoding)
      removeTargets(owner) { absent.contains($0) }
      if !isDecoding { owner.state.remove(.decoding) }
    }
  }

  /// Removes the kept references of a class's pending objects to deleted objects, which cannot be written.
  func removeDeletedTargets(ofPendingObjectsOf table: ClassTable) {
    for relationship in table.relationships where relationship.declaration.onTargetDelete == .keep {
      guard let remove = relationship.declaration.removeDeletedTargets else { continue }
      for owner in table.pending.objects where !owner.state.contains(.deleted) && !owner.isFault { remove(owner) }
    }
  }

  /// Returns those of some objects that are neither in memory nor saved.
  private func absentObjects(among ids: [AnyObjectID]) throws(StoreError) -> Set<AnyObjectID> {
    var absent: Set<AnyObjectID> = []
    for id in ids {
      if let object = registry[id.classID]?.identity[id.rowID], !object.isFault || object.state.isPending { continue }
      let chunk = RecordChunk(byteCapacity: 64, recordLimit: 1, leavesOutValues: true)
      try read(rows: CollectionOfOne(id.rowID).span, of: id.classID, into: chunk)
      if chunk.slices.first?.status == .absent { absent.insert(id) }
    }
    return absent
  }
}
