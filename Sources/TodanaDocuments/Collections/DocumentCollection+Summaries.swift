internal import Todana

/// A summary of the values at a path.
public struct DocumentSummary: Sendable, Equatable {
  /// The number of values, without null.
  public internal(set) var count = 0
  /// The sum of all numbers: an integer if all are integers; nil if there is no number, or if the sum of integers has more
  /// than 64 bits.
  public internal(set) var sum: DocumentValue?
  /// The mean of all numbers; nil if there is none.
  public internal(set) var average: Double?
  /// The first value by the order of ``DocumentKind``, without null; nil if there is none.
  public internal(set) var minimum: DocumentValue?
  /// The last value by the order of ``DocumentKind``, without null; nil if there is none.
  public internal(set) var maximum: DocumentValue?
}

// Projections, distinct values and summaries. They read all documents of their condition, one after another.
extension DocumentCollection {
  /// Returns the values at some paths of each document that meets a condition.
  ///
  /// ```swift
  /// try users.values(at: ["last_name", "address.city"], where: "[age] > ?", 20, orderBy: "[last_name]")
  /// ```
  ///
  /// - Parameters:
  ///   - paths: The paths; of those with `[*]` or `**` the first value counts.
  ///   - text: The condition; nil for all documents.
  ///   - arguments: A value for each question mark.
  ///   - orderBy: The paths to sort by; nil for the order of insertion.
  ///   - limit: The maximum number of documents.
  ///   - offset: The number of documents that are skipped.
  /// - Returns: For each document the values in the order of the paths; nil for a missing value.
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  public func values(
    at paths: [String], where text: String? = nil, _ arguments: (any Sendable)?..., orderBy: String? = nil,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [[DocumentValue?]] {
    let paths = paths.map { DocumentPath($0) }
    var query = try query(text, arguments: arguments, orderBy: orderBy).offset(offset)
    if let limit { query = query.limit(limit) }
    var rows: [[DocumentValue?]] = []
    try forEachDocument(of: query) { document in rows.append(paths.map { document[$0] }) }
    return rows
  }

  /// Returns the distinct values at a path, in the order of ``DocumentKind``, without null.
  ///
  /// A path with `[*]` or `**` gives all of its values.
  ///
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  public func distinctValues(
    at path: String, where text: String? = nil, _ arguments: (any Sendable)?...
  ) throws -> [DocumentValue] {
    let path = DocumentPath(path)
    var found: Set<DocumentValue> = []
    try forEachDocument(of: query(text, arguments: arguments)) { document in found.formUnion(document.values(at: path))
    }
    found.remove(.null)
    return found.sorted { DocumentValue.precedes($0, $1) }
  }

  /// Returns a summary of the values at a path.
  ///
  /// ```swift
  /// let ages = try users.summary(of: "age", where: "[address.country] = ?", "US")
  /// print(ages.count, ages.average ?? 0)
  /// ```
  ///
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  public func summary(
    of path: String, where text: String? = nil, _ arguments: (any Sendable)?...
  ) throws -> DocumentSummary {
    let path = DocumentPath(path)
    var summing = Summing()
    try forEachDocument(of: query(text, arguments: arguments)) { document in
      for value in document.values(at: path) { summing.add(value) }
    }
    return summing.summary
  }

  /// Returns summaries of the values at a path, one for each value at another path.
  ///
  /// Documents without a value at the other path are in a group of null.
  ///
  /// - Parameters:
  ///   - path: The path of the values.
  ///   - group: The path of the values that distinguish groups.
  ///   - text: The condition; nil for all documents.
  ///   - arguments: A value for each question mark.
  /// - Returns: The groups in the order of ``DocumentKind``, with the number of their documents.
  /// - Throws: The errors of ``find(_:_:orderBy:limit:offset:)``.
  public func summaries(
    of path: String, groupedBy group: String, where text: String? = nil, _ arguments: (any Sendable)?...
  ) throws -> [(group: DocumentValue, documentCount: Int, summary: DocumentSummary)] {
    let (path, group) = (DocumentPath(path), DocumentPath(group))
    var groups: [DocumentValue: (count: Int, summing: Summing)] = [:]
    try forEachDocument(of: query(text, arguments: arguments)) { document in
      let values = document.values(at: path)
      var entry = groups.removeValue(forKey: document[group] ?? .null) ?? (0, Summing())
      entry.count += 1
      for value in values { entry.summing.add(value) }
      groups[document[group] ?? .null] = entry
    }
    return groups.sorted { DocumentValue.precedes($0.key, $1.key) }.map {
      ($0.key, $0.value.count, $0.value.summing.summary)
    }
  }

  /// Calls back with each document of a query; documents that were not in memory are released after their visit.
  private func forEachDocument(of query: Query<Document>, _ body: (Document) throws -> Void) throws {
    guard try exists else { return }
    try store.forEach(query) { document, _ in try body(document) }
  }
}

/// The state of a summary.
private struct Summing {
  private var count = 0
  private var numberCount = 0
  /// The sum of the integers; nil if it has more than 64 bits.
  private var integers: Int64? = 0
  private var hasDoubles = false
  /// The sum of all numbers, for the mean.
  private var total = 0.0
  private var minimum: DocumentValue?
  private var maximum: DocumentValue?

  mutating func add(_ value: DocumentValue) {
    if value.isNull { return }
    count += 1
    if minimum.map({ DocumentValue.precedes(value, $0) }) ?? true { minimum = value }
    if maximum.map({ DocumentValue.precedes($0, value) }) ?? true { maximum = value }
    switch value.storage {
    case .integer(let integer):
      numberCount += 1
      total += Double(integer)
      guard let sum = integers?.addingReportingOverflow(integer) else { return }
      integers = sum.overflow ? nil : sum.partialValue
    case .double(let number):
      numberCount += 1
      total += number
      hasDoubles = true
    default: return
    }
  }

  var summary: DocumentSummary {
    var summary = DocumentSummary(count: count, minimum: minimum, maximum: maximum)
    guard numberCount > 0 else { return summary }
    summary.average = total / Double(numberCount)
    if hasDoubles {
      summary.sum = DocumentValue(total)
    } else if let integers {
      summary.sum = DocumentValue(integers)
    }
    return summary
  }
}
