import ArgumentParser

/// A command that can be told to print neither progress nor messages about waiting.
protocol QuietCommand: ParsableCommand {
  var isQuiet: Bool { get }
}

extension InfoCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension VerifyCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension ImportCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension ExportCommand: QuietCommand { var isQuiet: Bool { quiet } }
extension DumpCommand: QuietCommand { var isQuiet: Bool { quiet } }
extension BackupCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension RestoreCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension SalvageCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension CompactCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension BackupsVerifyCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension BackupsRemoveCommand: QuietCommand { var isQuiet: Bool { quiet } }
extension BackupsPruneCommand: QuietCommand { var isQuiet: Bool { quiet } }
extension EncryptCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension DecryptCommand: QuietCommand { var isQuiet: Bool { options.quiet } }
extension KeyRotateCommand: QuietCommand { var isQuiet: Bool { options.quiet } }

extension ArchiveAddCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveTarImportCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveExtractCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveVerifyCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveCopyCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveRewriteCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchiveCompactCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchivePruneCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
extension ArchivePackCommand: QuietCommand { var isQuiet: Bool { report.quiet } }
