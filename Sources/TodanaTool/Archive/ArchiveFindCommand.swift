import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveFindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find files in all snapshots.",
    usage: "todana archive find [<options>] <archive> <pattern> ...",
    discussion: """
      A pattern with a slash at its start or in its middle is compared with the whole path, any other pattern with the \
      last name of the path. A slash at the end matches directories only. Wildcards are those of gitignore: *, ?, \
      [...] and **.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive find /backup/Files.todana '*.txt'
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Patterns of names or paths.", valueName: "pattern"))
  var patterns: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Option(
    help: ArgumentHelp("Search only this snapshot; can be repeated.", valueName: "id"))
  var snapshot: [String] = []
  @Flag(name: [.long, .customShort("i")], help: "Ignore case.") var ignoreCase = false
  @Flag(name: [.long, .customShort("l")], help: "Show permissions, owner, size and time.") var long = false
  @Flag(help: "Print JSON, one file per line.") var json = false

  private var arguments: [String] { [archive].compactMap(\.self) + patterns }

  func run() throws {
    let (path, patterns) = try ArchiveOptions.split(arguments)
    guard !patterns.isEmpty else { throw ValidationError("No pattern given: pass one, such as '*.txt'.") }
    let queries = try patterns.map { try PathQuery(bytes($0), ignoresCase: ignoreCase) }
    let owners = OwnerColumn()
    var failureCount = 0
    try options.withArchive(path) { archive in
      let snapshots = snapshot.isEmpty ? nil : try snapshot.map { try archive.chosenSnapshot($0) }
      try archive.find(queries, in: snapshots) { failure in
        failureCount += 1
        printError(failure)
      } progress: {
        try Interruption.check()
      } _: { found in
        let listed = ListedFile(path: found.path, file: found.file)
        if json { return try printJSON(FoundFileReport(found, listed)) }
        let text = long ? owners.line(of: listed) : printable(found.path)
        try StandardOutput.line("\(found.snapshot.id.short)  \(text)")
      }
    }
    if failureCount > 0 { throw ExitStatus.somethingWrong }
  }
}

/// The JSON report of a found file, with the snapshot that it is in.
private struct FoundFileReport: Encodable {
  let snapshot: String
  let file: ListedFileReport

  private enum CodingKeys: CodingKey { case snapshot }

  init(_ found: FoundFile, _ listed: ListedFile) {
    snapshot = "\(found.snapshot.id)"
    file = ListedFileReport(listed)
  }

  func encode(to encoder: any Encoder) throws {
    try file.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(snapshot, forKey: .snapshot)
  }
}
