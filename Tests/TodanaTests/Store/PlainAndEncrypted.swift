import TestSupport
import Testing
import Todana

/// A trait that runs each test twice: over a ``FaultyBackend`` without keys, then over one with keys, whose stores seal
/// all records.
struct PlainAndEncrypted: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await FaultyBackend.$testedKeyRing.withValue(nil) { try await function() }
    let keyRing = try EveryBackend.keyRing()
    // Adds to each failure that the stores were encrypted.
    let naming = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append("The stores are encrypted.")
      return issue
    }
    try await naming.provideScope(for: test, testCase: testCase) {
      do {
        try await FaultyBackend.$testedKeyRing.withValue(keyRing) { try await function() }
      } catch {
        Issue.record("\(error)")
        throw error
      }
    }
  }
}

extension Trait where Self == PlainAndEncrypted {
  /// Runs each test over a plain backend and over an encrypted one.
  static var plainAndEncrypted: Self { PlainAndEncrypted() }
}
