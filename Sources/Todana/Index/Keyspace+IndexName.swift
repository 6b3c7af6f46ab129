extension Keyspace {
  /// The names of the class and the index if the keyspace is an index; nil for any other keyspace.
  private var indexNames: (className: String, name: String)? {
    kind == .tree ? ClassIndex.names(fromKeyspace: name) : nil
  }

  /// The stored name of the class; for an index, that of the class which it belongs to.
  var owningClassName: String { textName?.className ?? indexNames?.className ?? displayName }

  /// The name for people: `index seconds of Song` for an index.
  var shownName: String {
    if let textName { return "text index \(textName.indexName) of \(textName.className)" }
    return indexNames.map { "index \($0.name) of \($0.className)" } ?? displayName
  }

  /// Returns a message about the keyspace, beginning with the name of the index if it is one.
  func problemMessage(_ message: String) -> String {
    if let textName { return "Text index \"\(textName.indexName)\": \(message)" }
    return indexNames.map { "Index \"\($0.name)\": \(message)" } ?? message
  }
}
