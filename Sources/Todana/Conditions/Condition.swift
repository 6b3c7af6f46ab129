/// A condition that objects are tested against.
///
/// ```swift
/// Song.where { $0.seconds > 200 && ($0.title.hasPrefix("B") || !$0.genre.isIn(["Rock", "Pop"])) }
/// ```
///
/// Values are compared by the rules of ``OrderedValue``. A condition is either true or false, never unknown, and `!` is
/// its exact opposite. nil equals only nil. If either side is nil, `<` and `>` are false, and `<=` and `>=` are true
/// only if both are nil.
public struct Condition<Root: StoreIdentifiable>: Sendable {
  let node: ConditionNode
  /// The number of levels of nested conditions, at most one more than the limit.
  let depth: Int

  /// The deepest nesting that a query accepts.
  ///
  /// Testing a condition is recursive and takes stack space for each level. A deeper condition is not kept, and its
  /// query throws an error.
  static var depthLimit: Int { 500 }

  var isTooDeep: Bool { depth > Self.depthLimit }

  init(_ node: ConditionNode) {
    self.init(node, depth: 1)
  }

  init(_ node: ConditionNode, depth: Int) {
    self.node = depth > Self.depthLimit ? .never : node
    self.depth = min(depth, Self.depthLimit + 1)
  }

  /// A condition that every object meets.
  public static var always: Condition { Condition(.always) }

  /// A condition that no object meets.
  public static var never: Condition { Condition(.never) }

  static func all(_ lhs: Condition, _ rhs: Condition) -> Condition {
    Condition(.joinAll([lhs.node, rhs.node]).grouped, depth: 1 + max(lhs.depthWithinAll, rhs.depthWithinAll))
  }

  static func any(_ lhs: Condition, _ rhs: Condition) -> Condition {
    Condition(.joinAny([lhs.node, rhs.node]).grouped, depth: 1 + max(lhs.depthWithinAny, rhs.depthWithinAny))
  }

  static func not(_ condition: Condition) -> Condition { Condition(.not(condition.node), depth: 1 + condition.depth) }

  // Joining conditions of the same kind does not add a level.

  private var depthWithinAll: Int {
    if case .all = node { return depth - 1 }
    return depth
  }

  private var depthWithinAny: Int {
    if case .any = node { return depth - 1 }
    return depth
  }
}

extension Property where Value == Bool {
  /// A condition that is true if the property is true.
  public var condition: Condition<Root> { self == true }
}

// The operators are declared for these two types. Generic operators over a protocol of both would slow down the type
// checking of every expression in a program that contains an operator of the same name.

extension Condition {
  public static func && (lhs: Condition, rhs: Condition) -> Condition { .all(lhs, rhs) }
  public static func && (lhs: Condition, rhs: Property<Root, Bool>) -> Condition { .all(lhs, rhs.condition) }
  public static func && (lhs: Property<Root, Bool>, rhs: Condition) -> Condition { .all(lhs.condition, rhs) }

  public static func || (lhs: Condition, rhs: Condition) -> Condition { .any(lhs, rhs) }
  public static func || (lhs: Condition, rhs: Property<Root, Bool>) -> Condition { .any(lhs, rhs.condition) }
  public static func || (lhs: Property<Root, Bool>, rhs: Condition) -> Condition { .any(lhs.condition, rhs) }

  public static prefix func ! (condition: Condition) -> Condition { .not(condition) }
}

extension Property where Value == Bool {
  public static func && (lhs: Self, rhs: Self) -> Condition<Root> { .all(lhs.condition, rhs.condition) }
  public static func || (lhs: Self, rhs: Self) -> Condition<Root> { .any(lhs.condition, rhs.condition) }
  public static prefix func ! (property: Self) -> Condition<Root> { .not(property.condition) }
}
