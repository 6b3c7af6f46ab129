import TodanaArchive

/// What commands that make snapshots say in the end.
extension Archive.Added {
  /// Tells of what could not be read, and, if `verbose`, of what was left out.
  func tellFailures(verbose: Bool) {
    for failure in progress.failures { printError(failure) }
    if verbose { for exclusion in progress.exclusions { printError(exclusion) } }
  }

  /// `compared` goes on behind the counts of files; `nothing` says that no snapshot was made for want of anything.
  func say(compared: String, isDryRun: Bool, nothing: String) throws {
    let counts = progress.counts
    try StandardOutput.line(
      "\(counted(counts.files, "file")) in \(counted(counts.directories, "directory", "directories")), "
        + "\(formattedSize(Int(counts.bytes)))" + compared)
    if progress.skippedSockets > 0 {
      try StandardOutput.line("\(counted(progress.skippedSockets, "socket")) left out.")
    }
    for path in progress.excludedArchives {
      try StandardOutput.line("Left out the archive itself: \(printable(path)).")
    }
    let excluded = progress.excluded - progress.excludedArchives.count
    if excluded > 0 { try StandardOutput.line("\(counted(excluded, "path")) left out by rules.") }
    if counts.failures > 0 { try StandardOutput.line("\(counted(counts.failures, "problem")), listed above.") }
    guard let snapshot else {
      return try StandardOutput.line(
        isDryRun ? "Nothing was stored: this was a dry run." : "\(nothing): no snapshot was made.")
    }
    try StandardOutput.line(
      "Stored \(formattedSize(Int(progress.newBytes))) of new content in \(formattedSize(Int(progress.storedBytes))).")
    try StandardOutput.line("Snapshot \(snapshot.id.short).")
  }
}
