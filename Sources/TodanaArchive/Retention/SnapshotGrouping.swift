/// Which snapshots are looked at together: those that have all of this in common.
public struct SnapshotGrouping: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let host = SnapshotGrouping(rawValue: 1)
  public static let paths = SnapshotGrouping(rawValue: 2)
  public static let tags = SnapshotGrouping(rawValue: 4)

  /// By host and paths.
  public static let standard: SnapshotGrouping = [.host, .paths]

  /// Reads `host`, `paths` and `tags` with commas between them; an empty text puts all snapshots into one group.
  ///
  /// - Throws: ``RetentionError/Code/invalidGrouping`` for any other word.
  public init(_ text: String) throws(RetentionError) {
    self = []
    if text.isEmpty { return }
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      switch word {
      case "host", "hosts": insert(.host)
      case "path", "paths": insert(.paths)
      case "tag", "tags": insert(.tags)
      default:
        throw RetentionError(
          .invalidGrouping,
          "Snapshots cannot be grouped by “\(PrintableBytes.text(of: Array(word.utf8)))”: write host, paths or tags, with commas between them."
        )
      }
    }
  }
}

/// What the snapshots of a group have in common; nil where they are not grouped by it.
public struct SnapshotGroupKey: Sendable, Hashable, CustomStringConvertible {
  public let host: String?
  /// Sorted, each once.
  public let paths: [[UInt8]]?
  /// Sorted, each once.
  public let tags: [String]?

  init(_ snapshot: RetentionSnapshot, by grouping: SnapshotGrouping) {
    host = grouping.contains(.host) ? snapshot.host : nil
    paths =
      grouping.contains(.paths) ? Set(snapshot.paths).sorted { $0.lexicographicallyPrecedes($1) } : nil
    tags = grouping.contains(.tags) ? Set(snapshot.tags).sorted() : nil
  }

  /// By host, then paths, then tags.
  static func isBefore(_ one: SnapshotGroupKey, _ other: SnapshotGroupKey) -> Bool {
    if one.host != other.host { return one.host ?? "" < other.host ?? "" }
    if one.paths != other.paths {
      return (one.paths ?? []).lexicographicallyPrecedes(other.paths ?? []) { $0.lexicographicallyPrecedes($1) }
    }
    return (one.tags ?? []).lexicographicallyPrecedes(other.tags ?? [])
  }

  /// Such as `host ann, paths /home /etc`.
  public var description: String {
    var parts: [String] = []
    if let host { parts.append("host \(PrintableBytes.text(of: Array(host.utf8)))") }
    if let paths { parts.append("paths \(paths.map(PrintableBytes.text(of:)).joined(separator: " "))") }
    if let tags {
      parts.append(
        tags.isEmpty ? "no tags" : "tags \(PrintableBytes.text(of: Array(tags.joined(separator: ",").utf8)))")
    }
    return parts.isEmpty ? "all snapshots" : parts.joined(separator: ", ")
  }
}
