/// A test that the texts of a property have what a text expression describes.
struct MatchesTest<Root: StoreIdentifiable>: ConditionTest {
  private let path: PropertyPath
  private let texts: @Sendable (Root) throws(StoreError) -> TextList
  private let expression: TextExpression
  private let plan: TextPlan

  init<Value: IndexedText>(property: Property<Root, Value>, expression: TextExpression) {
    path = property.path
    texts = TextList.reading(property)
    self.expression = expression
    plan = TextPlan(expression)
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let texts = try texts(unsafe unsafeDowncast(object, to: Root.self))
    guard let holds = plan.holds(for: texts) else {
      throw StoreError(
        .unreadableContent, "A text of \(path.description) is too long to be searched.", rowID: object.rowID)
    }
    return holds
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(expression.description.utf8) }
  var problem: String? { plan.problem }
  var description: String { "\(path.description) matches \(describe(expression.description))" }
}
