extension TextIndex {
  /// The highest weight, so that sums of weights are numbers.
  private static let weightLimit = 1_000_000.0

  /// Checks text indexes: those that a class declares, or `declared` ones of a collection.
  ///
  /// - Throws: ``StoreError/Code/invalidIndex``.
  static func check(
    _ type: StoredObject.Type, _ declared: [TextIndex]? = nil, className: String
  ) throws(StoreError) {
    var names: Set<String> = []
    for (position, index) in (declared ?? type.textIndexes).enumerated() {
      let place = "Text index \(position + 1) of \(className)"
      func refusal(_ message: String) -> StoreError { StoreError(.invalidIndex, message, className: className) }
      let name = index.name ?? ""
      if let problem = IndexRules.problem(
        withName: index.name, of: place, example: "TextIndex(…, name: \"title\")")
      {
        throw refusal(problem)
      }
      if !names.insert(name).inserted {
        throw refusal("Two text indexes of \(className) have the name \"\(name)\". Pass another name to one.")
      }
      if index.columns.isEmpty { throw refusal("\(place), \"\(name)\", has no property.") }
      guard index.weights.isEmpty || index.weights.count == index.columns.count else {
        throw refusal(
          "\(place), \"\(name)\", has \(index.columns.count) properties, but \(index.weights.count) weights.")
      }
      if let weight = index.weights.first(where: { !(0...weightLimit).contains($0) }) {
        throw refusal("\(place), \"\(name)\", has the weight \(weight), but weights are from 0 to 1,000,000.")
      }
      if Set(index.columns.map(\.path)).count < index.columns.count {
        throw refusal("\(place), \"\(name)\", has a property twice. Give it a weight instead.")
      }
      if index.analyzer == nil {
        throw refusal("\(place), \"\(name)\", has a language that the installed library libstemmer lacks.")
      }
      for column in index.columns {
        if let problem = IndexRules.problem(with: column.path, of: column.root, in: type, className) {
          throw refusal("\(place), \"\(name)\", \(problem)")
        }
      }
    }
  }
}
