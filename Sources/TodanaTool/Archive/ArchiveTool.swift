import ArgumentParser

/// The commands for archives of files: snapshots of trees, deduplicated, compressed and encrypted.
struct ArchiveTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Keeps snapshots of files: deduplicated, compressed, encrypted.",
    discussion: """
      An archive is a directory that holds any number of snapshots. Where the environment variable TODANA_ARCHIVE names \
      one, commands take no ARCHIVE argument. Its passphrase comes from an option, from the environment variables \
      TODANA_PASSPHRASE, TODANA_PASSPHRASE_FILE or TODANA_PASSPHRASE_COMMAND, or is asked for; it is never an argument.

      A command that writes needs the archive alone, and commands that read share it. With --wait, commands wait for an \
      archive that another process has open; `add` and `tar import` wait for five minutes without it.
      """,
    version: TodanaTool.configuration.version,
    groupedSubcommands: [
      CommandGroup(name: "Making", subcommands: [ArchiveInitCommand.self, ArchiveAddCommand.self]),
      CommandGroup(
        name: "Looking and taking out",
        subcommands: [
          ArchiveSnapshotsCommand.self, ArchiveListCommand.self, ArchiveFindCommand.self, ArchiveDiffCommand.self,
          ArchiveCatCommand.self, ArchiveExtractCommand.self, ArchiveTarTool.self, ArchiveStatsCommand.self,
        ]),
      CommandGroup(
        name: "Looking after",
        subcommands: [
          ArchiveVerifyCommand.self, ArchiveRemoveCommand.self, ArchivePruneCommand.self, ArchiveTagCommand.self,
          ArchiveRewriteCommand.self, ArchiveCopyCommand.self, ArchivePackCommand.self, ArchiveUnpackCommand.self,
          ArchiveCompactCommand.self, KeyTool.self,
        ]),
    ])
}
