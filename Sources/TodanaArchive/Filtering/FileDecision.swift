/// Whether something belongs into a snapshot.
public enum FileDecision: Sendable, Hashable {
  case include
  /// The directory belongs into it, and nothing that lies in it; it is not to be entered.
  case includeWithoutContent(Reason)
  /// It is left out, and so is all that lies in it; it is not to be entered.
  case exclude(Reason)

  /// Why something is left out.
  @nonexhaustive
  public enum Reason: Sendable, Hashable, CustomStringConvertible {
    /// The rule that decided.
    case rule(PatternRule)
    /// It lies in a directory with a ``CacheDirectoryTag``.
    case cacheDirectory
    /// It lies in a directory with something of this name.
    case markedDirectory([UInt8])
    /// It is the archive that the snapshot is for.
    case archive
    /// It has more bytes than the limit.
    case largerThan(ByteSize)
    /// It lies on another device than the root.
    case otherFileSystem

    /// For `--dry-run --verbose`: `excluded by “*.o” (src/.todanaignore, line 3)`.
    public var description: String {
      switch self {
      case .rule(let rule): "excluded by \(rule)"
      case .cacheDirectory: "in a cache directory (--exclude-caches)"
      case .markedDirectory(let name): "in a directory with “\(printable(name))” (--exclude-if-present)"
      case .archive: "the archive itself"
      case .largerThan(let limit): "larger than \(limit) (--exclude-larger-than)"
      case .otherFileSystem: "on another file system (--one-file-system)"
      }
    }
  }
}
