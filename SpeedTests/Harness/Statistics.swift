/// The middle of some values, and how far they spread.
public struct Spread: Equatable, Sendable {
  public let median: Double
  public let minimum: Double
  public let maximum: Double

  /// Nil where there are no values.
  public init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    minimum = first
    maximum = last
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// The value that the given share of all values does not exceed (nearest rank); nil where there are none.
public func percentile(_ share: Double, of values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let rank = Int((share * Double(values.count)).rounded(.up))
  return values.sorted()[min(max(rank, 1), values.count) - 1]
}
