/// A test that a property is not nil.
struct PresenceTest<Root: StoreIdentifiable, Value: OrderedValue>: ConditionTest {
  let property: Property<Root, Value>

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    try !property.read(unsafe unsafeDowncast(object, to: Root.self)).isAbsent
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    let present = ByteRange(lower: EncodedValue<Value>.firstPresent, upper: nil)
    return ValueRanges(path: property.path, ranges: [present], isExact: true)
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { [] }
  var description: String { "\(property.path.description) is there" }
}
