/// What a query will do, as ``Store/explain(_:)`` gives it.
public struct QueryPlan: Sendable, CustomStringConvertible {
  /// How the objects are found.
  public let access: Access
  /// The names of the indexes that are used.
  public let indexNames: [String]
  /// How many entries, or objects where all are looked at, are read, about.
  public let expectedCount: Int
  /// Whether what was found has to be put in order.
  public let sorts: Bool
  /// Whether the answer to ``Store/count(_:)`` and ``Store/ids(_:)`` takes no look at any record.
  public let answersFromIndex: Bool
  /// In plain words, step by step.
  public let steps: [String]

  public enum Access: Sendable {
    /// The condition cannot be met.
    case nothing
    /// All objects of the class are looked at.
    case scan
    /// Entries of one index.
    case index
    /// Entries of several indexes, or of several places of one, each of which has some of the objects.
    case union
    /// Entries of several indexes, each of which has all of the objects.
    case intersection
  }

  public var description: String { steps.joined(separator: "\n") }
}

/// How a query is carried out.
struct ExecutionPlan {
  var access: Access
  /// What is left to be looked at in each record.
  var residual: ConditionNode
  /// Whether what the access gives is in the query's order.
  var order: Order
  /// Entries or records that are read, about.
  var expectedCount: Double
  var cost: Double

  enum Access {
    case nothing
    case scan
    case index(IndexAccess)
    case union([IndexAccess])
    case intersection([IndexAccess])
  }

  enum Order {
    /// As they come.
    case given
    /// By row ids, which have to be put in order first.
    case rows
    /// By the query's sort keys, which have to be read from the records.
    case sorted
  }

  var indexes: [ClassIndex] {
    switch access {
    case .nothing, .scan: []
    case .index(let access): [access.index]
    case .union(let accesses), .intersection(let accesses): accesses.map(\.index)
    }
  }

  var needsRecords: Bool {
    if case .always = residual { return order == .sorted }
    return true
  }
}

/// Parts of an index that are read.
struct IndexAccess {
  let index: ClassIndex
  let keyspace: KeyspaceID
  /// Ranges of its keys, in ascending order.
  var ranges: [ByteRange]
  /// The tests that every entry within the ranges passes.
  var exactTests: Set<TestIdentity>
  /// Parts, from the first on, of which each range has one value.
  var singlePartCount: Int
  /// The bytes of these, where there is one range.
  var prefix: [UInt8]
  var isDescending = false
  var expectedCount: Double = 0

  /// Whether each range is the whole key of a unique index.
  var isUnique: Bool { index.isUnique && singlePartCount == index.parts.count }

  /// The same from where the values of a position stand, if that can be told.
  func beginning(with start: QueryPosition, of query: QuerySpecification) -> IndexAccess {
    guard ranges.count == 1, let range = ranges.first else { return self }
    let single = Set(index.parts.prefix(singlePartCount).map(\.path))
    var keys: [UInt8] = []
    for (key, bytes) in zip(query.sortKeys, start.keys) where !single.contains(key.path) {
      // A longer text stands in the index by its beginning only.
      if bytes.count > KeyWriter.indexTextByteLimit { return self }
      keys += bytes
    }
    var access = self
    let place = prefix + (isDescending ? keys.map { ~$0 } : keys)
    let wanted =
      isDescending
      ? ByteRange(lower: [], upper: ByteRange.successor(of: place)) : ByteRange(lower: place, upper: nil)
    access.ranges = range.intersection(wanted).map { [$0] } ?? []
    return access
  }

  /// Whether an object can have several entries within the ranges.
  var mayRepeat: Bool { index.parts.contains { $0.path.isEach } }

  /// Whether entries come in the order of their row ids.
  var isInRowOrder: Bool {
    ranges.count <= 1 && singlePartCount == index.parts.count && !mayRepeat
  }
}
