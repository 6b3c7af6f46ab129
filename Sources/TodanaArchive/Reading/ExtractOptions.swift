/// Which files of a snapshot are restored, and how existing ones are treated.
public struct ExtractOptions: Sendable {
  /// Paths in the snapshot; none: everything.
  public var paths: [[UInt8]] = []
  /// Patterns of files that are left out.
  public var filter = FilterOptions()
  public var restoring = RestoreOptions()
  /// Whether nothing is written: the target is compared, and the result says what would be done.
  public var isDryRun = false
  /// What became of a file or directory.
  public enum Outcome: Sendable, Hashable {
    case restored
    /// It existed with the right length and time, or, where that is compared, with the right content and metadata.
    case right
    /// It existed with the right content, and got its metadata.
    case updated
    /// Another one existed, and kept its content.
    case kept
    /// It cannot be made by this process, as devices by other users than root.
    case leftOut
  }
  /// Called for each file and directory, by the thread that extracts, when its outcome is known.
  ///
  /// Files are not always in the order of the snapshot. Failures are in ``ExtractProgress/failures`` only. Throws to end
  /// the extraction.
  public var visit: (@Sendable (_ path: [UInt8], _ outcome: Outcome) throws -> Void)?

  public init() {}
}
