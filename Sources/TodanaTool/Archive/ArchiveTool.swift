import ArgumentParser

/// The commands for archives of files: snapshots of trees, deduplicated, compressed and encrypted.
struct ArchiveTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Keep snapshots of files: deduplicated, compressed, encrypted.",
    discussion: """
      An archive is a directory that contains any number of snapshots. Its passphrase or key comes from an option or \
      an environment variable, or is asked for on the terminal. It is never an argument, since all users of the \
      machine could see it.

      A command that writes needs exclusive access to the archive; commands that read can run at the same time. With \
      --wait, a command waits while another process has the archive open. By default, only 'add' and 'tar import' \
      wait, for five minutes.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive init /backup/Files.todana
        todana archive add /backup/Files.todana Documents Pictures
        todana archive extract /backup/Files.todana --target restored
      """,
    version: TodanaTool.configuration.version,
    groupedSubcommands: [
      CommandGroup(name: "Creating", subcommands: [ArchiveInitCommand.self, ArchiveAddCommand.self]),
      CommandGroup(
        name: "Reading",
        subcommands: [
          ArchiveSnapshotsCommand.self, ArchiveListCommand.self, ArchiveFindCommand.self, ArchiveDiffCommand.self,
          ArchiveCatCommand.self, ArchiveExtractCommand.self, ArchiveTarTool.self, ArchiveStatsCommand.self,
        ]),
      CommandGroup(
        name: "Maintaining",
        subcommands: [
          ArchiveVerifyCommand.self, ArchiveRemoveCommand.self, ArchivePruneCommand.self, ArchiveTagCommand.self,
          ArchiveRewriteCommand.self, ArchiveCopyCommand.self, ArchivePackCommand.self, ArchiveUnpackCommand.self,
          ArchiveCompactCommand.self, KeyTool.self,
        ]),
    ])
}
