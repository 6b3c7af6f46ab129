internal import Synchronization

/// How files are put where there may be some already.
public struct RestoreOptions: Sendable, Hashable {
  /// How an existing file or directory is treated that has the name of an entry.
  public enum Overwriting: Sendable, Hashable {
    /// It stays as it is.
    case never
    /// It is replaced if its modification time is before the entry's; an older directory gets the entry's metadata.
    ///
    /// A file of the same length and time counts as equal. Neither its content nor its metadata is compared.
    case older
    /// It is replaced unless its content is equal, and gets the entry's metadata.
    ///
    /// The content of files of the same length and time is compared. Names that should be of one file become so again. A
    /// directory is replaced by another kind only when it is empty.
    case always
    /// Its content stays, and it gets the entry's metadata.
    ///
    /// A file of another length or time gets permissions, owner and attributes only: its time, and rights that its
    /// content would get (setuid, setgid, capabilities), stay. Hard links are made again between files of the right
    /// length and time.
    case metadata
  }

  /// Whose a restored file is.
  public enum Owners: Sendable, Hashable {
    /// The user who restores it; the report names no file for that.
    case own
    /// The user and group with the numbers of the entry.
    case numbers
    /// The user and group with the names of the entry; where the system does not know one, that with the number.
    case names
  }

  public var overwriting: Overwriting
  /// Only root can give files away; if another user restores, the report has the files that are theirs instead.
  public var owners: Owners
  /// Whether the data of each file are on the disk before it gets its name.
  ///
  /// A loss of power then leaves none that is not whole. Costs a wait for the disk for each file.
  public var flushesFiles: Bool

  public init(overwriting: Overwriting = .never, owners: Owners = .numbers, flushesFiles: Bool = false) {
    self.overwriting = overwriting
    self.owners = owners
    self.flushesFiles = flushesFiles
  }
}

/// Collects problems that did not keep the rest from being restored, and counts existing directories.
///
/// Any thread.
public final class RestoreReport: Sendable {
  /// The first of the warnings; ``warningCount`` counts all.
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

  /// Metadata that files do not have, and files that were left out.
  public var warnings: [FileError] { state.withLock { $0.warnings } }
  public var warningCount: Int { state.withLock { $0.warningCount } }
  /// How many files belong to whoever restored them instead of their owners.
  ///
  /// One of ``warnings`` stands for them all.
  public var skippedOwnerCount: Int { state.withLock { $0.skippedOwnerCount } }

  /// How many directories existed and got their entry's metadata, which was different.
  public var updatedDirectoryCount: Int { state.withLock { $0.updatedDirectoryCount } }
  /// How many directories existed and kept their metadata, though it is different from their entry's.
  public var keptDirectoryCount: Int { state.withLock { $0.keptDirectoryCount } }

  func addUpdatedDirectory() { state.withLock { $0.updatedDirectoryCount += 1 } }
  func addKeptDirectory() { state.withLock { $0.keptDirectoryCount += 1 } }

  func add(_ warning: FileError) { state.withLock { Self.add(warning, to: &$0) } }

  func addSkippedOwner(_ path: EntryPath) {
    state.withLock { state in
      state.skippedOwnerCount += 1
      guard state.skippedOwnerCount == 1 else { return }
      let detail = "this file and others keep the owner who restored them"
      Self.add(FileError(.setOwner, path.bytes, .skipped, detail: detail), to: &state)
    }
  }

  /// Adds metadata that the target's file system has changed without an error; the first file stands for all.
  func addAltered(_ operation: FileError.Operation, _ path: EntryPath) {
    state.withLock { state in
      guard state.altered.insert(operation).inserted else { return }
      let detail = "the file system of the target has others, for this file and perhaps more"
      Self.add(FileError(operation, path.bytes, .notSupported, detail: detail), to: &state)
    }
  }

  private static func add(_ warning: FileError, to state: inout State) {
    state.warningCount += 1
    if state.warnings.count < warningLimit { state.warnings.append(warning) }
  }
}
