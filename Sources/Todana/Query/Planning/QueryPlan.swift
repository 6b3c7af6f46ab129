/// The plan of a query, as returned by ``Store/explain(_:)``.
public struct QueryPlan: Sendable, CustomStringConvertible {
  /// The way in which the objects are found.
  public let access: Access
  /// The names of the indexes that are used.
  public let indexNames: [String]
  /// The approximate number of index entries that are read; of objects, if all objects are read.
  public let expectedCount: Int
  /// Whether the objects have to be sorted after they were found.
  public let sorts: Bool
  /// Whether ``Store/count(_:includingPending:onDamage:)`` and ``Store/ids(_:includingPending:onDamage:)`` read no
  /// records.
  public let answersFromIndex: Bool
  /// The steps in plain words.
  public let steps: [String]

  public enum Access: Sendable {
    /// The condition cannot be met.
    case nothing
    /// All objects of the class are read.
    case scan
    /// Objects with given identities are read.
    case identities
    /// Entries of one index are read.
    case index
    /// Entries of several indexes, or of several ranges of one index, are read.
    ///
    /// Each index or range has entries of some of the objects.
    case union
    /// Entries of several indexes are read.
    ///
    /// Each index has entries of all of the objects.
    case intersection
    /// A text index is searched.
    case text
  }

  public var description: String { steps.joined(separator: "\n") }
}

/// The plan by which a query is carried out.
struct ExecutionPlan {
  var access: Access
  /// The condition that remains to be tested for each record.
  var residual: ConditionNode
  /// The way in which the result gets the order of the query.
  var order: Order
  /// The approximate number of entries or records that are read.
  var expectedCount: Double
  var cost: Double
  /// The plan to continue with if this one is not done when it should be; nil if it cannot take long.
  var fallback: Fallback?

  /// A plan that takes over from one that was expected to end early.
  final class Fallback {
    let plan: ExecutionPlan
    /// The number of objects that the first plan may test before this one takes over.
    let testedCount: Int

    init(_ plan: ExecutionPlan, after testedCount: Double) {
      self.plan = plan
      self.testedCount = max(64, Int(testedCount))
    }
  }

  enum Access {
    case nothing
    case scan
    case rows([RowID])
    case index(IndexAccess)
    case union([IndexAccess])
    case intersection([IndexAccess])
    case text(TextAccess)
  }

  enum Order {
    /// The access gives the rows in the order of the query.
    case given
    /// The rows have to be sorted by their row ids.
    case rows
    /// The rows have to be sorted by the query's sort keys, which are read from the records.
    case sorted
  }

  var indexes: [ClassIndex] {
    switch access {
    case .nothing, .scan, .rows, .text: []
    case .index(let access): [access.index]
    case .union(let accesses), .intersection(let accesses): accesses.map(\.index)
    }
  }

  /// The text index that is searched; nil if none is.
  var textIndex: ClassTextIndex? {
    if case .text(let access) = access { return access.index }
    return nil
  }

  var needsRecords: Bool {
    if case .always = residual { return order == .sorted }
    return true
  }
}

/// The parts of an index that are read.
struct IndexAccess {
  let index: ClassIndex
  let keyspace: KeyspaceID
  /// The ranges of keys, in ascending order.
  var ranges: [ByteRange]
  /// The tests that every entry within the ranges passes.
  var exactTests: Set<TestIdentity>
  /// The number of leading parts that have only one value in each range.
  var singlePartCount: Int
  /// The bytes of the leading parts that have only one value, if there is only one range.
  var prefix: [UInt8]
  var isDescending = false
  /// A range that is read before the others, from its first entry to its last, in an access from the last to the first:
  /// the rest of the entries of one value.
  var firstGroup: ByteRange?
  var expectedCount: Double = 0

  /// Whether each range is a complete key of a unique index.
  var isUnique: Bool { index.isUnique && singlePartCount == index.parts.count }

  /// Returns an access that begins at a position in the query's order; this access if that place cannot be determined.
  func beginning(with start: QueryPosition, of query: QuerySpecification) -> IndexAccess {
    guard ranges.count == 1, let range = ranges.first else { return self }
    let single = Set(index.parts.prefix(singlePartCount).map(\.path))
    var keys: [UInt8] = []
    for (key, bytes) in zip(query.sortKeys, start.keys) where !single.contains(key.path) {
      // The index contains only the beginning of a longer text.
      if bytes.count > KeyWriter.indexTextByteLimit { return self }
      keys += bytes
    }
    var access = self
    let place = prefix + (isDescending ? keys.map { ~$0 } : keys)
    // The entries of one value are in the order of their row ids, which follow the value in the key. An entry of a
    // unique index may lack the row id.
    let first = index.isUnique ? place : place + (0..<8).map { UInt8(truncatingIfNeeded: start.rowID >> (56 - 8 * $0)) }
    let ranges: [ByteRange]
    if isDescending {
      let end = ByteRange.successor(of: place)
      if !index.isUnique { access.firstGroup = range.intersection(ByteRange(lower: first, upper: end)) }
      ranges = [ByteRange(lower: [], upper: index.isUnique ? end : place)]
    } else {
      ranges = [ByteRange(lower: first, upper: nil)]
    }
    access.ranges = ranges.compactMap { range.intersection($0) }
    return access
  }

  /// Whether an object can have several entries within the ranges.
  var mayRepeat: Bool { index.parts.contains { $0.path.isEach } }

  /// Whether the entries come in the order of their row ids.
  var isInRowOrder: Bool {
    ranges.count <= 1 && singlePartCount == index.parts.count && !mayRepeat
  }
}
