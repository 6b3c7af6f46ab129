import TestSupport
import Testing
import Todana

/// Has each test run twice: over a ``FaultyBackend`` whose stores seal nothing, then over one whose stores seal
/// everything.
struct PlainAndEncrypted: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await FaultyBackend.$testedKeyRing.withValue(nil) { try await function() }
    let keyRing = try EveryBackend.keyRing()
    // So that a failure says which of the two it was.
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
  /// Each test runs over a plain backend and over an encrypted one.
  static var plainAndEncrypted: Self { PlainAndEncrypted() }
}
