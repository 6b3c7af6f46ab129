/// Which snapshots stay, and why; which go.
public struct RetentionPlan: Sendable {
  /// Sorted by host, label, paths, tags.
  public let groups: [Group]

  /// Snapshots that were looked at together.
  public struct Group: Sendable {
    public let key: SnapshotGroupKey
    /// Newest first; of those of one time, the one that was stored last.
    public let entries: [Entry]
  }

  /// What becomes of a snapshot.
  public struct Entry: Sendable {
    public let snapshot: RetentionSnapshot
    /// The rules that keep it; none if it goes.
    public let reasons: [RetentionReason]
    public var isKept: Bool { !reasons.isEmpty }
  }

  /// In the order of groups and entries.
  public var kept: [RetentionSnapshot] { groups.flatMap(\.entries).filter(\.isKept).map(\.snapshot) }

  /// In the order of groups and entries.
  public var removed: [RetentionSnapshot] { groups.flatMap(\.entries).filter { !$0.isKept }.map(\.snapshot) }
}
