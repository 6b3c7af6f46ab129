internal import Foundation
internal import Todana

/// A path in brackets in the text of a query.
struct PathField: DefinedField {
  private let property: DocumentProperty

  init(_ path: String, _ settings: QuerySettings) { property = DocumentProperty(DocumentPath(path), settings) }

  var typeName: String { "value of a document" }

  // MARK: Conditions

  func condition(
    _ operation: FieldOperation, _ values: [Any?], ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    switch ignoring {
    case .nothing: break
    default: return try text(operation, values, ignoring)
    }
    switch operation {
    case .equal: return property.compared(.equal, try value(values))
    case .notEqual: return !property.compared(.equal, try value(values))
    case .less: return property.compared(.less, try value(values))
    case .lessOrEqual: return property.compared(.lessOrEqual, try value(values))
    case .greater: return property.compared(.greater, try value(values))
    case .greaterOrEqual: return property.compared(.greaterOrEqual, try value(values))
    case .between: return property.isBetween(try value(values), try value(values, 1))
    case .isIn:
      var all: [DocumentValue] = []
      for position in values.indices { all.append(try value(values, position)) }
      return property.isIn(all)
    case .contains: return property.contains(try value(values))
    case .beginsWith, .endsWith, .like, .matches, .search: return try text(operation, values, ignoring)
    case .isTrue: return property.compared(.equal, true)
    case .isOfType(let word): return try typeTest(word)
    @unknown default: throw FieldRefusal("this operation is not for values of documents")
    }
  }

  private func typeTest(_ word: String) throws(FieldRefusal) -> Condition<Document> {
    if word == "EXISTS" { return property.exists }
    let kinds: [String: DocumentKind] = [
      "BOOL": .bool, "NUMBER": .number, "STRING": .string, "DATE": .date, "UUID": .uuid, "BYTES": .bytes,
      "ARRAY": .array, "DICTIONARY": .dictionary,
    ]
    guard let kind = kinds[word] else {
      throw FieldRefusal("IS needs NULL or a kind of value: \(kinds.keys.sorted().joined(separator: ", "))")
    }
    return property.isOfKind(kind)
  }

  /// Returns a condition on the text at the path, or on each text if the path leads to several values.
  private func text(
    _ operation: FieldOperation, _ values: [Any?], _ ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    var texts: [String?] = []
    for (position, value) in values.enumerated() {
      guard value == nil || value is String || value is Substring || value is DocumentValue else {
        throw FieldRefusal("a text is needed", valuePosition: position)
      }
      texts.append(try self.value(values, position).string)
    }
    if operation == .contains { return property.contains(try TextOperations.part(texts), ignoring: ignoring) }
    if operation == .search {
      guard ignoring == .nothing else { throw FieldRefusal("SEARCH never counts case and accents") }
      return property.matches(try TextOperations.part(texts))
    }
    guard property.path.isSingle else { return try eachText(operation, texts, ignoring) }
    return try TextOperations.condition(on: property.text, operation, texts, ignoring)
  }

  /// Returns the condition that one of the texts compares so; null is compared as a value.
  private func eachText(
    _ operation: FieldOperation, _ texts: [String?], _ ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Document> {
    let isNull = property.compared(.equal, .null)
    if operation == .isIn {
      let condition = property.hasText(.isIn(texts.compactMap { $0 }, ignoring: ignoring))
      return texts.contains(nil) ? condition || isNull : condition
    }
    if operation == .between {
      guard let lower = texts[0], let upper = texts[1] else { return .never }
      return property.hasElementText(
        TextInRange(lower: .greaterOrEqual(lower, ignoring: ignoring), upper: .lessOrEqual(upper, ignoring: ignoring)))
    }
    guard let first = texts.first, let first else {
      switch operation {
      case .equal, .lessOrEqual, .greaterOrEqual: return isNull
      case .notEqual: return !isNull
      case .less, .greater: return .never
      default: break
      }
      throw FieldRefusal("a text is needed, not NULL", valuePosition: 0)
    }
    switch operation {
    case .equal: return property.hasText(.equal(first, ignoring: ignoring))
    case .notEqual: return !property.hasText(.equal(first, ignoring: ignoring))
    case .less: return property.hasText(.less(than: first, ignoring: ignoring))
    case .lessOrEqual: return property.hasText(.lessOrEqual(first, ignoring: ignoring))
    case .greater: return property.hasText(.greater(than: first, ignoring: ignoring))
    case .greaterOrEqual: return property.hasText(.greaterOrEqual(first, ignoring: ignoring))
    case .beginsWith: return property.hasText(.hasPrefix(first, ignoring: ignoring))
    case .endsWith: return property.hasText(.hasSuffix(first, ignoring: ignoring))
    case .like: return property.hasText(.like(first, ignoring: ignoring))
    case .matches: return property.hasText(.matches(regex: first, ignoring: ignoring))
    default: throw FieldRefusal("[c] and [i] are for comparisons of texts")
    }
  }

  // MARK: Values

  private func value(_ values: [Any?], _ position: Int = 0) throws(FieldRefusal) -> DocumentValue {
    guard values.indices.contains(position), let value = values[position] else { return .null }
    if let value = DocumentValue(argument: value) { return value }
    throw FieldRefusal(
      "an argument of the type \(type(of: value)) is no value of a document", valuePosition: position)
  }

  // MARK: Sorts

  func sorting(
    _ query: Query<Document>, _ order: Todana.SortOrder, ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Query<Document> {
    guard property.path.isSingle else { throw FieldRefusal("documents are sorted by a path to one value") }
    switch ignoring {
    case .nothing: return property.sorting(query, order, isFolded: false)
    case .caseAndAccents: return property.sorting(query, order, isFolded: true)
    default: throw FieldRefusal("texts are sorted by [c], not by [i]")
    }
  }
}

extension DocumentValue {
  /// Makes a value of an argument of a query; nil if its type has no form in documents.
  init?(argument: Any) {
    switch argument {
    case let value as any DocumentConvertible: self = value.documentValue
    case let value as Substring: self.init(String(value))
    case let value as any BinaryInteger:
      guard let integer = Int64(exactly: value) else { return nil }
      self.init(integer)
    case let value as Float: self.init(Double(value))
    case let value as [UInt8]: self.init(Data(value))
    case let value as URL: self.init(value.absoluteString)
    case let value as [Any]:
      var elements: [DocumentValue] = []
      for element in value {
        guard let element = DocumentValue(argument: element) else { return nil }
        elements.append(element)
      }
      self.init(elements)
    default: return nil
    }
  }
}
