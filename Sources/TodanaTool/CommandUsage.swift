import ArgumentParser

/// The usage of the command that the arguments name.
///
/// The command is found by the arguments, because an error that its `run` throws does not identify it.
struct CommandUsage {
  /// The command's words after "todana", such as "archive add".
  let words: [String]
  let command: any ParsableCommand.Type

  init(of arguments: [String]) {
    var words: [String] = []
    var command: any ParsableCommand.Type = TodanaTool.self
    for argument in arguments {
      let next = Self.subcommands(of: command).first { subcommand in
        subcommand._commandName == argument || subcommand.configuration.aliases.contains(argument)
      }
      guard let next else { break }
      words.append(next._commandName)
      command = next
    }
    (self.words, self.command) = (words, command)
  }

  /// The names of the command's own commands; empty for a command that does the work.
  var subcommandNames: [String] {
    Self.subcommands(of: command).flatMap { [$0._commandName] + $0.configuration.aliases }
  }

  private static func subcommands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    command.configuration.subcommands
  }

  /// Returns the error, the usage, and a pointer to the help, in the form of the parser's own errors.
  func text(of error: ValidationError) -> String {
    let command = (["todana"] + words).joined(separator: " ")
    return "Error: \(error.message)\nUsage: \(usage)\n  See '\(command) --help' for more information.\n"
  }

  /// The usage from the help of the command; the parser throws the help.
  ///
  /// The help is requested by the command's words and not by its type, because some types belong to both `store` and
  /// `archive`.
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
