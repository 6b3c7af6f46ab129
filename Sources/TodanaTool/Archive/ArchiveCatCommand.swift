import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveCatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Write the content of files to the standard output.",
    usage: "todana archive cat [<options>] <archive> <path> ...",
    discussion: EnvironmentHelp.archive)

  @Argument(
    help: ArgumentHelp("The archive's directory, then paths of files in the snapshot.", valueName: "archive path"),
    completion: .file())
  var arguments: [String] = []
  @OptionGroup var options: ArchiveOptions
  @OptionGroup var snapshot: SnapshotOption

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
