import ArgumentParser

/// A command that changes something, and then says what it did.
///
/// If the standard output is closed or full, the work still counts. A lost summary changes no exit status; a lost report
/// for programs makes ``ExitStatus/done`` into ``ExitStatus/somethingWrong``. The output of other commands, and of dry
/// runs, is their result: without it, they have failed.
protocol SummarizingCommand: ParsableCommand {
  /// Whether nothing is changed.
  var isDryRun: Bool { get }
  /// Whether a program or the user needs the output: a report as JSON, a recovery key.
  var printsReport: Bool { get }
}

extension SummarizingCommand {
  var isDryRun: Bool { false }
  var printsReport: Bool { false }
}

extension ArchiveInitCommand: SummarizingCommand { var printsReport: Bool { json } }
extension ArchiveAddCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveTarImportCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveExtractCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveRemoveCommand: SummarizingCommand { var isDryRun: Bool { dryRun } }
extension ArchivePruneCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { json }
}
extension ArchiveTagCommand: SummarizingCommand {}
extension ArchiveRewriteCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveCopyCommand: SummarizingCommand { var printsReport: Bool { report.json } }
extension ArchiveCompactCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
// A pack on the standard output is written by the library, with an error where that fails.
extension ArchivePackCommand: SummarizingCommand { var printsReport: Bool { report.json } }
extension ArchiveUnpackCommand: SummarizingCommand { var printsReport: Bool { report.json } }

extension ImportCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension BackupCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension RestoreCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension CompactCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension IndexRebuildCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension KeyAddCommand: SummarizingCommand { var printsReport: Bool { json || recoveryKey } }
extension KeyChangeCommand: SummarizingCommand { var printsReport: Bool { json } }
extension KeyRotateCommand: SummarizingCommand {}
