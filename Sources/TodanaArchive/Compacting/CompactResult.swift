/// What a compaction did.
public struct CompactResult: Sendable {
  /// What no snapshot needs any more, and was removed.
  public var removedContents = 0
  public var removedSmallFiles = 0
  public var removedPages = 0
  /// Groups that were less than half in use, and were joined with others.
  public var rewrittenGroups = 0
  /// What is damaged in a file that has not become smaller for that; nil where nothing is.
  public var keptDamage: String?
  /// Of the archive's files.
  public var byteCountBefore: Int64 = 0
  public var byteCountAfter: Int64 = 0

  init() {}
}
