/// The relevance of objects for the text conditions of a query.
///
/// It is the sum over the text conditions that an object meets, without those after `!`.
struct Relevance: Sendable {
  private indirect enum Node: Sendable {
    case search(Int)
    case other(ConditionNode)
    case all([Node])
    case any([Node])
  }

  /// The text conditions that count.
  private(set) var searches: [MatchesTest] = []
  private(set) var statistics: [TextPlan.Statistics] = []
  private var root = Node.other(.always)

  /// - Returns: nil if the condition has no text condition that counts.
  init?(_ condition: ConditionNode) {
    root = node(of: condition.simplified)
    if searches.isEmpty { return nil }
    statistics = searches.map(\.emptyStatistics)
  }

  private mutating func node(of condition: ConditionNode) -> Node {
    switch condition {
    case .test(let test):
      guard let search = test as? MatchesTest else { return .other(condition) }
      searches.append(search)
      return .search(searches.count - 1)
    case .all(let nodes): return .all(nodes.map { node(of: $0) })
    case .any(let nodes): return .any(nodes.map { node(of: $0) })
    case .not, .always, .never: return .other(condition)
    }
  }

  var paths: [PropertyPath] { searches.flatMap(\.paths) }

  /// Counts an object.
  ///
  /// All objects of the class count, whether they meet the condition or not.
  mutating func count(_ object: StoredObject) throws(StoreError) {
    for index in searches.indices { try searches[index].count(object, in: &statistics[index]) }
  }

  /// A relevance for the same conditions that has counted nothing, and shares no memory with this one.
  var forOtherThread: Relevance {
    var copy = self
    copy.searches = searches.map(\.copy)
    copy.statistics = copy.searches.map(\.emptyStatistics)
    return copy
  }

  /// Adds the objects that another relevance has counted.
  mutating func add(_ other: Relevance) {
    for index in statistics.indices { statistics[index].add(other.statistics[index]) }
  }

  /// Adds numbers of objects that an index has counted, for each text condition.
  mutating func add(_ counted: [TextPlan.Statistics]) {
    for index in statistics.indices { statistics[index].add(counted[index]) }
  }

  /// Returns the relevance of an object; 0 if it does not meet the condition.
  func value(of object: StoredObject) throws(StoreError) -> Double { try value(root, object) ?? 0 }

  /// Returns the part of a node; nil if the object does not meet it.
  private func value(_ node: Node, _ object: StoredObject) throws(StoreError) -> Double? {
    switch node {
    case .search(let index):
      guard try searches[index].holds(for: object) else { return nil }
      return try searches[index].relevance(of: object, statistics[index])
    case .other(let condition): return try condition.holds(for: object) ? 0 : nil
    case .all(let nodes):
      var sum = 0.0
      for node in nodes {
        guard let value = try value(node, object) else { return nil }
        sum += value
      }
      return sum
    case .any(let nodes):
      var sum: Double?
      for node in nodes { if let value = try value(node, object) { sum = (sum ?? 0) + value } }
      return sum
    }
  }
}
