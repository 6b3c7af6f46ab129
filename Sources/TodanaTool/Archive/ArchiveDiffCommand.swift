import ArgumentParser
import Foundation
import TodanaArchive

struct ArchiveDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two snapshots.",
    usage: "todana archive diff [<options>] <archive> <old id> <new id> [<path> ...]",
    discussion: """
      Prints each path that was added or removed, or whose kind, content or metadata differs. Metadata are \
      permissions, owner, modification time, attributes and flags. The exit status is 1 if there are differences.

      \(EnvironmentHelp.archive)

      Examples:
        todana archive diff /backup/Files.todana 03726fca latest
      """)

  @Argument(help: "The archive's directory; omit it if TODANA_ARCHIVE is set.", completion: .directory)
  var archive: String?
  @Argument(help: ArgumentHelp("The id of the first snapshot, or latest.", valueName: "old"))
  var old: String?
  @Argument(help: ArgumentHelp("The id of the second snapshot, or latest.", valueName: "new"))
  var new: String?
  @Argument(help: ArgumentHelp("Paths in the snapshots to compare; by default, all.", valueName: "path"))
  var paths: [String] = []
  @OptionGroup var options: ArchiveOptions
  @Flag(help: "Print JSON, one difference per line.") var json = false

  private var arguments: [String] { [archive, old, new].compactMap(\.self) + paths }

  func run() throws {
    let (path, rest) = try ArchiveOptions.split(arguments)
    guard rest.count >= 2 else { throw ValidationError("Two snapshots are needed: pass their ids.") }
    var counts: [FileDifference.Change: Int] = [:]
    var failureCount = 0
    try options.withArchive(path) { archive in
      let (old, new) = (try archive.chosenSnapshot(rest[0]), try archive.chosenSnapshot(rest[1]))
      try archive.diff(old, new, paths: rest.dropFirst(2).map(bytes)) { failure in
        failureCount += 1
        printError(failure)
      } progress: {
        try Interruption.check()
      } _: { difference in
        counts[difference.changes[0], default: 0] += 1
        if json { return try printJSON(DifferenceReport(difference)) }
        let change = difference.changes[0].rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
        try StandardOutput.line(change + printable(difference.path))
      }
    }
    if !json { try StandardOutput.line(summary(of: counts)) }
    if failureCount > 0 || !counts.isEmpty { throw ExitStatus.somethingWrong }
  }

  private func summary(of counts: [FileDifference.Change: Int]) -> String {
    if counts.isEmpty { return "No differences." }
    let parts = FileDifference.Change.allCases.compactMap { change in
      counts[change].map { count in
        switch change {
        case .added, .removed: "\(formattedCount(count)) \(change.rawValue)"
        case .kind, .content, .metadata: "\(formattedCount(count)) with other \(change.rawValue)"
        }
      }
    }
    return parts.joined(separator: ", ") + "."
  }
}

/// The JSON report of a difference.
private struct DifferenceReport: Encodable {
  let path: String
  /// The bytes of a path that is not UTF-8.
  let pathBytes: Data?
  let changes: [String]
  let old: ListedFileReport?
  let new: ListedFileReport?

  init(_ difference: FileDifference) {
    let path = difference.path
    old = difference.old.map { ListedFileReport(ListedFile(path: path, file: $0)) }
    new = difference.new.map { ListedFileReport(ListedFile(path: path, file: $0)) }
    let shown = PathReport(path)
    (self.path, pathBytes) = (shown.text, shown.bytes)
    changes = difference.changes.map(\.rawValue)
  }
}
