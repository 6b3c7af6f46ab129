import ArgumentParser
import Foundation
import Todana
import TodanaArchive

/// How a command opens the archive that it works on.
struct ArchiveOptions: ParsableArguments {
  @OptionGroup(title: "Passphrase or key") var secret: SecretOptions
  @OptionGroup var waiting: WaitOptions

  /// Names the archive of commands whose first argument does not.
  static let variable = "TODANA_ARCHIVE"

  /// The archive, and what else was said behind the command.
  static func split(_ arguments: [String]) throws -> (archive: String, rest: [String]) {
    if let archive = ProcessInfo.processInfo.environment[variable], !archive.isEmpty { return (archive, arguments) }
    guard let archive = arguments.first else {
      throw ValidationError("Which archive? Its directory is the first argument, or in \(variable).")
    }
    return (archive, Array(arguments.dropFirst()))
  }

  /// Puts the archive that ``variable`` names where `archive key` expects a store, which it shares with `store key`.
  static func namingStore(_ arguments: [String]) -> [String] {
    guard arguments.count >= 3, arguments[..<2] == ["archive", "key"],
      KeyTool.configuration.subcommands.contains(where: { $0.configuration.commandName == arguments[2] }),
      let archive = ProcessInfo.processInfo.environment[variable], !archive.isEmpty
    else { return arguments }
    return arguments[...2] + [archive] + arguments[3...]
  }

  /// The archive of a command that takes nothing else.
  static func archive(_ argument: String?) throws -> String {
    if let argument { return argument }
    return try split([]).archive
  }

  /// Opens the archive, calls the closure, and closes the archive, whatever comes of it.
  ///
  /// - Parameters:
  ///   - path: The archive's directory.
  ///   - access: Whether the closure changes the archive.
  ///   - other: The secret of an archive that is not this command's first, if an option or the environment gives it.
  ///   - defaultWait: The seconds to wait while another process has it open, if no option says.
  ///   - isQuiet: Whether to say nothing about waiting.
  ///   - body: The work.
  /// - Returns: What the closure returns.
  /// - Throws: ``CannotOpen``; ``Interrupted``; what the closure throws.
  func withArchive<Result>(
    _ path: String, _ access: KyotoBackend.Access = .read, secret other: StoreSecret? = nil, defaultWait: Double = 0,
    isQuiet: Bool = false, _ body: (Archive) throws -> Result
  ) throws -> Result {
    var configuration = StoreConfiguration()
    configuration.backendOptions.access = access
    let archive = try secret.opening(
      waiting.waiting(for: path, defaultSeconds: defaultWait, isQuiet: isQuiet), configuration,
      given: try other ?? secret.given()
    ) { configuration in
      do {
        return try Archive(at: path, configuration: configuration)
      } catch let error as ArchiveError where error.code == .notAnArchive || error.code == .newerFormat {
        throw CannotOpen("\(error)")
      }
    }
    let result: Result
    do {
      result = try body(archive)
    } catch {
      // What the caller has to know is the first error; what was committed stands in the log.
      try? archive.close()
      throw error
    }
    try archive.close()
    return result
  }
}

extension Archive {
  /// Throws if a file that is to be made would be in the archive's own directory.
  func refuse(toHold file: String?) throws {
    guard let file, contains(path: bytes(file)) else { return }
    throw ValidationError("\(printable(file)) is in the archive itself: name a file elsewhere.")
  }
}

/// Which snapshot a command is about.
struct SnapshotOption: ParsableArguments {
  @Option(help: ArgumentHelp("The snapshot: its id, the first digits of it, or latest.", valueName: "id"))
  var snapshot = "latest"
}

/// A path as the user typed it, in bytes.
func bytes(_ path: String) -> [UInt8] { TypedArguments.bytes(path) }

/// A text as the user typed it.
///
/// - Throws: Where it is no UTF-8, as only paths may be.
func checkedText(_ text: String, _ option: String) throws -> String {
  guard !text.unicodeScalars.contains(where: { TypedArguments.byte(of: $0) != nil }) else {
    throw ValidationError("\(option) takes UTF-8 text, which “\(printable(text))” is not.")
  }
  return text
}

/// A label of snapshots.
func checkedLabel(_ label: String) throws -> String {
  guard !label.isEmpty, label.first != " ", label.last != " " else {
    throw ValidationError("“\(printable(label))” cannot be a label: it is empty, or has a space at its end.")
  }
  return try checkedText(label, "--label")
}

/// Tags that every rule of `prune` can name: without commas, and without spaces at their ends.
func checkedTags(_ tags: [String], _ option: String) throws -> [String] {
  try tags.map { tag in
    guard !tag.isEmpty, !tag.contains(","), tag.first != " ", tag.last != " " else {
      throw ValidationError(
        "“\(printable(tag))” cannot be a tag: tags are not empty, have no comma, and neither begin nor end with a space."
      )
    }
    return try checkedText(tag, option)
  }
}
