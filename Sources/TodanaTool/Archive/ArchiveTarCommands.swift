import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveTarTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tar",
    abstract: "Export snapshots as tar streams, and import tar streams as snapshots.",
    discussion: """
      \(EnvironmentHelp.archive)

      Examples:
        todana archive tar export /backup/Files.todana > files.tar
      """,
    subcommands: [ArchiveTarExportCommand.self, ArchiveTarImportCommand.self])
}

struct ArchiveTarExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write files of a snapshot as a tar stream.",
    usage: "todana archive tar export [<options>] <archive> [<path> ...]",
    discussion: """
      Writes to the standard output, unless --output is passed. The stream is not encrypted.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive tar export /backup/Files.todana Documents | tar -t
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Paths in the snapshot; by default, all.", valueName: "path"))
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption
  @Option(help: ArgumentHelp("Write to this new file.", valueName: "file"), completion: .file()) var output: String?

  private var arguments: [String] { [archive].compactMap(\.self) + paths }

  func run() throws {
    let (path, paths) = try ArchiveOptions.split(arguments)
    if output == nil, isatty(STDOUT_FILENO) == 1 {
      throw ValidationError(
        "A tar stream is not written to a terminal: pass --output, or redirect the standard output.")
    }
    var failureCount = 0
    try options.withArchive(path) { archive in
      try archive.refuse(toHold: output)
      let snapshot = try archive.chosenSnapshot(snapshot.snapshot)
      let paths = paths.map(bytes)
      func note(_ failure: String) {
        failureCount += 1
        printError(failure)
      }
      if let output {
        try archive.exportTar(
          snapshot, paths: paths, toFile: bytes(output), onFailure: note, progress: Interruption.check)
      } else {
        try archive.exportTar(
          snapshot, paths: paths, to: STDOUT_FILENO, onFailure: note, progress: Interruption.check)
      }
    }
    if failureCount > 0 { throw ExitStatus.somethingWrong }
  }
}
