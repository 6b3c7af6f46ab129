import CUnicode

extension TextIndex {
  /// Returns a text of all properties of the index that must be unchanged for existing segments to be usable.
  func signature(classVersion: UInt8) -> String {
    var lines = ["layout 2", "class version \(classVersion)", "unicode \(tdu_unicode_version())"]
    // A name is the same in each process, while the description of a key path may have an address.
    for column in columns { lines.append("property \(column.path.name ?? "?")") }
    if let language { lines.append("language \(language.name)") }
    if keepsPositions { lines.append("positions") }
    if findsSubstrings { lines.append("substrings") }
    return lines.joined(separator: "\n")
  }
}
