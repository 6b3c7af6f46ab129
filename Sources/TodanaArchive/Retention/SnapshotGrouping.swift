/// The properties by which snapshots are grouped: the snapshots of a group have equal values of all these properties.
public struct SnapshotGrouping: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let host = SnapshotGrouping(rawValue: 1)
  public static let paths = SnapshotGrouping(rawValue: 2)
  public static let tags = SnapshotGrouping(rawValue: 4)
  public static let label = SnapshotGrouping(rawValue: 8)

  /// Grouping by host and paths; snapshots with a label are grouped by it instead of their paths.
  public static let standard: SnapshotGrouping = [.host, .paths]

  /// Parses `host`, `paths`, `label` and `tags`, separated by commas; an empty text puts all snapshots into one group.
  ///
  /// - Throws: ``ArgumentError/Code/invalidGrouping`` for any other word.
  public init(_ text: String) throws(ArgumentError) {
    self = []
    if text.isEmpty { return }
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      switch word {
      case "host", "hosts": insert(.host)
      case "path", "paths": insert(.paths)
      case "label", "labels": insert(.label)
      case "tag", "tags": insert(.tags)
      default:
        throw ArgumentError(
          .invalidGrouping,
          "Snapshots cannot be grouped by “\(printable(String(word)))”: "
            + "use host, paths, label or tags, separated by commas."
        )
      }
    }
  }
}

/// The common properties of a group's snapshots; a property that is not grouped by is nil.
public struct SnapshotGroupKey: Sendable, Hashable, CustomStringConvertible {
  public let host: String?
  /// The paths, sorted and without duplicates; nil if they are not grouped by, and for snapshots with a label.
  public let paths: [[UInt8]]?
  /// The label; empty for snapshots without one, nil if it is not grouped by.
  public let label: String?
  /// The tags, sorted and without duplicates; nil if they are not grouped by.
  public let tags: [String]?

  init(_ snapshot: RetentionSnapshot, by grouping: SnapshotGrouping) {
    host = grouping.contains(.host) ? snapshot.host : nil
    let hasPaths = grouping.contains(.paths) && snapshot.label == nil
    paths = hasPaths ? Set(snapshot.paths).sorted { $0.lexicographicallyPrecedes($1) } : nil
    let hasLabel = grouping.contains(.label) || grouping.contains(.paths) && snapshot.label != nil
    label = hasLabel ? snapshot.label ?? "" : nil
    tags = grouping.contains(.tags) ? Set(snapshot.tags).sorted() : nil
  }

  /// Orders keys by host, then label, then paths, then tags.
  static func isBefore(_ one: SnapshotGroupKey, _ other: SnapshotGroupKey) -> Bool {
    if one.host != other.host { return one.host ?? "" < other.host ?? "" }
    if one.label != other.label { return one.label ?? "" < other.label ?? "" }
    if one.paths != other.paths {
      return (one.paths ?? []).lexicographicallyPrecedes(other.paths ?? []) { $0.lexicographicallyPrecedes($1) }
    }
    return (one.tags ?? []).lexicographicallyPrecedes(other.tags ?? [])
  }

  /// The key in words, such as `host ann, paths /home /etc`.
  public var description: String {
    var parts: [String] = []
    if let host { parts.append("host \(printable(host))") }
    if let paths { parts.append("paths \(paths.map { printable($0) }.joined(separator: " "))") }
    if let label { parts.append(label.isEmpty ? "no label" : "label \(printable(label))") }
    if let tags {
      parts.append(
        tags.isEmpty ? "no tags" : "tags \(printable(tags.joined(separator: ",")))")
    }
    return parts.isEmpty ? "all snapshots" : parts.joined(separator: ", ")
  }
}
