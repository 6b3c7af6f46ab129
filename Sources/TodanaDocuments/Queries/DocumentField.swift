internal import Foundation
internal import Todana

/// A field of the texts of queries: a path in brackets, or a word for what the library keeps of each document.
enum DocumentField: DefinedField {
  case path(PathField)
  case savedAt
  case originalClassName

  /// The fields without brackets, which have the names of those of ``DocumentProperties``.
  static let words: [String: DocumentField] = ["savedAt": .savedAt, "originalClassName": .originalClassName]

  var typeName: String {
    switch self {
    case .path(let field): field.typeName
    case .savedAt: "Date?"
    case .originalClassName: "String?"
    }
  }

  func condition(
    _ operation: FieldOperation, _ values: [Any?], ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    switch self {
    case .path(let field): return try field.condition(operation, values, ignoring: ignoring)
    case .savedAt: return try Self.savedAt(operation, values, ignoring)
    case .originalClassName:
      let texts = try values.enumerated().map { (position, value) throws(FieldRefusal) -> String? in
        guard let value else { return nil }
        if let text = DocumentValue(argument: value)?.string { return text }
        throw FieldRefusal("a text is needed", valuePosition: position)
      }
      return try TextOperations.condition(on: Document.className.property, operation, texts, ignoring)
    }
  }

  private static func savedAt(
    _ operation: FieldOperation, _ values: [Any?], _ ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    guard ignoring == .nothing else { throw FieldRefusal("[c] and [i] are for comparisons of texts") }
    let dates = try values.enumerated().map { (position, value) throws(FieldRefusal) -> Date? in
      guard let value else { return nil }
      if let date = DocumentValue(argument: value)?.date { return date }
      throw FieldRefusal("a date is needed", valuePosition: position)
    }
    let (property, date) = (Document.savingTime.property, dates.first ?? nil)
    switch operation {
    case .equal: return property == date
    case .notEqual: return property != date
    case .less: return property < date
    case .lessOrEqual: return property <= date
    case .greater: return property > date
    case .greaterOrEqual: return property >= date
    case .between: return property >= dates[0] && property <= dates[1]
    case .isIn: return property.isIn(dates)
    default: throw FieldRefusal("this operation is not for dates")
    }
  }

  func sorting(
    _ query: Query<Document>, _ order: Todana.SortOrder, ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Query<Document> {
    switch (self, ignoring) {
    case (.path(let field), _): return try field.sorting(query, order, ignoring: ignoring)
    case (.savedAt, .nothing): return query.sorted(by: Document.savingTime, order)
    case (.originalClassName, .nothing): return query.sorted(by: Document.className, order)
    case (.originalClassName, .caseAndAccents): return query.sorted(byFolded: Document.className, order)
    default: throw FieldRefusal("[c] and [i] are for texts, which are sorted by [c]")
    }
  }
}
