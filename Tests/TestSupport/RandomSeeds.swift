import Foundation

/// Seeds of random tests: new ones in each run, or the seed in the environment variable `TODANA_TEST_SEED`.
public enum RandomSeeds {
  /// The seed to repeat; nil for new ones.
  public static let repeated = ProcessInfo.processInfo.environment["TODANA_TEST_SEED"].flatMap { UInt64($0) }

  /// Returns the seed to repeat, or a new one.
  public static func next() -> UInt64 { repeated ?? UInt64.random(in: 0...UInt64(UInt32.max)) }

  /// Collects the seeds of a test.
  ///
  /// - Parameters:
  ///   - fixed: Seeds of every run.
  ///   - count: The number of new seeds.
  ///   - longCount: The number of new seeds in the long form.
  /// - Returns: Only the seed to repeat if there is one; otherwise the fixed seeds and new ones.
  public static func seeds(_ fixed: [UInt64] = [], new count: Int, long longCount: Int) -> [UInt64] {
    if let repeated { return [repeated] }
    return fixed + (0..<(LongTests.areEnabled ? longCount : count)).map { _ in next() }
  }
}
