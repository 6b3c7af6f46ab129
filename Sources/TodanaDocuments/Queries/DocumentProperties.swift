public import Foundation
public import Todana

/// The argument of a condition's closure, which gives access to the values of documents.
///
/// ```swift
/// try users.find { $0["age"] > 20 && $0["address.country"] == "US" && $0["emails"].contains("jdoe@foo.com") }
/// ```
public struct DocumentProperties: Sendable {
  let settings: QuerySettings

  init(_ settings: QuerySettings) { self.settings = settings }

  /// The values at a path (``DocumentPath``).
  public subscript(path: String) -> DocumentProperty { DocumentProperty(DocumentPath(path), settings) }

  /// The time of the last save.
  public var savedAt: Property<Document, Date?> { Document.savingTime.property }

  /// The name of the class whose objects the documents were made of; nil for plain documents.
  public var originalClassName: Property<Document, String?> { Document.className.property }
}

/// The settings of a collection that change the meaning of queries, or the way to carry them out.
struct QuerySettings: Sendable {
  /// The values that count for missing ones, by path.
  var defaults: [DocumentPath: DocumentValue] = [:]
  /// Whether the collection has the index of everything.
  var indexesEverything = false
  /// The text indexes with rules for words, by path.
  var textIndexes: [DocumentPath: DocumentTextIndex] = [:]
}

/// A value that a document can contain, such as a `String`, an `Int`, a `Date`, or a ``DocumentValue``.
public protocol DocumentConvertible {
  var documentValue: DocumentValue { get }
}

extension DocumentValue: DocumentConvertible {
  public var documentValue: DocumentValue { self }
}

extension String: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Int: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Int64: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Double: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Bool: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Date: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension UUID: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

extension Data: DocumentConvertible {
  public var documentValue: DocumentValue { DocumentValue(self) }
}

/// The values at a path of each document, in conditions.
///
/// A missing value counts as null. `<` and `>` hold only for values of one kind: numbers and numbers, texts and texts
/// (``DocumentKind``). If the path leads to several values (`[*]`, `**`), a condition holds if one of them meets it, and
/// `!=` if none of them is equal.
public struct DocumentProperty: Sendable {
  let path: DocumentPath
  private let settings: QuerySettings
  private let defaultValue: DocumentValue?

  init(_ path: DocumentPath, _ settings: QuerySettings) {
    self.path = path
    self.settings = settings
    defaultValue = settings.defaults[path]
  }

  public static func == (lhs: Self, rhs: DocumentValue) -> Condition<Document> { lhs.compared(.equal, rhs) }
  public static func != (lhs: Self, rhs: DocumentValue) -> Condition<Document> { !lhs.compared(.equal, rhs) }
  public static func < (lhs: Self, rhs: DocumentValue) -> Condition<Document> { lhs.compared(.less, rhs) }
  public static func <= (lhs: Self, rhs: DocumentValue) -> Condition<Document> { lhs.compared(.lessOrEqual, rhs) }
  public static func > (lhs: Self, rhs: DocumentValue) -> Condition<Document> { lhs.compared(.greater, rhs) }
  public static func >= (lhs: Self, rhs: DocumentValue) -> Condition<Document> { lhs.compared(.greaterOrEqual, rhs) }

  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs == rhs.documentValue }
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs != rhs.documentValue }
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs < rhs.documentValue }
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs <= rhs.documentValue }
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs > rhs.documentValue }
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some DocumentConvertible) -> Condition<Document> { lhs >= rhs.documentValue }

  func compared(_ comparison: ValueComparison, _ value: DocumentValue) -> Condition<Document> {
    if path.isSingle {
      return Document.property(at: path, default: defaultValue).property.meets(ComparedValue(comparison, value))
    }
    let isMet = Document.elements(at: path).property.hasElement(ComparedElement(comparison, value))
    guard settings.indexesEverything, let candidates = NamedScalarCondition(path, comparison, value) else {
      return isMet
    }
    return Document.namedScalars.property.hasElement(candidates) && isMet
  }

  /// Returns the condition that a value at any depth equals a value.
  static func anyValue(_ value: DocumentValue, _ settings: QuerySettings) -> Condition<Document> {
    let isMet = DocumentProperty("**", settings).compared(.equal, value)
    guard settings.indexesEverything, let candidates = BareScalarCondition(value) else { return isMet }
    return Document.bareScalars.property.hasElement(candidates) && isMet
  }

  /// Returns the condition that the value is in a range that includes its bounds; of several values, that one is.
  public func isBetween(_ lower: DocumentValue, _ upper: DocumentValue) -> Condition<Document> {
    if path.isSingle { return compared(.greaterOrEqual, lower) && compared(.lessOrEqual, upper) }
    let isMet = Document.elements(at: path).property.hasElement(ElementInRange(lower, upper))
    guard settings.indexesEverything, let candidates = NamedScalarCondition(path, .greaterOrEqual, lower) else {
      return isMet
    }
    return Document.namedScalars.property.hasElement(candidates) && isMet
  }

  @_disfavoredOverload
  public func isBetween<Value: DocumentConvertible>(_ lower: Value, _ upper: Value) -> Condition<Document> {
    isBetween(lower.documentValue, upper.documentValue)
  }

  /// Returns the condition that the value equals one of several values.
  public func isIn(_ values: [DocumentValue]) -> Condition<Document> {
    path.isSingle
      ? Document.property(at: path, default: defaultValue).property.meets(ListedValue(values))
      : Document.elements(at: path).property.hasElement(ListedElement(values))
  }

  /// Returns the condition that an array has an equal element, or a text this part.
  public func contains(_ part: DocumentValue) -> Condition<Document> {
    hasElement(ContainedValue(part))
  }

  @_disfavoredOverload
  public func contains(_ part: some DocumentConvertible) -> Condition<Document> { contains(part.documentValue) }

  /// Returns the condition that an array has an equal text, or a text this part, apart from some differences.
  public func contains(_ part: String, ignoring: IgnoredDifferences) -> Condition<Document> {
    hasElement(ContainedValue(DocumentValue(part), ignoring: ignoring))
  }

  /// Returns the condition that one of the texts at the path meets a condition.
  ///
  /// ```swift
  /// try people.find { $0["**.LastName"].hasText(.hasPrefix("mc", ignoring: .letterCase)) }
  /// ```
  public func hasText(_ condition: TextCondition) -> Condition<Document> { hasElementText(condition) }

  func hasElementText(_ condition: some ValueCondition<String>) -> Condition<Document> {
    Document.texts(at: path).property.hasElement(condition)
  }

  /// Returns the condition that an element of an array at the path, or another value there, meets a condition.
  private func hasElement(_ condition: some ValueCondition<DocumentElement>) -> Condition<Document> {
    let isMet = Document.elements(at: elementPath).property.hasElement(condition)
    guard let defaultValue, defaultValue.elements.contains(where: { condition.isMet(by: $0) }) else { return isMet }
    return isMet || !exists
  }

  /// The path to the elements of arrays at the path.
  private var elementPath: DocumentPath { DocumentPath(steps: path.steps + [.each]) }

  /// A condition that holds if there is a value, which may be null; a default does not count.
  public var exists: Condition<Document> {
    Document.elements(at: path).property.hasElement(PresentElement(kind: nil))
  }

  /// Returns the condition that there is a value of a kind.
  public func isOfKind(_ kind: DocumentKind) -> Condition<Document> {
    let isMet = Document.elements(at: path).property.hasElement(PresentElement(kind: kind))
    return defaultValue?.kind == kind ? isMet || !exists : isMet
  }

  /// The text at the path, for conditions on texts: `$0["name"].text.folded == "doe"`; nil for values of other kinds.
  ///
  /// The path must lead to one value.
  public var text: Property<Document, String?> { Document.text(at: path, default: defaultValue).property }

  /// Returns the condition that the texts at the path have what a text expression describes.
  ///
  /// ```swift
  /// try books.find { $0["title"].matches("blue note") }
  /// ```
  ///
  /// A text index on the path serves it, and its language and stop words count for the expression
  /// (``DocumentCollection/addTextIndex(_:language:stopWords:keepsPositions:findsSubstrings:)``).
  public func matches(_ expression: TextExpression) -> Condition<Document> {
    if let index = settings.textIndexes[path] {
      return declaration(of: index).matches(expression, of: Document.self)
    }
    return path.isSingle ? text.matches(expression) : Document.texts(at: path).property.matches(expression)
  }

  /// Returns the condition that the texts at the path have what a person typed.
  public func matches(_ typed: String) -> Condition<Document> { matches(TextExpression(typed: typed)) }

  /// Returns the declaration of a text index on the path, for the library.
  func declaration(of index: DocumentTextIndex) -> TextIndex {
    path.isSingle
      ? index.declaration(of: Document.text(at: path, default: defaultValue))
      : index.declaration(of: Document.texts(at: path))
  }

  /// Returns a query sorted by the value, or by its text without case and accents.
  func sorting(_ query: Query<Document>, _ order: Todana.SortOrder, isFolded: Bool) -> Query<Document> {
    isFolded
      ? query.sorted(byFolded: Document.text(at: path, default: defaultValue), order)
      : query.sorted(by: Document.property(at: path, default: defaultValue), order)
  }
}
