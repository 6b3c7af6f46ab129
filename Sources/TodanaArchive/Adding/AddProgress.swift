internal import Synchronization

/// The progress of an `add`.
public struct AddProgress: Sendable {
  public var counts = SnapshotCounts()
  /// The number of given paths that could be read: files with readable content, directories with readable names.
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
  /// Paths that were left out by rules, and the archive itself.
  public var excluded = 0
  /// The paths at which the archive itself was met, and left out.
  public var excludedArchives: [[UInt8]] = []
  /// The counts of an earlier snapshot of the same paths, if there is one: an estimate of the counts to come.
  public var expected: SnapshotCounts?
  /// The path that is being read.
  public var path: [UInt8] = []
  /// The messages about files that could not be read, or changed while they were read: the first 1,000.
  public var failures: [String] = []
  /// The paths that were left out, with the reasons: the first 100,000, with ``AddOptions/notesExclusions`` only.
  public var exclusions: [String] = []

  public init() {}

  /// Whether a snapshot would be empty because nothing could be read.
  ///
  /// It would pass for the latest good one, and other snapshots would be pruned for it.
  public var hasReadNothing: Bool { readPaths == 0 || counts.files == 0 && counts.failures > 0 }

  /// The share that is done, from 0 to 0.99, if the paths hold as much as in the earlier snapshot; nil without one.
  public var share: Double? {
    guard let expected, expected.files + expected.directories > 0 else { return nil }
    func share(_ done: Double, _ all: Double) -> Double? { all > 0 ? done / all : nil }
    let ofFiles = share(Double(counts.files + counts.directories), Double(expected.files + expected.directories))
    let ofBytes = share(Double(counts.bytes), Double(expected.bytes))
    // Many small files and few large ones take their time in different ways.
    let shares = [ofFiles, ofBytes].compactMap { $0 }
    return min(0.99, shares.reduce(0, +) / Double(max(1, shares.count)))
  }

  /// Once it is known what a tree holds in which paths came more than once.
  mutating func setCounts(_ counts: SnapshotCounts) {
    (self.counts.files, self.counts.directories, self.counts.bytes) = (counts.files, counts.directories, counts.bytes)
    newFiles = counts.files
  }
}

/// Progress that the reading thread writes and other threads read.
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
