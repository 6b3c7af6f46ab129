import Foundation

/// Tests of memory do not run under a sanitizer, which would measure its own.
public enum Sanitizer {
  public static let isUsed = ProcessInfo.processInfo.environment["TODANA_SANITIZER"] != nil
  /// Why such a test does not run.
  public static let reason = "a sanitizer's own memory would be measured"
}
