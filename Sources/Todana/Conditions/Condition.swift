/// What an object has to be like.
///
/// ```swift
/// Song.where { $0.seconds > 200 && ($0.title.hasPrefix("B") || !$0.genre.isIn(["Rock", "Pop"])) }
/// ```
///
/// How values are compared ``OrderedValue`` says. A condition holds or does not: for nil `==` holds with nil, nothing
/// else does, and `!` is the plain opposite.
public struct Condition<Root: StoreIdentifiable>: Sendable {
  let node: ConditionNode
  /// How deep conditions stand within conditions; one that is too deep is not kept.
  let depth: Int

  /// Conditions deeper than this are refused by the query: looking at them takes the thread's stack.
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
    Condition(.joinAll([lhs.node, rhs.node]), depth: 1 + max(lhs.depthWithinAll, rhs.depthWithinAll))
  }

  static func any(_ lhs: Condition, _ rhs: Condition) -> Condition {
    Condition(.joinAny([lhs.node, rhs.node]), depth: 1 + max(lhs.depthWithinAny, rhs.depthWithinAny))
  }

  static func not(_ condition: Condition) -> Condition { Condition(.not(condition.node), depth: 1 + condition.depth) }

  // Parts of the same kind are joined, and so do not become deeper.

  private var depthWithinAll: Int {
    if case .all = node { return depth - 1 }
    return depth
  }

  private var depthWithinAny: Int {
    if case .any = node { return depth - 1 }
    return depth
  }
}

/// A condition, or a property that is one: a `Bool`.
public protocol ConditionSource<Root> {
  associatedtype Root: StoreIdentifiable
  var condition: Condition<Root> { get }
}

extension Condition: ConditionSource {
  public var condition: Condition<Root> { self }
}

extension Property: ConditionSource where Value == Bool {
  /// Whether the property is true.
  public var condition: Condition<Root> { self == true }
}

// Operators of these types alone: ones for whatever is a condition would take the compiler long in every expression of a
// program that has an operator of that name.

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
