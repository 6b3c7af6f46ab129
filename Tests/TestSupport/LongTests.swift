import Foundation

/// Tests that take more than a few seconds, or much memory, run when `TODANA_LONG_TESTS` is set.
public enum LongTests {
  public static let areEnabled = ProcessInfo.processInfo.environment["TODANA_LONG_TESTS"] != nil
  /// Why one that is long does not run.
  public static let reason = "long: set TODANA_LONG_TESTS=1 to run it"
}
