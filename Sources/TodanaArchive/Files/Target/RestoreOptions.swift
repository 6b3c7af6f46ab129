internal import Synchronization

/// The options of restoring files into a directory that may already contain some.
public struct RestoreOptions: Sendable, Hashable {
  /// The treatment of an existing file or directory that has the name of an entry.
  public enum Overwriting: Sendable, Hashable {
    /// The existing file stays unchanged.
    case never
    /// The existing file is replaced if its modification time is before the entry's; an older directory gets the
    /// entry's metadata.
    ///
    /// A file of the same length and time counts as equal: neither its content nor its metadata is compared.
    case older
    /// The existing file is replaced if its content differs, and gets the entry's metadata otherwise.
    ///
    /// If length and time are equal, the content is compared. Hard links are restored. A directory is replaced by
    /// another kind of file only if it is empty.
    case always
    /// The existing file keeps its content and gets the entry's metadata.
    ///
    /// A file of another length or time keeps its time, and gets no privileges intended for the entry's content
    /// (setuid, setgid, capabilities). Hard links are restored between files of the entry's length and time.
    case metadata
  }

  /// The choice of owner for restored files.
  public enum Owners: Sendable, Hashable {
    /// The user who restores the files; the report then contains no warnings about owners.
    case own
    /// The user and group with the entry's numbers.
    case numbers
    /// The user and group with the entry's names, or with its numbers if the system does not know a name.
    case names
  }

  /// The treatment of existing files; the default is ``Overwriting/never``.
  public var overwriting: Overwriting
  /// The owners of restored files.
  ///
  /// Only root can set other owners. If another user restores, the files belong to that user, and
  /// ``RestoreReport/skippedOwnerCount`` counts them.
  public var owners: Owners
  /// Whether each file's data is flushed to disk before the file gets its name.
  ///
  /// After a power failure, no file is incomplete then. Each file waits for the disk.
  public var flushesFiles: Bool

  public init(overwriting: Overwriting = .never, owners: Owners = .numbers, flushesFiles: Bool = false) {
    self.overwriting = overwriting
    self.owners = owners
    self.flushesFiles = flushesFiles
  }
}

/// A collection of problems that did not stop the restoring, with counts of existing directories.
///
/// Thread-safe.
public final class RestoreReport: Sendable {
  /// The maximum number of stored warnings; ``warningCount`` counts all of them.
  public static let warningLimit = 1000

  private struct State {
    var warnings: [FileError] = []
    var warningCount = 0
    var skippedOwnerCount = 0
    var altered: Set<FileError.Operation> = []
    var updatedDirectoryCount = 0
    var keptDirectoryCount = 0
  }

  private let state = Mutex(State())

  public init() {}

  /// The first warnings: metadata that could not be set, and files that were left out.
  public var warnings: [FileError] { state.withLock { $0.warnings } }
  /// The number of all warnings, including those that are not stored.
  public var warningCount: Int { state.withLock { $0.warningCount } }
  /// The number of files that belong to the restoring user instead of their entry's owner.
  ///
  /// ``warnings`` contains one warning for all of them.
  public var skippedOwnerCount: Int { state.withLock { $0.skippedOwnerCount } }

  /// The number of existing directories whose metadata differed and was replaced.
  public var updatedDirectoryCount: Int { state.withLock { $0.updatedDirectoryCount } }
  /// The number of existing directories that kept their metadata, although it differs from their entry's.
  public var keptDirectoryCount: Int { state.withLock { $0.keptDirectoryCount } }

  func addUpdatedDirectory() { state.withLock { $0.updatedDirectoryCount += 1 } }
  func addKeptDirectory() { state.withLock { $0.keptDirectoryCount += 1 } }

  func add(_ warning: FileError) { state.withLock { Self.add(warning, to: &$0) } }

  func addSkippedOwner(_ path: EntryPath) {
    state.withLock { state in
      state.skippedOwnerCount += 1
      guard state.skippedOwnerCount == 1 else { return }
      let detail = "this file and perhaps others belong to the user who restored them"
      Self.add(FileError(.setOwner, path.bytes, .skipped, detail: detail), to: &state)
    }
  }

  /// Adds a warning that the file system has silently changed metadata; only the first file of an operation is
  /// reported.
  func addAltered(_ operation: FileError.Operation, _ path: EntryPath) {
    state.withLock { state in
      guard state.altered.insert(operation).inserted else { return }
      let detail = "the target's file system changes them, for this file and perhaps others"
      Self.add(FileError(operation, path.bytes, .notSupported, detail: detail), to: &state)
    }
  }

  private static func add(_ warning: FileError, to state: inout State) {
    state.warningCount += 1
    if state.warnings.count < warningLimit { state.warnings.append(warning) }
  }
}
