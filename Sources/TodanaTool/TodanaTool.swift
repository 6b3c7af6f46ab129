import ArgumentParser

/// The command-line tool.
struct TodanaTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todana",
    abstract: "Archive files, and inspect and maintain Todana stores.",
    discussion: """
      Results are written to the standard output, messages and progress to the standard error.

      Exit status:
        0    success
        1    completed, but problems were found; they are listed
        2    wrong usage, for example an unknown option
        3    the store, archive, series of backups or an input file cannot be opened,
             or a passphrase or key is missing, wrong or malformed
        4    failed; nothing was saved, unless the message says otherwise
        130  interrupted; no data were lost

      \(EnvironmentHelp.all)

      Examples:
        todana archive init /backup/Files.todana
        todana store info Music.todana
      """,
    version: "0.1.0",
    subcommands: [ArchiveTool.self, StoreTool.self])
}

/// The commands for any store, which need none of its classes.
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Inspect and maintain stores.",
    discussion: """
      The commands need none of the program's classes. While a program has a store open for writing, no command can \
      open it; the program itself can make backups.

      The passphrase or key of an encrypted store comes from an option or an environment variable, or is asked for on \
      the terminal. It is never an argument, since all users of the machine could see it.

      \(EnvironmentHelp.store)

      Examples:
        todana store info Music.todana
        todana store backup --series Music.todana /backup/Music.series
      """,
    version: TodanaTool.configuration.version,
    groupedSubcommands: [
      CommandGroup(
        name: "Inspecting",
        subcommands: [
          InfoCommand.self, ClassesCommand.self, ListCommand.self, QueryCommand.self, GetCommand.self,
          NamesCommand.self, NameCommand.self, VerifyCommand.self,
        ]),
      CommandGroup(
        name: "Copying",
        subcommands: [
          DumpCommand.self, ImportCommand.self, ExportCommand.self, BackupCommand.self, BackupsTool.self,
          RestoreCommand.self,
          SalvageCommand.self,
        ]),
      CommandGroup(
        name: "Changing",
        subcommands: [
          InsertCommand.self, UpdateCommand.self, DeleteCommand.self, CompactCommand.self, IndexTool.self,
          DropCommand.self, EncryptCommand.self, DecryptCommand.self, KeyTool.self,
          KeyRotateCommand.self,
        ]),
    ])
}
