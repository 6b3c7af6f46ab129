/// A condition without the type of its objects.
indirect enum ConditionNode: Sendable {
  case always
  case never
  case all([ConditionNode])
  case any([ConditionNode])
  case not(ConditionNode)
  case test(any ConditionTest)

  /// Tests whether an object meets the condition.
  ///
  /// The object's content must be loaded.
  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .all(let nodes):
      for node in nodes where try !node.holds(for: object) { return false }
      return true
    case .any(let nodes):
      for node in nodes where try node.holds(for: object) { return true }
      return false
    case .not(let node): return try !node.holds(for: object)
    case .test(let test):
      do throws(StoreError) {
        return try test.holds(for: object)
      } catch {
        if error.code == .rowNotFound, let holds = test.holdsForAbsent { return holds }
        throw error
      }
    }
  }

  /// The condition for use by another thread.
  var forOtherThread: ConditionNode {
    switch self {
    case .always, .never: self
    case .all(let nodes): .all(nodes.map(\.forOtherThread))
    case .any(let nodes): .any(nodes.map(\.forOtherThread))
    case .not(let node): .not(node.forOtherThread)
    case .test(let test): .test(test.forOtherThread)
    }
  }

  /// An equivalent condition with as few levels as possible, in which `not` is applied to single tests only.
  var simplified: ConditionNode { simplified(isNegated: false) }

  private func simplified(isNegated: Bool) -> ConditionNode {
    switch self {
    case .always: return isNegated ? .never : .always
    case .never: return isNegated ? .always : .never
    case .not(let node): return node.simplified(isNegated: !isNegated)
    case .test(let test):
      if !isNegated { return self }
      if let opposite = test.opposite { return .test(opposite) }
      return .not(self)
    case .all(let nodes):
      let parts = nodes.map { $0.simplified(isNegated: isNegated) }
      return isNegated ? Self.joinAny(parts) : Self.joinAll(parts)
    case .any(let nodes):
      let parts = nodes.map { $0.simplified(isNegated: isNegated) }
      return isNegated ? Self.joinAll(parts) : Self.joinAny(parts)
    }
  }

  static func joinAll(_ nodes: [ConditionNode]) -> ConditionNode {
    var parts: [ConditionNode] = []
    for node in nodes {
      switch node {
      case .always: continue
      case .never: return .never
      case .all(let inner): parts += inner
      default: parts.append(node)
      }
    }
    return parts.isEmpty ? .always : parts.count == 1 ? parts[0] : .all(parts)
  }

  static func joinAny(_ nodes: [ConditionNode]) -> ConditionNode {
    var parts: [ConditionNode] = []
    for node in nodes {
      switch node {
      case .never: continue
      case .always: return .always
      case .any(let inner): parts += inner
      default: parts.append(node)
      }
    }
    return parts.isEmpty ? .never : parts.count == 1 ? parts[0] : .any(parts)
  }

  /// The node with groups of parts in place of a long list, so that adding a part copies only a short list.
  ///
  /// Groups have ``groupCount`` parts each, which may be groups themselves. ``simplified`` removes the groups.
  var grouped: ConditionNode {
    switch self {
    case .all(let nodes) where nodes.count >= Self.groupCount: .all(Self.grouped(nodes) { .all($0) })
    case .any(let nodes) where nodes.count >= Self.groupCount: .any(Self.grouped(nodes) { .any($0) })
    default: self
    }
  }

  /// The conditions of `all` or `any`, without groups.
  private var parts: [ConditionNode] {
    switch self {
    case .all(let nodes):
      nodes.flatMap { node in
        if case .all = node { return node.parts }
        return [node]
      }
    case .any(let nodes):
      nodes.flatMap { node in
        if case .any = node { return node.parts }
        return [node]
      }
    default: [self]
    }
  }

  private static let groupCount = 64

  private static func grouped(
    _ nodes: [ConditionNode], _ join: ([ConditionNode]) -> ConditionNode
  ) -> [ConditionNode] {
    var nodes = nodes
    // Parts are added at either end.
    while nodes.count >= groupCount {
      let ends = [nodes.suffix(groupCount), nodes.prefix(groupCount)]
      guard let parts = ends.first(where: hasOneLevel) else { break }
      nodes.replaceSubrange(parts.indices, with: [join(Array(parts))])
    }
    return nodes
  }

  private static func hasOneLevel(_ nodes: ArraySlice<ConditionNode>) -> Bool {
    guard let level = nodes.first?.groupLevel else { return false }
    return nodes.allSatisfy { $0.groupLevel == level }
  }

  /// The number of levels of groups; 0 for a part that is no group.
  private var groupLevel: Int {
    switch self {
    case .all(let nodes), .any(let nodes): nodes.count == Self.groupCount ? 1 + nodes[0].groupLevel : 0
    default: 0
    }
  }

  /// An exact text of the condition, which identifies a partial index in its header.
  var signature: String {
    switch self {
    case .always, .never: return description
    case .all: return "all(" + parts.map(\.signature).joined(separator: ", ") + ")"
    case .any: return "any(" + parts.map(\.signature).joined(separator: ", ") + ")"
    case .not(let node): return "not(" + node.signature + ")"
    case .test(let test): return test.signature
    }
  }

  /// A text for people, which leaves out some values of long lists.
  var description: String {
    switch self {
    case .always: return "true"
    case .never: return "false"
    case .all: return parts.map(\.groupedDescription).joined(separator: " && ")
    case .any: return parts.map(\.groupedDescription).joined(separator: " || ")
    case .not(let node): return "!" + node.groupedDescription
    case .test(let test): return test.description
    }
  }

  private var groupedDescription: String {
    switch self {
    case .all, .any: return "(\(description))"
    default: return description
    }
  }

  /// The properties that the condition reads.
  var paths: [PropertyPath] {
    switch self {
    case .always, .never: return []
    case .all(let nodes), .any(let nodes): return nodes.flatMap(\.paths)
    case .not(let node): return node.paths
    case .test(let test): return test.paths
    }
  }

  /// Whether the condition reads only properties of the object itself.
  var readsOwnProperties: Bool {
    switch self {
    case .always, .never: return true
    case .all(let nodes), .any(let nodes): return nodes.allSatisfy(\.readsOwnProperties)
    case .not(let node): return node.readsOwnProperties
    case .test(let test): return test.readsOwnProperties
    }
  }

  /// Whether the names of all properties in the condition are known.
  var namesItsProperties: Bool {
    switch self {
    case .always, .never: return true
    case .all(let nodes), .any(let nodes): return nodes.allSatisfy(\.namesItsProperties)
    case .not(let node): return node.namesItsProperties
    case .test(let test): return test.paths.allSatisfy { $0.name != nil }
    }
  }
}

/// A single test of an object.
protocol ConditionTest: Sendable {
  func holds(for object: StoredObject) throws(StoreError) -> Bool

  /// The properties that the test reads.
  var paths: [PropertyPath] { get }

  /// The ranges of an index on the property that contain all values that pass; nil if an index cannot serve the test.
  var ranges: ValueRanges? { get }

  /// The test that is true exactly if this one is false; nil if the opposite can only be expressed by `not`.
  var opposite: (any ConditionTest)? { get }

  /// The values that the property is compared with, encoded as in an index.
  ///
  /// The kind, the properties and the operand identify a test.
  var operand: [UInt8] { get }

  /// A text for people, which leaves out some values of long lists.
  var description: String { get }

  /// A text of the test's kind, properties and operand that is the same in every run of the program.
  var signature: String { get }

  /// Whether the test reads only properties of the object itself.
  var readsOwnProperties: Bool { get }

  /// Whether the test reads objects that references lead to, so that they have to be loaded first.
  var looksAtOtherObjects: Bool { get }

  /// The test for use by another thread: itself, or a copy if threads would contend for its counts of references.
  var forOtherThread: any ConditionTest { get }

  /// The result if a property that cannot be nil is read through a reference that leads to no object.
  ///
  /// nil if that is an error.
  var holdsForAbsent: Bool? { get }

  /// The reason why the test cannot be carried out; nil if it can.
  var problem: String? { get }

  /// The objects that the test compares references with.
  var referenceTargets: [ReferenceTargets] { get }

  /// Whether the test is on the identity of the object.
  var testsIdentity: Bool { get }
}

extension ConditionTest {
  var forOtherThread: any ConditionTest { self }

  var holdsForAbsent: Bool? { false }

  var problem: String? { nil }

  var referenceTargets: [ReferenceTargets] { [] }

  var testsIdentity: Bool { false }

  var readsOwnProperties: Bool { paths.allSatisfy(\.isOwnProperty) && !looksAtOtherObjects }

  var looksAtOtherObjects: Bool { paths.contains(where: \.leadsToOtherObjects) }

  var signature: String {
    let digits = operand.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "\(description) {\(digits)}"
  }

  var identity: TestIdentity { TestIdentity(kind: ObjectIdentifier(Self.self), paths: paths, operand: operand) }
}

/// The identity of a test.
struct TestIdentity: Hashable {
  let kind: ObjectIdentifier
  let paths: [PropertyPath]
  let operand: [UInt8]

  /// Leaves out the paths, because hashing them takes longer than the rest.
  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(operand)
  }
}

extension ConditionNode {
  /// Whether the condition reads objects that references lead to, so that they have to be loaded first.
  var looksAtOtherObjects: Bool {
    switch self {
    case .always, .never: return false
    case .all(let nodes), .any(let nodes): return nodes.contains(where: \.looksAtOtherObjects)
    case .not(let node): return node.looksAtOtherObjects
    case .test(let test): return test.looksAtOtherObjects
    }
  }
}

extension ConditionNode {
  /// The reason why a test of the condition cannot be carried out; nil if all can.
  var problem: String? {
    switch self {
    case .always, .never: return nil
    case .all(let nodes), .any(let nodes):
      for node in nodes { if let problem = node.problem { return problem } }
      return nil
    case .not(let node): return node.problem
    case .test(let test): return test.problem
    }
  }

  /// The objects that tests of the condition compare references with.
  var referenceTargets: [ReferenceTargets] {
    switch self {
    case .always, .never: return []
    case .all(let nodes), .any(let nodes): return nodes.flatMap(\.referenceTargets)
    case .not(let node): return node.referenceTargets
    case .test(let test): return test.referenceTargets
    }
  }
}
