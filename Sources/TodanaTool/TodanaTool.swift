import ArgumentParser

/// The command-line tool.
struct TodanaTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todana",
    abstract: "Archives files, and looks after Todana stores.",
    discussion: """
      Results go to the standard output, messages and progress to the standard error. Exit status: 0 done; 1 done, with \
      something wrong, which is listed; 2 wrong use; 3 the store cannot be opened; 4 failed, and nothing was changed; 130 \
      interrupted, and nothing was lost.
      """,
    version: "0.1.0",
    subcommands: [ArchiveTool.self, StoreTool.self])
}

/// The commands for any store, which need none of its classes.
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Looks into stores, and looks after them.",
    discussion: """
      Needs none of the program's classes. The passphrase of an encrypted store comes from an option, from the environment \
      variables TODANA_PASSPHRASE, TODANA_PASSPHRASE_FILE or TODANA_PASSPHRASE_COMMAND, or is asked for; it is never an \
      argument.
      """,
    version: TodanaTool.configuration.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Looking",
        subcommands: [
          InfoCommand.self, ClassesCommand.self, ListCommand.self, GetCommand.self, NamesCommand.self,
          NameCommand.self, VerifyCommand.self,
        ]),
      CommandGroup(
        name: "Copying",
        subcommands: [
          DumpCommand.self, ImportCommand.self, BackupCommand.self, BackupsTool.self, RestoreCommand.self,
          SalvageCommand.self,
        ]),
      CommandGroup(
        name: "Changing",
        subcommands: [
          CompactCommand.self, IndexTool.self, EncryptCommand.self, DecryptCommand.self, KeyTool.self,
          KeyRotateCommand.self,
        ]),
    ])
}
