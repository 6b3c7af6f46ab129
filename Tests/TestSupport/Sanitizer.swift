import Foundation

/// The sanitizer of the test run, if any: tests of memory do not run under one, which would measure its own.
public enum Sanitizer {
  public static let isUsed = ProcessInfo.processInfo.environment["TODANA_SANITIZER"] != nil
  /// The reason why a test of memory does not run.
  public static let reason = "a sanitizer's own memory would be measured"
}
