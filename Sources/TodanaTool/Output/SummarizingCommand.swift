import ArgumentParser

/// A command that changes something, and then says what it did.
///
/// Its output is a summary, which may be lost without harm: if the standard output is closed or full, the work still
/// counts, and the exit status is that of the work. The output of all other commands is their result.
protocol SummarizingCommand: ParsableCommand {
  /// Whether the output is the result after all, as a report for programs is.
  var printsResult: Bool { get }
}

extension SummarizingCommand {
  var printsResult: Bool { false }
}

extension ArchiveInitCommand: SummarizingCommand { var printsResult: Bool { json } }
extension ArchiveAddCommand: SummarizingCommand { var printsResult: Bool { report.json || dryRun } }
extension ArchiveTarImportCommand: SummarizingCommand { var printsResult: Bool { report.json || dryRun } }
extension ArchiveExtractCommand: SummarizingCommand { var printsResult: Bool { report.json || dryRun } }
extension ArchiveRemoveCommand: SummarizingCommand {}
extension ArchivePruneCommand: SummarizingCommand { var printsResult: Bool { json || dryRun } }
extension ArchiveTagCommand: SummarizingCommand {}
extension ArchiveRewriteCommand: SummarizingCommand { var printsResult: Bool { report.json } }
extension ArchiveCopyCommand: SummarizingCommand { var printsResult: Bool { report.json } }
extension ArchiveCompactCommand: SummarizingCommand { var printsResult: Bool { report.json } }
// A pack on the standard output is written by the library, with an error where that fails.
extension ArchivePackCommand: SummarizingCommand { var printsResult: Bool { report.json } }
extension ArchiveUnpackCommand: SummarizingCommand { var printsResult: Bool { report.json } }

extension ImportCommand: SummarizingCommand { var printsResult: Bool { options.json } }
extension BackupCommand: SummarizingCommand { var printsResult: Bool { options.json } }
extension RestoreCommand: SummarizingCommand { var printsResult: Bool { options.json } }
extension CompactCommand: SummarizingCommand { var printsResult: Bool { options.json } }
extension IndexRebuildCommand: SummarizingCommand { var printsResult: Bool { options.json } }
extension KeyAddCommand: SummarizingCommand { var printsResult: Bool { json || recoveryKey } }
extension KeyChangeCommand: SummarizingCommand { var printsResult: Bool { json } }
extension KeyRotateCommand: SummarizingCommand {}
