import TodanaArchive

// The report of commands that make snapshots.
extension Archive.Added {
  /// Lists the failures, and, if `verbose`, the paths that were left out; warns if all files were.
  func tellFailures(verbose: Bool) {
    if progress.counts.files == 0, progress.excluded > progress.excludedArchives.count {
      printError("every file is excluded by rules: the snapshot has no files")
    }
    for failure in progress.failures { printError(failure) }
    if verbose { for exclusion in progress.exclusions { printError(exclusion) } }
  }

  /// Prints the report for people.
  ///
  /// - Parameters:
  ///   - compared: The text after the counts of files.
  ///   - isDryRun: Whether nothing was stored.
  ///   - nothing: The reason why there is no snapshot, if there is none.
  /// - Throws: Errors of the standard output.
  func say(compared: String, isDryRun: Bool, nothing: String) throws {
    let counts = progress.counts
    try StandardOutput.line(
      "\(counted(counts.files, "file")) in \(counted(counts.directories, "directory", "directories")), "
        + "\(formattedSize(Int(counts.bytes)))" + compared)
    if progress.skippedSockets > 0 {
      try StandardOutput.line("\(counted(progress.skippedSockets, "socket")) left out.")
    }
    for path in progress.excludedArchives {
      try StandardOutput.line("Excluded the archive itself: \(printable(path)).")
    }
    let excluded = progress.excluded - progress.excludedArchives.count
    if excluded > 0 { try StandardOutput.line("\(counted(excluded, "path")) excluded by rules.") }
    if counts.failures > 0 { try StandardOutput.line("\(counted(counts.failures, "problem")), listed above.") }
    guard let snapshot else {
      return try StandardOutput.line(
        isDryRun ? "Nothing was stored: this was a dry run." : "\(nothing): no snapshot was made.")
    }
    try StandardOutput.line(
      "Added \(formattedSize(Int(progress.newBytes))) of new content "
        + "(\(formattedSize(Int(progress.storedBytes))) stored).")
    try StandardOutput.line("Snapshot \(snapshot.id.short) saved.")
  }
  /// Throws the exit status of a command that made no snapshot, or met failures.
  func checkOutcome(isDryRun: Bool) throws(ExitStatus) {
    if snapshot == nil, !isDryRun { throw .failed }
    if progress.counts.failures > 0 { throw .somethingWrong }
  }
}

/// The JSON report of a new snapshot.
struct AddedReport: Encodable {
  let snapshot: String?
  let fileCount: Int
  let directoryCount: Int
  let byteCount: Int64
  /// The number of new files; nil if files are not compared with an earlier snapshot.
  let newFileCount: Int?
  let changedFileCount: Int?
  let unchangedFileCount: Int?
  let readByteCount: Int64
  let newByteCount: Int64
  let storedByteCount: Int64
  let skippedSocketCount: Int
  let excludedCount: Int
  let failureCount: Int
  let failures: [String]

  init(_ added: Archive.Added, comparesFiles: Bool) {
    let progress = added.progress
    let counts = progress.counts
    snapshot = added.snapshot.map { "\($0.id)" }
    (fileCount, directoryCount, byteCount) = (counts.files, counts.directories, counts.bytes)
    newFileCount = comparesFiles ? progress.newFiles : nil
    changedFileCount = comparesFiles ? progress.changedFiles : nil
    unchangedFileCount = comparesFiles ? progress.unchangedFiles : nil
    (readByteCount, newByteCount, storedByteCount) = (progress.bytesRead, progress.newBytes, progress.storedBytes)
    (skippedSocketCount, excludedCount) = (progress.skippedSockets, progress.excluded)
    (failureCount, failures) = (counts.failures, progress.failures)
  }
}
