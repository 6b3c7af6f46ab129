import ArgumentParser
import Foundation
import Todana
import TodanaArchive

/// The options for opening an archive.
struct ArchiveOptions: ParsableArguments {
  @OptionGroup(title: "Passphrase or key") var secret: SecretOptions
  @OptionGroup var waiting: WaitOptions

  /// The environment variable that names the archive of commands whose first argument does not.
  static let variable = "TODANA_ARCHIVE"

  /// Splits the arguments into the archive and the rest; the archive may come from the environment.
  static func split(_ arguments: [String]) throws -> (archive: String, rest: [String]) {
    if let archive = ProcessInfo.processInfo.environment[variable], !archive.isEmpty { return (archive, arguments) }
    guard let archive = arguments.first else {
      throw ValidationError("No archive given: pass its directory as the first argument, or set \(variable).")
    }
    return (archive, Array(arguments.dropFirst()))
  }

  /// Inserts the archive of ``variable`` into the arguments of `archive key`, whose commands expect a store, as those
  /// of `store key`.
  static func namingStore(_ arguments: [String]) -> [String] {
    guard arguments.count >= 3, arguments[..<2] == ["archive", "key"],
      KeyTool.configuration.subcommands.contains(where: { $0.configuration.commandName == arguments[2] }),
      let archive = ProcessInfo.processInfo.environment[variable], !archive.isEmpty
    else { return arguments }
    return arguments[...2] + [archive] + arguments[3...]
  }

  /// Returns the archive of a command that has no other arguments, from the argument or the environment.
  static func archive(_ argument: String?) throws -> String {
    if let argument { return argument }
    return try split([]).archive
  }

  /// Opens the archive, calls the closure, and closes the archive, even after an error.
  ///
  /// - Parameters:
  ///   - path: The archive's directory.
  ///   - access: Whether the closure changes the archive.
  ///   - other: The secret, if the caller has already read it from an option or the environment.
  ///   - defaultWait: The seconds to wait while another process has the archive open, if no option sets them.
  ///   - body: The work.
  /// - Returns: The result of the closure.
  /// - Throws: ``CannotOpen``; ``Interrupted``; errors of the closure.
  func withArchive<Result>(
    _ path: String, _ access: KyotoBackend.Access = .read, secret other: StoreSecret? = nil, defaultWait: Double = 0,
    _ body: (Archive) throws -> Result
  ) throws -> Result {
    var configuration = StoreConfiguration()
    configuration.access = access
    let archive = try secret.opening(
      waiting.waiting(for: path, defaultSeconds: defaultWait), configuration,
      given: try other ?? secret.given()
    ) { configuration in
      do {
        return try Archive(at: path, configuration: configuration)
      } catch let error as ArchiveError where error.code == .notAnArchive || error.code == .newerFormat {
        throw CannotOpen("\(error)", isSomethingElse: error.code == .notAnArchive)
      }
    }
    let result: Result
    do {
      result = try body(archive)
    } catch {
      // Keep the first error, which the caller needs. Committed changes are in the log.
      try? archive.close()
      throw error
    }
    try archive.close()
    return result
  }
}

extension Archive {
  /// Throws if a new file would be in the archive's own directory.
  func refuse(toHold file: String?) throws {
    guard let file, contains(path: bytes(file)) else { return }
    throw ValidationError("\(printable(file)) is inside the archive: choose a file elsewhere.")
  }
}

/// The option for the snapshot that a command uses.
struct SnapshotOption: ParsableArguments {
  @Option(help: ArgumentHelp("The snapshot: its id or the first digits of it, or latest.", valueName: "id"))
  var snapshot = "latest"
}

/// Returns a path as the user typed it, in bytes.
func bytes(_ path: String) -> [UInt8] { TypedArguments.bytes(path) }

/// Returns a text as the user typed it.
///
/// - Throws: `ValidationError` if it is not UTF-8; only paths may contain other bytes.
func checkedText(_ text: String, _ option: String) throws -> String {
  guard !text.unicodeScalars.contains(where: { TypedArguments.byte(of: $0) != nil }) else {
    throw ValidationError("\(option) needs UTF-8 text: “\(printable(text))” is not valid.")
  }
  return text
}

/// Returns a label of snapshots, after checking it.
func checkedLabel(_ label: String) throws -> String {
  guard !label.isEmpty, label.first != " ", label.last != " " else {
    throw ValidationError(
      "“\(printable(label))” is not a label: a label is not empty, and neither begins nor ends with a space.")
  }
  return try checkedText(label, "--label")
}

/// Checks that every rule of `prune` can name the tags (no commas, no spaces at their ends), and returns them.
func checkedTags(_ tags: [String], _ option: String) throws -> [String] {
  try tags.map { tag in
    guard !tag.isEmpty, !tag.contains(","), tag.first != " ", tag.last != " " else {
      throw ValidationError(
        "“\(printable(tag))” is not a tag: a tag is not empty, has no comma, and neither begins nor ends with a space."
      )
    }
    return try checkedText(tag, option)
  }
}
