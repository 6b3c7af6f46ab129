import Foundation

/// Tests that take more than a few seconds, or much memory; they run if `TODANA_LONG_TESTS` is set.
public enum LongTests {
  public static let areEnabled = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil
  /// The reason why a long test does not run.
  public static let reason = "long: set TODANA_LONG_TESTS=1 to run it"
}
