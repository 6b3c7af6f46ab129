/// The disk space of a class, or of another keyspace.
public struct SpaceUse: Sendable {
  /// The stored name of the class; nil for other keyspaces, such as indexes and the named buffers.
  public var className: String?
  public var fileByteCount: Int
  /// The approximate size of the file if it were compacted now.
  public var neededByteCount: Int

  /// The part of the file that compacting would free, from 0 to 1.
  public var fragmentation: Double {
    fileByteCount > 0 ? Double(fileByteCount - neededByteCount) / Double(fileByteCount) : 0
  }
}

extension Store {
  /// Returns the disk space that each class takes now, and would take after ``compact(progress:)``.
  ///
  /// The store can be used concurrently. Pending changes do not count, nor do commits that are only in the log.
  ///
  /// - Parameter progress: Called repeatedly; throwing from it ends the call.
  /// - Returns: An entry for each class that has records or had some, and for other keyspaces.
  /// - Throws: Errors of `progress`; ``StoreError``, such as ``StoreError/Code/damagedRecord`` or
  ///   ``StoreError/Code/notSupported``.
  /// - Complexity: O(*n* log *n*) in the records; their heads are read.
  public func spaceUse(progress: () throws -> Void = {}) throws -> [SpaceUse] {
    try begin()
    var uses: [SpaceUse] = []
    for keyspace in try onRecords({ sealing throws(BackendError) in try sealing.keyspaces() }) {
      var failure: (any Error)?
      let space: BackendSpace?
      do throws(StoreError) {
        space = try onEngine("measuring files") { engine throws(BackendError) in
          try engine.space(of: keyspace.id) { _, _ in
            do { try progress() } catch { failure = error }
            return failure == nil
          }
        }
      } catch {
        if let failure { throw failure }
        guard error.isOfDropped(keyspace) else { throw error }
        continue
      }
      guard let space, space.fileByteCount > 0 else { continue }
      let name = keyspace.isOfClass ? String(decoding: keyspace.name, as: UTF8.self) : nil
      uses.append(
        SpaceUse(className: name, fileByteCount: space.fileByteCount, neededByteCount: space.neededByteCount))
    }
    return uses
  }
}
