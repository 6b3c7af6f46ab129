import TestSupport
import Testing
import Todana

/// A trait that runs each test over every backend, one after another.
struct OverEveryBackend: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var backend = EveryBackend.faulty

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    for backend in EveryBackend.allCases {
      let naming = IssueHandlingTrait.compactMapIssues { issue in
        var issue = issue
        issue.comments.append("The backend is \(backend).")
        return issue
      }
      try await naming.provideScope(for: test, testCase: testCase) {
        try await Self.$backend.withValue(backend) { try await function() }
      }
    }
  }
}

extension Trait where Self == OverEveryBackend {
  /// Runs each test over every backend.
  static var overEveryBackend: Self { OverEveryBackend() }
}

/// Several stores over one backend, of the kind that the test is run over.
final class Stores {
  let backend: any StoreBackend
  private let directory: TemporaryDirectory
  private let classes: [StoredObject.Type]

  init(classes: [StoredObject.Type] = libraryClasses) throws {
    directory = try TemporaryDirectory()
    backend = try OverEveryBackend.backend.open(in: directory)
    self.classes = classes
  }

  deinit { try? backend.close() }

  /// Opens a store.
  func open(_ configuration: StoreConfiguration = StoreConfiguration()) throws -> Store {
    try Store(backend: backend, classes: classes, configuration: configuration)
  }
}
