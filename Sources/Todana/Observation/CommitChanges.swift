/// The objects that one commit of a store inserted, updated and deleted, and the named buffers that it changed.
public struct CommitChanges: Sendable {
  /// The number of the commit; 0 if ``isUnknown``.
  public var commitNumber: CommitNumber
  public var inserted: [AnyObjectID] = []
  public var updated: [AnyObjectID] = []
  public var deleted: [AnyObjectID] = []
  /// The names of written and removed named buffers.
  public var namedBuffers: [String] = []
  /// Whether anything may have changed: after a failed flush, after commits by other processes, or if the listener has
  /// fallen too far behind.
  public var isUnknown = false

  /// The classes with changed objects.
  var classIDs: Set<KeyspaceID> {
    Set(inserted.map(\.classID)).union(updated.map(\.classID)).union(deleted.map(\.classID))
  }

  static let unknown: CommitChanges = {
    var changes = CommitChanges(commitNumber: 0)
    changes.isUnknown = true
    return changes
  }()
}
