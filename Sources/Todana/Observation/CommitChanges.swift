/// What one commit of a store changed, as far as objects go.
public struct CommitChanges: Sendable {
  /// The number of the commit; 0 where ``isUnknown``.
  public var commitNumber: CommitNumber
  public var inserted: [AnyObjectID] = []
  public var updated: [AnyObjectID] = []
  public var deleted: [AnyObjectID] = []
  /// Whether anything may have changed: after a failed flush, or for who has not listened for long.
  public var isUnknown = false

  /// The classes that anything changed of.
  var classIDs: Set<KeyspaceID> {
    Set(inserted.map(\.classID)).union(updated.map(\.classID)).union(deleted.map(\.classID))
  }

  static let unknown: CommitChanges = {
    var changes = CommitChanges(commitNumber: 0)
    changes.isUnknown = true
    return changes
  }()
}
