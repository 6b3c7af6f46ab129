import ArgumentParser

/// The command-line tool.
struct TodanaTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todana",
    abstract: "Looks after Todana stores.",
    discussion: """
      Results go to the standard output, messages and progress to the standard error. Exit status: 0 done; 1 done, with \
      something wrong, which is listed; 2 wrong use; 3 the store cannot be opened; 4 failed, and nothing was changed.
      """,
    version: "0.1.0",
    subcommands: [StoreTool.self])
}

/// What can be done with any store, without its classes.
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Verifies, salvages, encrypts and decrypts stores.",
    discussion: "Needs none of the program's classes.",
    version: TodanaTool.configuration.version,
    subcommands: [
      VerifyCommand.self, SalvageCommand.self, EncryptCommand.self, DecryptCommand.self, RotateCommand.self,
    ])
}
