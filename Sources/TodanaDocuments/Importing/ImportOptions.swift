/// The options of an import.
public struct ImportOptions {
  /// The maximum number of rows in a commit.
  ///
  /// A batch also ends after 4 MiB of input.
  public var batchSize: Int
  /// The policy for rows that cannot be imported.
  public var errorPolicy: ErrorPolicy
  /// Whether to continue an unfinished import of the same file.
  public var resume: Bool
  /// The maximum size of a row in bytes.
  ///
  /// Larger rows are errors, and are not kept in memory.
  public var rowByteLimit: Int
  /// A closure that is called after each commit, and after each thousand rows.
  ///
  /// If it throws, the rows before are saved, and the import throws the error. It can be resumed.
  public var progress: ((ImportProgress) throws -> Void)?

  /// The policy for rows that cannot be imported.
  public enum ErrorPolicy {
    /// The first error ends the import. All rows before it are saved.
    case stop
    /// The row is left out, and the closure gets the error, with the line of the row.
    ///
    /// Errors of the file, such as an array without an end, still end the import. An error that the closure throws ends
    /// it as well.
    case skip((ImportError) throws -> Void)
  }

  public init(
    batchSize: Int = 10_000, errorPolicy: ErrorPolicy = .stop, resume: Bool = false, rowByteLimit: Int = 16 << 20,
    progress: ((ImportProgress) throws -> Void)? = nil
  ) {
    self.batchSize = batchSize
    self.errorPolicy = errorPolicy
    self.resume = resume
    self.rowByteLimit = rowByteLimit
    self.progress = progress
  }

  /// The number of bytes of input after which a batch ends.
  static let batchByteLimit = 4 << 20
}

/// The state of an import or export that is running.
public struct ImportProgress: Sendable, Equatable {
  /// The number of imported rows, including those that an earlier, interrupted import has saved.
  public internal(set) var rowCount = 0
  /// The number of rows that were left out.
  public internal(set) var skippedRowCount = 0
  /// The number of bytes of the file that were read.
  public internal(set) var byteCount = 0
  /// The size of the file; nil if it is unknown, as for a pipe.
  public internal(set) var totalByteCount: Int?
}

/// The result of an import.
public struct ImportSummary: Sendable, Equatable {
  /// The number of rows that this call has imported.
  public internal(set) var rowCount = 0
  /// The number of rows that this call has left out.
  public internal(set) var skippedRowCount = 0
}
