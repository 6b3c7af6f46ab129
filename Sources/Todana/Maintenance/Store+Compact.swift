/// How far a compaction is.
public struct CompactionProgress: Sendable {
  /// The stored name of the class that is being looked at; nil for the named buffers.
  public var className: String?
  /// The part of that class's work that is done, from 0 to 1.
  public var fractionCompleted: Double
}

extension Store {
  /// Makes the store's files as small as they get: takes out the space that deleted and changed records left behind, and
  /// packs small neighbouring records together.
  ///
  /// The store can be used concurrently, also by other threads; no save or fetch waits for more than a step of some
  /// milliseconds. An error, a loss of power or `progress` may end the compaction at any time, and no record is lost.
  ///
  /// Takes at most ``KyotoBackend/Options/compactionRoomByteCount`` of room on the disk, 64 MiB by default: a class whose
  /// file cannot be copied in that room is compacted in place. Where snapshots are read concurrently, they keep the records
  /// that are moved, in memory and then in a temporary file.
  ///
  /// Classes whose files waste much are compacted by themselves while they are changed, in the background; so this is
  /// for a program that wants every byte back, after deleting much, say.
  ///
  /// - Parameter progress: Called now and then; returning false ends the compaction.
  /// - Returns: The stored names of the classes whose files have become smaller.
  /// - Throws: ``StoreError``. If a record is damaged, or the disk has too little room for a large record to be moved, its
  ///   class is compacted in part or not at all, the others are compacted, and then the error is thrown: the message of
  ///   ``BackendError/Code/noSpace`` says how much room is missing. ``StoreError/Code/notSupported``.
  /// - Complexity: O(*n* log *n*) in the records.
  @discardableResult
  public func compact(progress: (CompactionProgress) -> Bool = { _ in true }) throws(StoreError) -> [String] {
    try begin()
    var compacted: [String] = []
    var failure: StoreError?
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    for keyspace in keyspaces {
      let name = keyspace.kind == .rows ? String(decoding: keyspace.name, as: UTF8.self) : nil
      var goesOn = true
      do throws(StoreError) {
        let isSmaller = try onEngine("compaction") { engine throws(BackendError) in
          try engine.compact(keyspace.id) { done, total in
            let fraction = total > 0 ? Double(done) / Double(total) : 1
            goesOn = progress(CompactionProgress(className: name, fractionCompleted: fraction))
            return goesOn
          }
        }
        if isSmaller, let name { compacted.append(name) }
      } catch {
        let code = (error.underlying as? BackendError)?.code
        guard code == .damaged || code == .noSpace else { throw error }
        failure = failure ?? error
      }
      guard goesOn else { break }
    }
    if let failure { throw failure }
    return compacted
  }
}
