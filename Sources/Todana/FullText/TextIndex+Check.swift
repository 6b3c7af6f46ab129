extension TextIndex {
  /// Checks the text indexes that a class declares.
  ///
  /// - Throws: ``StoreError/Code/invalidIndex``.
  static func check(_ type: StoredObject.Type, className: String) throws(StoreError) {
    var names: Set<String> = []
    for (position, index) in type.textIndexes.enumerated() {
      let place = "Text index \(position + 1) of \(className)"
      func refusal(_ message: String) -> StoreError { StoreError(.invalidIndex, message, className: className) }
      guard let name = index.name else {
        throw refusal(
          "\(place) has no name, because the name of one of its properties cannot be found out. "
            + "Pass a name: TextIndex(…, name: \"title\").")
      }
      guard !name.isEmpty, name.utf8.count <= 255, !name.utf8.contains(0) else {
        throw refusal("The name of \(place) is empty, longer than 255 bytes, or contains a NUL.")
      }
      if !names.insert(name).inserted {
        throw refusal("Two text indexes of \(className) have the name \"\(name)\". Pass another name to one.")
      }
      if index.columns.isEmpty { throw refusal("\(place), \"\(name)\", has no property.") }
      guard index.weights.isEmpty || index.weights.count == index.columns.count else {
        throw refusal(
          "\(place), \"\(name)\", has \(index.columns.count) properties, but \(index.weights.count) weights.")
      }
      if let weight = index.weights.first(where: { !($0 >= 0 && $0.isFinite) }) {
        throw refusal("\(place), \"\(name)\", has the weight \(weight), but weights are 0 or more.")
      }
      if index.analyzer == nil {
        throw refusal("\(place), \"\(name)\", has a language that the installed library libstemmer lacks.")
      }
      for column in index.columns {
        if !type.inherits(from: column.root) {
          throw refusal(
            "\(place), \"\(name)\", is over a property of \(column.root), which \(className) does not have.")
        }
        guard column.path.leadsToOtherObjects || column.path.problem != nil else { continue }
        throw refusal(
          "\(place), \"\(name)\", is over "
            + (column.path.leadsToOtherObjects ? "other objects, which change independently" : "a computed property")
            + ". Only the object's own stored properties can be indexed.")
      }
    }
  }
}
