/// The texts of one object that a condition searches.
enum TextList {
  case none
  case one(String)
  case many([String])

  func append(to texts: inout [String]) {
    switch self {
    case .none: break
    case .one(let text): texts.append(text)
    case .many(let more): texts += more
    }
  }

  func allSatisfy(_ body: (String) -> Bool) -> Bool {
    switch self {
    case .none: true
    case .one(let text): body(text)
    case .many(let texts): texts.allSatisfy(body)
    }
  }

  /// Returns a closure that reads a property's texts.
  ///
  /// Single texts are read without the generic sequence of ``IndexedText``, which takes longer than most searches.
  static func reading<Root, Value: IndexedText>(
    _ property: Property<Root, Value>
  ) -> @Sendable (Root) throws(StoreError) -> TextList {
    if let property = property as? Property<Root, String> {
      let read = property.read
      return { object throws(StoreError) in .one(try read(object)) }
    }
    if let property = property as? Property<Root, String?> {
      let read = property.read
      return { object throws(StoreError) in
        if let text = try read(object) { return .one(text) }
        return .none
      }
    }
    let read = property.read
    return { object throws(StoreError) in .many(Array(try read(object).indexedTexts)) }
  }
}
