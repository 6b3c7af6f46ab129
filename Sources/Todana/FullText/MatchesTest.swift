/// A test that the texts of a property have what a text expression describes.
struct MatchesTest<Root: StoreIdentifiable, Value: IndexedText>: ConditionTest {
  private let property: Property<Root, Value>
  private let expression: TextExpression
  private let plan: TextPlan

  init(property: Property<Root, Value>, expression: TextExpression) {
    self.property = property
    self.expression = expression
    plan = TextPlan(expression)
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let value = try property.read(unsafe unsafeDowncast(object, to: Root.self))
    guard let holds = plan.holds(for: value.indexedTexts) else {
      throw StoreError(
        .unreadableContent, "A text of \(property.path.description) is too long to be searched.", rowID: object.rowID)
    }
    return holds
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(expression.description.utf8) }
  var problem: String? { plan.problem }
  var description: String { "\(property.path.description) matches \(describe(expression.description))" }
}
