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
  /// The store can be used meanwhile, also by other threads; no save or fetch waits for more than a step of some
  /// milliseconds. What has been compacted stays so if an error, a loss of power or `progress` ends it; nothing else
  /// has changed then. Needs room on the disk for another copy of the largest class.
  ///
  /// Classes whose files waste much are compacted by themselves while they are changed, in the background; so this is
  /// for a program that wants every byte back, after deleting much, say.
  ///
  /// - Parameter progress: Called now and then; returning false ends the compaction.
  /// - Returns: The stored names of the classes whose files have become smaller.
  /// - Throws: ``StoreError``; ``StoreError/Code/damagedFile``, say, where a record cannot be read: its class stays as it
  ///   is, and the others have been compacted.
  /// - Complexity: O(*n* log *n*) in the records.
  @discardableResult
  public func compact(progress: (CompactionProgress) -> Bool = { _ in true }) throws(StoreError) -> [String] {
    try begin()
    var compacted: [String] = []
    var damage: StoreError?
    let structures = try onBackend { backend throws(BackendError) in try backend.structures() }
    for structure in structures {
      let name = structure.kind == .rows ? String(decoding: structure.name, as: UTF8.self) : nil
      var goesOn = true
      do throws(StoreError) {
        let isSmaller = try onBackend { backend throws(BackendError) in
          try backend.compact(structure.id) { done, total in
            let fraction = total > 0 ? Double(done) / Double(total) : 1
            goesOn = progress(CompactionProgress(className: name, fractionCompleted: fraction))
            return goesOn
          }
        }
        if isSmaller, let name { compacted.append(name) }
      } catch {
        guard (error.underlying as? BackendError)?.code == .damaged else { throw error }
        damage = damage ?? error
      }
      guard goesOn else { break }
    }
    if let damage { throw damage }
    return compacted
  }
}
