extension Store {
  /// Returns the scope of the changes that can change what was read.
  ///
  /// An object that is in memory is read without a call of the store. It was reached through references, so the classes
  /// to which the properties of the read classes can refer are part of the scope.
  func scope(of reads: ReadTracker) throws(StoreError) -> ObservedScope {
    var types = reads.types
    for id in reads.rows { if let table = registry[id.classID] { types.append(table.type) } }
    // Collections may be made that are read as well.
    guard !reads.isWhole, !types.contains(where: { $0.isInCollections }),
      let types = ReferencedClasses.reachable(from: types)
    else { return .whole }
    var scope = ObservedScope()
    for type in types {
      guard let table = registry[type] else { continue }
      guard let classID = try table.classIDForReading() else { return .whole }
      scope.classes.insert(classID)
    }
    scope.includesNamedBuffers = reads.readsAllNamedBuffers || !reads.namedBuffers.isEmpty
    return scope
  }
}
