extension Store {
  /// Releases memory that only makes the next reads faster: pages that were read from files, those of text indexes, and
  /// buffers.
  ///
  /// Pages of a store's files count as memory of the process until the system needs it for another purpose. A program
  /// with a memory limit calls this between two steps of a long task, or when memory is short, with
  /// ``turnCleanObjectsIntoFaults()``. Values of 64 KiB and more do not stay in memory in any case.
  ///
  /// A backend without memory of its own has nothing else to release.
  ///
  /// - Throws: ``StoreError`` if the store is closed.
  /// - Complexity: O(*n*) in the pages of the files that are open, about 1 ms for each 10 GB.
  public func releaseMemory() throws(StoreError) {
    try begin()
    (spareChunk, spareSmallChunk, spareIndexChunk, spareCopies) = (nil, nil, nil, nil)
    session.textIndexes.releaseMemory()
    guard backend.operations != nil else { return }
    try onEngine("releasing memory") { engine throws(BackendError) in try engine.releaseMemory() }
  }
}
