import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveCatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write the content of files to the standard output.",
    usage: "todana archive cat [<options>] <archive> <path> ...",
    discussion: """
      \(EnvironmentHelp.archive)

      Examples:
        todana archive cat /backup/Files.todana Documents/letter.txt
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("Paths of files in the snapshot.", valueName: "path"))
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption

  private var arguments: [String] { [archive].compactMap(\.self) + paths }

  func run() throws {
    let (path, paths) = try ArchiveOptions.split(arguments)
    guard !paths.isEmpty else { throw ValidationError("No files given: pass their paths in the snapshot.") }
    try options.withArchive(path) { archive in
      let snapshot = try archive.chosenSnapshot(snapshot.snapshot)
      for path in paths {
        try unsafe archive.read(bytes(path), of: snapshot) { content in
          try Interruption.check()
          try StandardOutput.write(unsafe Array(content))
        }
      }
    }
  }
}
