import ArgumentParser

/// The command-line tool.
@main
struct TodanaTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todana",
    abstract: "Looks after Todana stores.",
    subcommands: [StoreTool.self])
}

/// What can be done with any store, without its classes.
struct StoreTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store",
    abstract: "Verifies and salvages stores.",
    discussion: """
      Needs none of the program's classes. Exits with 0 if all is well, with 1 if the work could not be done, and with 3 \
      if it was done and something is damaged or lost.
      """,
    subcommands: [VerifyCommand.self, SalvageCommand.self])

  /// Something is damaged or lost.
  static let damageStatus = ExitCode(3)
}
