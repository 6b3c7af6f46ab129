/// A reader of the numbered lists of folders in docs/architecture/layers.md.
enum LayerList {
  /// Returns the first word in backticks of each item of the numbered list under a heading.
  static func folders(under heading: String, in document: String) -> [String] {
    let lines = document.split(separator: "\n")
    guard let start = lines.firstIndex(of: "## \(heading)") else { return [] }
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
    return section.compactMap { line in
      let parts = line.split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false)
      let isItem = parts.count == 3 && parts[0].hasSuffix(". ") && Int(parts[0].dropLast(2)) != nil
      return isItem ? String(parts[1]) : nil
    }
  }
}
