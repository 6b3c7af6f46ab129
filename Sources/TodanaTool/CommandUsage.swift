import ArgumentParser

/// How the command that the arguments name is used.
///
/// An error that a command's `run` throws does not tell which command it is of.
struct CommandUsage {
  /// The command's words after "todana", such as "archive add".
  private let words: [String]

  init(of arguments: [String]) {
    var words: [String] = []
    var command: any ParsableCommand.Type = TodanaTool.self
    for argument in arguments {
      let next = command.configuration.subcommands.first { subcommand in
        subcommand._commandName == argument || subcommand.configuration.aliases.contains(argument)
      }
      guard let next else { break }
      words.append(next._commandName)
      command = next
    }
    self.words = words
  }

  /// The message of an error, the usage, and where to read more, as of an error that the parser finds.
  func text(of error: ValidationError) -> String {
    let command = (["todana"] + words).joined(separator: " ")
    return "Error: \(error.message)\nUsage: \(usage)\n  See '\(command) --help' for more information.\n"
  }

  /// The usage in the command's help, which is thrown.
  ///
  /// It knows commands by the words that lead to them, as
  /// commands for keys belong to stores and to archives.
  private var usage: String {
    do {
      var help = try TodanaTool.parseAsRoot(words + ["--help"])
      try help.run()
      return ""
    } catch {
      let help = TodanaTool.fullMessage(for: error)
      guard let start = help.firstRange(of: "USAGE: ")?.upperBound else { return "" }
      return String(help[start...].prefix { !$0.isNewline })
    }
  }
}
