import Foundation

/// The sanitizer of the test run, if any.
///
/// Tests of memory use are skipped under a sanitizer: they would measure the sanitizer's own memory.
public enum Sanitizer {
  public static let isUsed = ProcessInfo.processInfo.environment["TODANA_SANITIZER"] != nil
  /// The reason why a test of memory does not run.
  public static let reason = "a sanitizer's own memory would be measured"
}
