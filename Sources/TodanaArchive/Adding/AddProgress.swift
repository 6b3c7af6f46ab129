internal import Synchronization

/// The progress of an `add`.
public struct AddProgress: Sendable {
  /// The counts of the snapshot so far.
  public var counts = SnapshotCounts()
  /// The number of given paths that could be read: files with readable content, directories with readable names.
  ///
  /// An import counts the entries of the tar instead.
  public var readPaths = 0
  /// The number of files that an earlier snapshot does not have.
  public var newFiles = 0
  /// The number of files whose content or metadata differs from an earlier snapshot.
  public var changedFiles = 0
  /// The number of files that are unchanged since an earlier snapshot.
  public var unchangedFiles = 0
  /// The number of bytes read from files.
  public var bytesRead: Int64 = 0
  /// The number of bytes of content that was new to the archive, before compression.
  public var newBytes: Int64 = 0
  /// The number of bytes of content that was new to the archive, after compression.
  public var storedBytes: Int64 = 0
  /// The number of sockets, which are never archived.
  public var skippedSockets = 0
  /// The number of paths left out by rules, including the archive itself.
  public var excluded = 0
  /// The paths at which the archive itself was found and left out.
  public var excludedArchives: [[UInt8]] = []
  /// The counts of an earlier snapshot of the same paths, as an estimate; nil if there is none.
  public var expected: SnapshotCounts?
  /// The path that is being read now.
  public var path: [UInt8] = []
  /// The first 1,000 messages about files that could not be read, or that changed while they were read.
  public var failures: [String] = []
  /// The first 100,000 paths that were left out, with reasons; empty without ``AddOptions/notesExclusions``.
  public var exclusions: [String] = []

  public init() {}

  /// Whether a snapshot would be empty because nothing could be read.
  ///
  /// Such a snapshot must not be stored: it would count as the latest good one, and pruning would remove others in its
  /// favour.
  public var hasReadNothing: Bool { readPaths == 0 || counts.files == 0 && counts.failures > 0 }

  /// The estimated share of the work that is done, from 0 to 0.99; nil without an earlier snapshot.
  ///
  /// The estimate assumes that the paths contain as much as in the earlier snapshot.
  public var share: Double? {
    guard let expected, expected.files + expected.directories > 0 else { return nil }
    func share(_ done: Double, _ all: Double) -> Double? { all > 0 ? done / all : nil }
    let ofFiles = share(Double(counts.files + counts.directories), Double(expected.files + expected.directories))
    let ofBytes = share(Double(counts.bytes), Double(expected.bytes))
    // Use the mean of both shares: the time for small files depends on their number, and the time for large files on
    // their bytes.
    let shares = [ofFiles, ofBytes].compactMap { $0 }
    return min(0.99, shares.reduce(0, +) / Double(max(1, shares.count)))
  }

  /// Replaces the counts after all entries are known, if a path could occur more than once.
  mutating func setCounts(_ counts: SnapshotCounts) {
    (self.counts.files, self.counts.directories, self.counts.bytes) = (counts.files, counts.directories, counts.bytes)
    newFiles = counts.files
  }
}

/// The progress of an `add`, changed and read by several threads.
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
