/// The progress of a compaction.
public struct CompactionProgress: Sendable {
  /// The stored name of the class that is being compacted; nil for other keyspaces, such as indexes and the named
  /// buffers.
  public var className: String?
  /// The completed part of the class's work, from 0 to 1.
  public var fractionCompleted: Double
}

extension Store {
  /// Makes the store's files as small as possible.
  ///
  /// Removes the space left by deleted and changed records, and packs small neighbouring records together. Parts of
  /// indexes that are half empty are joined. Text indexes forget the words of texts that were changed or deleted; until
  /// then their files have these words.
  ///
  /// The store can be used concurrently, even by other threads. Saves and fetches wait at most for one step of some
  /// milliseconds. An error, a loss of power or `progress` may end the compaction at any time, and no record is lost.
  ///
  /// Takes at most ``StorageTuning/compactionRoomByteCount`` of space on the disk, 64 MiB by default. If a
  /// class's file cannot be copied within that space, it is compacted in place. Snapshots that are read concurrently
  /// keep the moved records, in memory and then in a temporary file.
  ///
  /// Classes whose files waste much space are compacted automatically in the background while they are changed. Call
  /// this to regain every byte, for example after many deletes.
  ///
  /// - Parameter progress: Called repeatedly; returning false ends the compaction.
  /// - Returns: The stored names of the classes whose files, those of their indexes included, have become smaller.
  /// - Throws: ``StoreError``; ``StoreError/Code/notSupported``. If a record is damaged, its class is compacted only in
  ///   part or not at all. The same holds if the disk has too little space to move a large record. The error is thrown
  ///   after the other classes were compacted. The message of ``BackendError/Code/noSpace`` says how much space is
  ///   missing.
  /// - Complexity: O(*n* log *n*) in the records.
  @discardableResult
  public func compact(progress: (CompactionProgress) -> Bool = { _ in true }) throws(StoreError) -> [String] {
    try begin()
    var compacted: [String] = []
    var failure: StoreError?
    var keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    /// Keeps the error of a class, after which the others are compacted; throws any other one.
    func keep(_ error: StoreError, of keyspace: Keyspace) throws(StoreError) {
      if error.isOfDropped(keyspace) { return }
      let code = (error.underlying as? BackendError)?.code
      guard code == .damaged || code == .noSpace else { throw error }
      failure = failure ?? error
    }
    for keyspace in keyspaces {
      guard let name = keyspace.textName, name.segment == nil else { continue }
      do throws(StoreError) {
        guard try removeFormerTexts(of: name, keyspace.id, progress) else { return compacted }
      } catch {
        try keep(error, of: keyspace)
      }
    }
    if keyspaces.contains(where: { $0.textName != nil }) {
      keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    }
    for keyspace in keyspaces {
      let name = keyspace.isOfClass ? String(decoding: keyspace.name, as: UTF8.self) : nil
      var goesOn = true
      do throws(StoreError) {
        let isSmaller = try onEngine("compaction") { engine throws(BackendError) in
          try engine.compact(keyspace.id) { done, total in
            let fraction = total > 0 ? Double(done) / Double(total) : 1
            goesOn = progress(CompactionProgress(className: name, fractionCompleted: fraction))
            return goesOn
          }
        }
        let className = keyspace.kind == .keys ? nil : keyspace.owningClassName
        if isSmaller, let className, !compacted.contains(className) { compacted.append(className) }
      } catch {
        try keep(error, of: keyspace)
      }
      guard goesOn else { break }
    }
    if let failure { throw failure }
    return compacted
  }

  /// Removes the rows from the segments of a text index that were changed or deleted since they were merged.
  ///
  /// - Returns: false if `progress` has ended this.
  private func removeFormerTexts(
    of name: TextKeyspaceName, _ tree: KeyspaceID, _ progress: (CompactionProgress) -> Bool
  ) throws(StoreError) -> Bool {
    struct Ended: Error {}
    do {
      try withoutActuallyEscaping(progress) { progress in
        let segments = TextSegmentMerge(self, name, tree) {
          if !progress(CompactionProgress(className: nil, fractionCompleted: 0)) { throw Ended() }
          if self.isClosed { throw StoreError(.closed, "The store was closed while it was compacted.") }
        }
        try segments.removeFormerRows()
      }
      return true
    } catch is Ended {
      return false
    } catch let error as BackendError {
      throw translate(error)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.backend, "\(error)", underlying: error)
    }
  }
}

extension StoreError {
  /// Whether the error says that the keyspace of a text index's segment no longer exists: a merge has replaced it.
  func isOfDropped(_ keyspace: Keyspace) -> Bool {
    keyspace.textName?.segment != nil && (underlying as? BackendError)?.code == .noSuchKeyspace
  }
}
