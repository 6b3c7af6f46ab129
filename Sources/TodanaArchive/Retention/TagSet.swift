/// Tags that a snapshot must have all of, for `--keep-tag`.
public struct TagSet: Sendable, Hashable, CustomStringConvertible {
  public let tags: [String]

  /// Reads tags with commas between them; spaces around a tag go.
  ///
  /// - Throws: ``RetentionError/Code/invalidTags`` where one is empty.
  public init(_ text: String) throws(RetentionError) {
    tags = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let characters = Array(part)
      guard let first = characters.firstIndex(where: { $0 != " " }),
        let last = characters.lastIndex(where: { $0 != " " })
      else { return "" }
      return String(characters[first...last])
    }
    if tags.contains("") {
      throw RetentionError(
        .invalidTags,
        "“\(PrintableBytes.text(of: Array(text.utf8)))” has an empty tag: write a tag, or several with commas between them."
      )
    }
  }

  /// Whether all of the tags are among these.
  func isContained(in tags: [String]) -> Bool { self.tags.allSatisfy(tags.contains) }

  public var description: String { tags.joined(separator: ",") }
}
