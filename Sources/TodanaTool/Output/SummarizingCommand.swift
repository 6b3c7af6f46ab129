import ArgumentParser

/// A command that makes changes, and then prints a summary.
///
/// If the standard output is closed or full, the changes still count. A lost summary does not change the exit status. A
/// lost report for programs changes ``ExitStatus/done`` to ``ExitStatus/somethingWrong``. For other commands, and for
/// dry runs, the output is the result: without it, they have failed.
protocol SummarizingCommand: ParsableCommand {
  /// Whether the command changes nothing.
  var isDryRun: Bool { get }
  /// Whether a program or the user needs the output: a JSON report, a recovery key.
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
extension ArchiveRemoveCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { json }
}
extension ArchivePruneCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveTagCommand: SummarizingCommand { var printsReport: Bool { json } }
extension ArchiveRewriteCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
extension ArchiveCopyCommand: SummarizingCommand { var printsReport: Bool { report.json } }
extension ArchiveCompactCommand: SummarizingCommand {
  var isDryRun: Bool { dryRun }
  var printsReport: Bool { report.json }
}
// The library writes a pack to the standard output, and throws if that fails.
extension ArchivePackCommand: SummarizingCommand { var printsReport: Bool { report.json } }
extension ArchiveUnpackCommand: SummarizingCommand { var printsReport: Bool { report.json } }

extension ImportCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension BackupCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension RestoreCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension CompactCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension DropCommand: SummarizingCommand { var printsReport: Bool { json } }
extension IndexRebuildCommand: SummarizingCommand { var printsReport: Bool { options.json } }
extension KeyAddCommand: SummarizingCommand { var printsReport: Bool { json || recoveryKey } }
extension KeyChangeCommand: SummarizingCommand { var printsReport: Bool { json } }
extension KeyRemoveCommand: SummarizingCommand {}
extension KeyRotateCommand: SummarizingCommand { var printsReport: Bool { json } }
