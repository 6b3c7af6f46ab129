internal import Synchronization

/// How far an `add` is.
public struct AddProgress: Sendable {
  public var counts = SnapshotCounts()
  /// Of the paths that were given, those that could be looked at.
  public var readPaths = 0
  /// Files of which an earlier snapshot had nothing, had something else, and had the same.
  public var newFiles = 0
  public var changedFiles = 0
  public var unchangedFiles = 0
  /// Bytes that were read of files.
  public var bytesRead: Int64 = 0
  /// Content that the archive did not have, before and after it was made smaller.
  public var newBytes: Int64 = 0
  public var storedBytes: Int64 = 0
  public var skippedSockets = 0
  /// What was left out by rules.
  public var excluded = 0
  /// What is being read.
  public var path: [UInt8] = []
  /// What could not be read, or changed while it was: the first 1,000.
  public var failures: [String] = []
  /// What was left out, and why; with ``AddOptions/notesExclusions`` only, the first 100,000.
  public var exclusions: [String] = []

  public init() {}

  /// Once it is known what a tree holds in which paths came more than once.
  mutating func setCounts(_ counts: SnapshotCounts) {
    (self.counts.files, self.counts.directories, self.counts.bytes) = (counts.files, counts.directories, counts.bytes)
    newFiles = counts.files
  }
}

/// Progress as the reading thread writes it and others look at it.
final class SharedProgress: Sendable {
  private let state = Mutex(AddProgress())

  var value: AddProgress { state.withLock { $0 } }

  func change(_ body: (inout AddProgress) -> Void) { state.withLock { body(&$0) } }

  func addFailure(_ text: String) {
    state.withLock { state in
      state.counts.failures += 1
      if state.failures.count < 1000 { state.failures.append(text) }
    }
  }
}
