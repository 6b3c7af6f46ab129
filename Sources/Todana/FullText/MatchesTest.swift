/// A test that the texts of one property, or of those of a text index, have what a text expression describes.
///
/// A class, because copies of a structure with as many parts take much of the time of a scan.
final class MatchesTest: ConditionTest {
  let columns: [TextColumn]
  /// The name of the text index; nil for a single property.
  private let index: String?
  var indexName: String? { index }
  /// The class whose text index is searched; nil for a single property, and for an index of a collection.
  private let declaringType: AnyObject.Type?
  private let declaration: TextIndex?
  private let expression: TextExpression
  let plan: TextPlan
  /// The reason why the index cannot be searched; nil if it can.
  private let indexProblem: String?

  init(_ column: TextColumn, _ expression: TextExpression) {
    columns = [column]
    index = nil
    declaringType = nil
    declaration = nil
    self.expression = expression
    plan = TextPlan(expression)
    indexProblem = nil
  }

  /// Makes the test for a text index that a class declares.
  convenience init(_ type: AnyObject.Type, index name: String, _ expression: TextExpression) {
    let declaration = (type as? StoredObject.Type)?.textIndexes.first { $0.name == name }
    self.init(declaration, named: name, of: type, expression)
  }

  /// Makes the test for a text index that a collection declares.
  convenience init(_ declaration: TextIndex, _ expression: TextExpression) {
    self.init(declaration, named: declaration.name ?? "", of: nil, expression)
  }

  private init(_ declaration: TextIndex?, named name: String, of type: AnyObject.Type?, _ expression: TextExpression) {
    let analyzer = declaration?.analyzer
    columns = declaration?.columns ?? []
    index = name
    declaringType = type
    self.declaration = declaration
    self.expression = expression
    plan = TextPlan(expression, analyzer ?? .plain)
    if declaration == nil {
      indexProblem = "\(type.map { "\($0)" } ?? "The class") has no text index \(describe(name))."
    } else if analyzer == nil {
      indexProblem = "The installed library libstemmer lacks the language of the text index \(describe(name))."
    } else {
      indexProblem = nil
    }
  }

  /// Makes a copy that shares no memory with the test.
  private init(copying test: MatchesTest) {
    columns = test.columns.map(\.self)
    index = test.index
    declaringType = test.declaringType
    declaration = test.declaration
    expression = test.expression
    plan = TextPlan(test.expression, test.plan.analyzer)
    indexProblem = test.indexProblem
  }

  /// Tests whether a text index of this name has the properties and the rules for words that the condition has.
  ///
  /// A subclass may declare another index of the name, while a query of several classes has one meaning.
  func fits(_ declaration: TextIndex, of type: AnyObject.Type) -> Bool {
    if declaringType == type { return true }
    return self.declaration?.signature(classVersion: 0) == declaration.signature(classVersion: 0)
  }

  var copy: MatchesTest { MatchesTest(copying: self) }
  var forOtherThread: any ConditionTest { copy }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    let texts: TextList
    if columns.count == 1 {
      texts = try columns[0].texts(of: object)
    } else {
      var all: [String] = []
      for column in columns { try column.texts(of: object).append(to: &all) }
      texts = .many(all)
    }
    guard let holds = plan.holds(for: texts) else { throw tooLong(object) }
    return holds
  }

  private func tooLong(_ object: StoredObject) -> StoreError {
    StoreError(.unreadableContent, "A text of \(searched) is too long to be searched.", rowID: object.rowID)
  }

  var paths: [PropertyPath] { columns.map(\.path) }
  var readsOwnProperties: Bool { columns.allSatisfy(\.path.isOwnProperty) }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }

  var operand: [UInt8] {
    var operand = Array((index.map { $0 + "\0" } ?? "").utf8)
    // Indexes of collections with one name may have different rules.
    if declaringType == nil, let declaration { operand += declaration.signature(classVersion: 0).utf8 }
    return operand + expression.description.utf8
  }

  var problem: String? { indexProblem ?? plan.problem }
  var description: String { "\(searched) matches \(describe(expression.description))" }
  private var searched: String { index.map { "text index \(describe($0))" } ?? columns[0].path.description }
}

// MARK: Relevance

extension MatchesTest {
  var emptyStatistics: TextPlan.Statistics {
    TextPlan.Statistics(phraseCounts: [Int](repeating: 0, count: plan.phraseCount))
  }

  func count(_ object: StoredObject, in statistics: inout TextPlan.Statistics) throws(StoreError) {
    var texts: [TextList] = []
    for column in columns { texts.append(try column.texts(of: object)) }
    if !plan.count(texts, in: &statistics) { throw tooLong(object) }
  }

  /// Returns the relevance of an object that passes the test.
  func relevance(of object: StoredObject, _ statistics: TextPlan.Statistics) throws(StoreError) -> Double {
    var texts: [(TextList, Double)] = []
    for column in columns { texts.append((try column.texts(of: object), column.weight)) }
    guard let relevance = plan.relevance(texts, statistics) else { throw tooLong(object) }
    return relevance
  }

  /// Tests whether the texts of a property are searched.
  func searches(_ path: PropertyPath) -> Bool {
    columns.contains { $0.path == path || ($0.path.name != nil && $0.path.name == path.name) }
  }
}
