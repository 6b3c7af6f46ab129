import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the files of a snapshot.",
    usage: "todana archive list [<options>] <archive> [<path> ...]",
    discussion: """
      Without a path, lists the top level of the snapshot. For a directory, lists its entries, or with --recursive \
      everything below it.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive list /backup/Files.todana Documents -l
      """,
    aliases: ["ls"])

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Paths in the snapshot; by default, its top level.", valueName: "path"))
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption
  @Flag(name: [.long, .customShort("r")], help: "List directories recursively.") var recursive = false
  @Flag(name: [.long, .customShort("l")], help: "Show permissions, owner, size and time.") var long = false
  @Flag(help: "Print JSON, one file per line.") var json = false

  private var arguments: [String] { [archive].compactMap(\.self) + paths }

  func run() throws {
    let (path, paths) = try ArchiveOptions.split(arguments)
    let owners = OwnerColumn()
    var failureCount = 0
    try options.withArchive(path) { archive in
      let snapshot = try archive.chosenSnapshot(snapshot.snapshot)
      try archive.list(snapshot, paths: paths.map(bytes), isRecursive: recursive) { failure in
        failureCount += 1
        printError(failure)
      } _: { listed in
        try Interruption.check()
        if json {
          try printJSON(ListedFileReport(listed))
        } else {
          try StandardOutput.line(long ? owners.line(of: listed) : printable(listed.path))
        }
      }
    }
    if failureCount > 0 { throw ExitStatus.somethingWrong }
  }
}
