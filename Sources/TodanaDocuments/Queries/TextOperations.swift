internal import Todana

/// The operations of the texts of queries on one text of a document.
enum TextOperations {
  /// Returns the condition for an operation on a text.
  ///
  /// - Throws: `FieldRefusal` for an operation that is not for texts, and for a missing value.
  static func condition(
    on text: Property<Document, String?>, _ operation: FieldOperation, _ texts: [String?],
    _ ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    switch ignoring {
    case .letterCase: return try condition(on: text.caseInsensitive, operation, texts)
    case .caseAndAccents: return try condition(on: text.folded, operation, texts)
    default: break
    }
    switch operation {
    case .equal: return text == texts.first ?? nil
    case .notEqual: return text != texts.first ?? nil
    case .less: return text < texts.first ?? nil
    case .lessOrEqual: return text <= texts.first ?? nil
    case .greater: return text > texts.first ?? nil
    case .greaterOrEqual: return text >= texts.first ?? nil
    case .between: return text >= texts[0] && text <= texts[1]
    case .isIn: return text.isIn(texts)
    case .contains: return text.contains(try part(texts))
    case .beginsWith: return text.hasPrefix(try part(texts))
    case .endsWith: return text.hasSuffix(try part(texts))
    case .like: return text.like(try part(texts))
    case .matches: return text.matches(regex: try part(texts))
    case .search: return text.matches(try part(texts))
    default: throw FieldRefusal("this operation is not for texts")
    }
  }

  private static func condition(
    on text: FoldedProperty<Document>, _ operation: FieldOperation, _ texts: [String?]
  ) throws(FieldRefusal) -> Condition<Document> {
    switch operation {
    case .equal: return text == texts.first ?? nil
    case .notEqual: return text != texts.first ?? nil
    case .less: return text < texts.first ?? nil
    case .lessOrEqual: return text <= texts.first ?? nil
    case .greater: return text > texts.first ?? nil
    case .greaterOrEqual: return text >= texts.first ?? nil
    case .between: return text >= texts[0] && text <= texts[1]
    case .isIn: return text.isIn(texts)
    case .contains: return text.contains(try part(texts))
    case .beginsWith: return text.hasPrefix(try part(texts))
    case .endsWith: return text.hasSuffix(try part(texts))
    case .like: return text.like(try part(texts))
    case .matches: return text.matches(regex: try part(texts))
    default: throw FieldRefusal("[c] and [i] are for comparisons of texts")
    }
  }

  /// Returns the only text of an operation, which is not null.
  static func part(_ texts: [String?]) throws(FieldRefusal) -> String {
    if let first = texts.first, let first { return first }
    throw FieldRefusal("a text is needed, not NULL", valuePosition: 0)
  }
}
