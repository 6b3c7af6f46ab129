/// A condition without the type of its objects.
indirect enum ConditionNode: Sendable {
  case always
  case never
  case all([ConditionNode])
  case any([ConditionNode])
  case not(ConditionNode)
  case test(any ConditionTest)

  /// Whether an object, whose content is loaded, meets the condition.
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

  /// The same condition with as few levels as possible, and `not` around single tests only.
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

  /// Tells conditions apart, exactly: what identifies a partial index in its header.
  var signature: String {
    switch self {
    case .always, .never: return description
    case .all(let nodes): return "all(" + nodes.map(\.signature).joined(separator: ", ") + ")"
    case .any(let nodes): return "any(" + nodes.map(\.signature).joined(separator: ", ") + ")"
    case .not(let node): return "not(" + node.signature + ")"
    case .test(let test): return test.signature
    }
  }

  /// For people, who need not see every value.
  var description: String {
    switch self {
    case .always: return "true"
    case .never: return "false"
    case .all(let nodes): return nodes.map(\.groupedDescription).joined(separator: " && ")
    case .any(let nodes): return nodes.map(\.groupedDescription).joined(separator: " || ")
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

  /// The properties that it is about.
  var paths: [PropertyPath] {
    switch self {
    case .always, .never: return []
    case .all(let nodes), .any(let nodes): return nodes.flatMap(\.paths)
    case .not(let node): return node.paths
    case .test(let test): return test.paths
    }
  }

  /// Whether it looks at properties of the object itself only.
  var readsOwnProperties: Bool {
    switch self {
    case .always, .never: return true
    case .all(let nodes), .any(let nodes): return nodes.allSatisfy(\.readsOwnProperties)
    case .not(let node): return node.readsOwnProperties
    case .test(let test): return test.readsOwnProperties
    }
  }

  /// Whether every property it is about prints its name.
  var namesItsProperties: Bool {
    switch self {
    case .always, .never: return true
    case .all(let nodes), .any(let nodes): return nodes.allSatisfy(\.namesItsProperties)
    case .not(let node): return node.namesItsProperties
    case .test(let test): return test.paths.allSatisfy { $0.name != nil }
    }
  }
}

/// One test of one object.
protocol ConditionTest: Sendable {
  func holds(for object: StoredObject) throws(StoreError) -> Bool

  /// The properties that it looks at.
  var paths: [PropertyPath] { get }

  /// Where the values that pass stand in an index of the property; nil where an index cannot tell.
  var ranges: ValueRanges? { get }

  /// The test that holds where this one does not; nil where it takes a `not`.
  var opposite: (any ConditionTest)? { get }

  /// What is compared with, as it would stand in an index: with the properties and the kind all that a test is.
  var operand: [UInt8] { get }

  /// For people, who need not see every value.
  var description: String { get }

  /// The kind of the test, its properties and its operand, in the same words in each run of the program.
  var signature: String { get }

  /// Whether all that it looks at are properties of the object itself.
  var readsOwnProperties: Bool { get }

  /// Whether what it says depends on other objects.
  var looksAtOtherObjects: Bool { get }

  /// Whether it holds where a property is read through a reference to an object that does not exist, and has no nil;
  /// nil where that is an error.
  var holdsForAbsent: Bool? { get }
}

extension ConditionTest {
  var holdsForAbsent: Bool? { false }

  var readsOwnProperties: Bool { paths.allSatisfy(\.isOwnProperty) && !looksAtOtherObjects }

  var looksAtOtherObjects: Bool { paths.contains(where: \.leadsToOtherObjects) }

  var signature: String {
    let digits = operand.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "\(description) {\(digits)}"
  }

  var identity: TestIdentity { TestIdentity(kind: ObjectIdentifier(Self.self), paths: paths, operand: operand) }
}

/// Tells tests apart.
struct TestIdentity: Hashable {
  let kind: ObjectIdentifier
  let paths: [PropertyPath]
  let operand: [UInt8]

  /// Without the paths, which take longer than all else.
  func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(operand)
  }
}

extension ConditionNode {
  /// Whether what it says depends on other objects.
  var looksAtOtherObjects: Bool {
    switch self {
    case .always, .never: return false
    case .all(let nodes), .any(let nodes): return nodes.contains(where: \.looksAtOtherObjects)
    case .not(let node): return node.looksAtOtherObjects
    case .test(let test): return test.looksAtOtherObjects
    }
  }
}
