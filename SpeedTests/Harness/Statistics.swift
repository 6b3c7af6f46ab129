/// The median, minimum and maximum of values.
public struct Spread: Equatable, Sendable {
  public let median: Double
  public let minimum: Double
  public let maximum: Double

  /// Creates the spread of values; nil if there are none.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    minimum = first
    maximum = last
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// Returns the smallest value that the given share of all values does not exceed (nearest rank).
///
/// Returns nil if there are no values.
public func percentile(_ share: Double, of values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let rank = Int((share * Double(values.count)).rounded(.up))
  return values.sorted()[min(max(rank, 1), values.count) - 1]
}
