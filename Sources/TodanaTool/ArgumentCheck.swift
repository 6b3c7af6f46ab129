import ArgumentParser
import Foundation

/// The check of the arguments before the parser reads them.
///
/// The parser treats `-host` as the flags `-h`, `-o`, `-s` and `-t`, finds the flag for help, and prints the help with
/// status 0. A script would take this for success. The parser also counts unexpected arguments instead of naming an
/// unknown command.
struct ArgumentCheck {
  private let arguments: [String]
  private let usage: CommandUsage

  /// - Parameter arguments: The arguments after the program's name.
  init(of arguments: [String]) {
    self.arguments = arguments
    usage = CommandUsage(of: arguments)
  }

  /// Throws if the command is unknown, or if letters after a single dash are not all known flags.
  func check() throws(ValidationError) {
    let rest = arguments.dropFirst(usage.words.count)
    // The parser adds the command `help` to those of the tool.
    let isHelp = usage.words.isEmpty && rest.first == "help"
    if let word = rest.first, !usage.subcommandNames.isEmpty, !isHelp, !word.hasPrefix("-") {
      throw ValidationError("Unknown command '\(printable(word))'." + suggestion(for: word))
    }
    for argument in rest.prefix(while: { $0 != "--" }) { try checkOption(argument) }
  }

  private func checkOption(_ argument: String) throws(ValidationError) {
    let letters = argument.dropFirst().prefix { $0 != "=" }
    // A second dash begins a long option, and a digit a negative number. `-help` can only mean one thing.
    guard argument.hasPrefix("-"), letters.count > 1, let first = letters.first, first != "-", !first.isNumber,
      argument != "-help"
    else { return }
    let names = OptionName.all(of: usage.command)
    let known = Set(names.filter { $0.kind == "short" }.map(\.name)).union(["h"])
    guard !letters.allSatisfy({ known.contains(String($0)) }) else { return }
    let isLongName = names.contains { $0.kind == "long" && $0.name == letters }
    throw ValidationError(
      "Unknown option '-\(printable(String(letters)))'" + (isLongName ? ". Did you mean '--\(letters)'?" : ""))
  }

  /// Returns a question with the command whose name is most similar; empty if none is similar.
  private func suggestion(for word: String) -> String {
    let distances = usage.subcommandNames.map { (name: $0, distance: $0.editDistance(to: word)) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }), nearest.distance <= 2,
      nearest.distance < word.count
    else { return "" }
    return " Did you mean '\(nearest.name)'?"
  }
}

/// A name of an option or flag, from the parser's description of a command.
private struct OptionName: Decodable {
  /// `short` for one letter after a dash, `long` for a name after two dashes.
  let kind: String
  let name: String

  private struct Description: Decodable {
    struct Command: Decodable {
      let arguments: [Argument]?
    }

    struct Argument: Decodable {
      let names: [OptionName]?
    }

    let command: Command
  }

  static func all(of command: any ParsableCommand.Type) -> [OptionName] {
    // If the parser's format changed, only flags of one letter could not be combined.
    let description = try? JSONDecoder().decode(Description.self, from: Data(command._dumpHelp().utf8))
    return description?.command.arguments?.flatMap { $0.names ?? [] } ?? []
  }
}

extension String {
  /// Returns the number of characters to insert, remove or replace to get the other string.
  fileprivate func editDistance(to other: String) -> Int {
    var distances = Array(0...other.count)
    for (row, character) in enumerated() {
      var diagonal = row
      distances[0] = row + 1
      for (column, otherCharacter) in other.enumerated() {
        let above = distances[column + 1]
        distances[column + 1] =
          character == otherCharacter ? diagonal : Swift.min(diagonal, above, distances[column]) + 1
        diagonal = above
      }
    }
    return distances[other.count]
  }
}
